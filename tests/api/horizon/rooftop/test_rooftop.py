"""`POST /api/horizon/rooftop`: fields, headers and files."""

import re
from pathlib import Path

import numpy as np
import pytest

from api.horizon.schemas import Rooftop
from kernels.horizon import earth
from tests.api.horizon.rooftop.conftest import Roofs, Serve
from tests.api.horizon.rooftop.made import OSLO, Around, place
from tests.support.coverages import Coverages, flat
from tests.support.horizon import profiles


@pytest.fixture
def town(service: Coverages) -> Coverages:
    """A wall 25 m high, 60 m to the north."""
    around = Around(*place(*OSLO))

    def wall(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        aside = around.east_north(x, y)[1]
        return np.where((aside > 60) & (aside < 70), 125.0, 100.0)

    service.surfaces["dom"] = wall
    return service


async def test_near_and_far_together(town: Coverages, roofs: Roofs) -> None:
    asked = await roofs.ask(observer_height_m=5)
    assert asked.status == 200, asked.text
    told = asked.json
    Rooftop.model_validate(told)
    assert list(told)[:7] == ["lat", "lon", "api_tier", "version", "n_azimuth", "tier1_used", "dtm_ground_z_m"]
    assert (told["api_tier"], told["version"], told["n_azimuth"]) == ("rooftop", "v3.1", 720)
    assert told["azimuth_deg"] == [i / 2 for i in range(720)]
    near, whole = np.array(told["near_horizon_only"]), np.array(told["elevation_deg"])
    assert near[0] == pytest.approx(np.degrees(np.arctan(20 / 60.5)), abs=0.3)
    assert near[180] < 0
    assert whole[0] == near[0]
    assert whole[180] == pytest.approx(25, abs=5)  # the made-up hill in the east
    assert told["tier1_used"] is True
    assert told["near_distance_m"][0] == pytest.approx(60.5, abs=1)
    assert (told["dtm_ground_z_m"], told["observer_height_above_dtm_m"], told["observer_z_masl"]) == (100, 5, 105)
    assert (told["dom_year"], told["dtm_year"], told["data_origin"]) == (2021, 2021, "simulated")
    assert told["tile_key"].startswith("H33-")
    assert 0 < told["compute_ms"] < 5000
    assert any("simulated" in one for one in told["warnings"])


async def test_headers(roofs: Roofs) -> None:
    asked = await roofs.ask()
    assert asked.headers["X-Worker-Request-Id"] == asked.headers["X-Request-Id"]
    assert (asked.headers["X-API-Tier"], asked.headers["X-Data-Origin"]) == ("rooftop", "simulated")
    assert asked.headers["Cache-Control"] == "no-store"


async def test_the_near_field_alone(town: Coverages, serve: Serve, tmp_path: Path) -> None:
    roofs = await serve(tmp_path / "empty")  # no level 1 is built
    asked = await roofs.ask(include_tier1=False)
    assert asked.status == 200
    assert asked.json["elevation_deg"] == asked.json["near_horizon_only"]
    assert (asked.json["tier1_used"], asked.json["tile_key"]) == (False, None)
    assert any("near field (500 m) alone" in one for one in asked.json["warnings"])


async def test_a_level_above_the_sea_goes_before_a_height(town: Coverages, roofs: Roofs) -> None:
    told = (await roofs.ask(observer_height_m=2, observer_z_masl=124.5)).json
    assert (told["observer_z_masl"], told["observer_height_above_dtm_m"]) == (124.5, 24.5)
    assert told["warnings"][-1] == "Ignored with observer_z_masl: observer_height_m."
    assert told["near_horizon_only"][0] == pytest.approx(np.degrees(np.arctan(0.5 / 60.5)), abs=0.1)
    assert (await roofs.ask()).json["observer_height_above_dtm_m"] == 3


async def test_far_hills_are_those_of_level_1_for_its_own_eye(service: Coverages, roofs: Roofs) -> None:
    from tests.support.horizon import BANK, beyonds, corner, grounds
    from tiles.grid import HORIZON

    first = corner(*OSLO)
    cell = HORIZON.cell_at(*OSLO)
    i, j = cell[0] - first[0], cell[1] - first[1]
    service.surfaces["dom"] = lambda x, y: np.full((1, 1), -90.0)  # everything near lies far below
    ground = float(grounds(first)[i, j])
    service.surfaces["dtm"] = flat(ground)
    told = (await roofs.ask(observer_z_masl=round(ground + 1.5, 2))).json
    expected = np.where(BANK, beyonds(first)[0][:, i, j], profiles(first)[:, i, j])  # over a bank near by
    expected = np.maximum(expected, earth.sea_dip(ground + 1.5))  # lower than which no land is seen
    assert (expected > 1).sum() > 100
    seen = np.array(told["elevation_deg"])
    land = (np.arange(720) / 2 < 200) | (np.arange(720) / 2 >= 250)
    assert np.abs(seen - expected)[land].max() < 0.05


NAMES = {
    "csv": ".csv", "geojson": ".geojson", "export_a": "_pvsyst.hor", "pvsyst": "_pvsyst.hor", "pvsol": "_pvsol.hor",
    "helioscope": "_helioscope.csv", "pvgis": "_pvgis.csv", "export_e": "_sam.csv",
}  # fmt: skip


async def test_files(town: Coverages, roofs: Roofs) -> None:
    for name, ending in NAMES.items():
        asked = await roofs.ask(f"?format={name}")
        assert asked.status == 200
        file_name = f"inline; filename=tier2_horizon_59.9139_10.7522_h3{ending}"
        assert asked.headers["Content-Disposition"] == file_name
        assert re.search(r"\b(19|2[0-2])\b", asked.text), name  # the wall
