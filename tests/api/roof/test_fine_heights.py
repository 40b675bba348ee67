"""The analysis on the operator's own heights, of a roof that only they have."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.roof.result import warning
from infra.simulator.buildings.record import Building, planes_of
from kernels.horizon import earth
from tests.api.roof.conftest import Analyse, house, point_of
from tests.api.roof.test_job import off
from tests.support import geotiff
from tests.support.point_clouds import write_cloud

TILT, SIZE = 38.0, 60.0


def heights(building: Building, x: Any, y: Any, lower: float = 0.0) -> Any:
    """A gable of its own tilt on the walls of a building, and the ground around it."""
    cosine, sine = np.cos(building.turn), np.sin(building.turn)
    east, north = x - building.x, y - building.y
    u, v = east * cosine + north * sine, north * cosine - east * sine
    roof = (np.abs(u) <= building.length / 2 + 0.3) & (np.abs(v) <= building.width / 2 + 0.3)
    return np.where(
        roof, building.eaves - lower + (building.width / 2 - np.abs(v)) * np.tan(np.radians(TILT)), building.foot
    )


def tif(folder: Path, building: Building, lower: float = 0.0) -> None:
    west, south = np.floor(building.x) - SIZE / 2, np.floor(building.y) - SIZE / 2
    count = int(SIZE / 0.25)
    geotiff.write(
        folder / "roof.tif", partial(heights, building, lower=lower), west=west, south=south, shape=(count, count),
        cell=0.25, TIFFTAG_DATETIME="2023:06:01 00:00:00",
    )  # fmt: skip


def laz(folder: Path, building: Building) -> None:
    random = np.random.default_rng(1)
    x, y = (middle + random.uniform(-SIZE / 2, SIZE / 2, 36_000) for middle in (building.x, building.y))
    z = heights(building, x, y) + random.normal(0, 0.02, x.size)
    write_cloud(folder / "roof.laz", x, y, z, np.where(z < building.foot + 1, 2, 6))


@pytest.mark.parametrize("write", [tif, laz])
def test_planes_are_those_of_the_operators_heights(
    analyse: Analyse, tmp_path: Path, write: Callable[[Path, Building], None]
) -> None:
    building, folder = house("saltak"), tmp_path / "heights"
    assert abs(building.tilt - TILT) > 3
    folder.mkdir()
    write(folder, building)
    found = analyse(settings={"roof_heights": str(folder)}, **point_of(building))
    assert "egne høyder" in found["grunnlag"]["hoydemodell"]
    assert ("0.25 m, 2023" in found["grunnlag"]["hoydemodell"]) == (write is tif)
    surfaces, turn = found["takflater"], float(earth.convergence(building.x, building.y))
    assert (len(surfaces), found["bygning"]["takform_profiler"]) == (2, "saltak")
    for plane in planes_of(building):
        own = min(
            surfaces, key=lambda one: off(one["fallretning_hoydemodell_grader"], float(plane.azimuth or 0) + turn)
        )
        assert off(own["fallretning_hoydemodell_grader"], float(plane.azimuth or 0) + turn) < 1
        assert own["helning_grader"] == pytest.approx(TILT, abs=1)


def test_a_roof_lower_than_the_national_heights_is_not_shaded_by_them(analyse: Analyse, tmp_path: Path) -> None:
    building, losses = house("saltak"), []
    for lower in (0.0, 1.5):
        folder = tmp_path / f"{lower:g}"
        folder.mkdir()
        tif(folder, building, lower)
        found = analyse(settings={"roof_heights": str(folder)}, **point_of(building), regler={"shade_loss_max": 1})
        losses.append([one["skyggetap_pst"] for one in found["takflater"] if one["moduler"]])
    assert losses[1] == pytest.approx(losses[0], abs=3)


def test_a_damaged_file_is_left_out(analyse: Analyse, tmp_path: Path) -> None:
    folder = tmp_path / "heights"
    folder.mkdir()
    tif(folder, house("saltak"))
    (folder / "damaged.laz").write_bytes(b"LASF")
    found = analyse(settings={"roof_heights": str(folder)}, **point_of(house("saltak")))
    assert "egne høyder" in found["grunnlag"]["hoydemodell"]


def test_national_heights_replace_those_of_the_operator_that_cannot_be_read(analyse: Analyse, tmp_path: Path) -> None:
    found = analyse(settings={"roof_heights": str(tmp_path / "nowhere")}, **point_of(house("saltak")))
    assert "Nasjonal høydemodell" in found["grunnlag"]["hoydemodell"]
    assert warning("egne_hoyder_borte") in found["grunnlag"]["advarsler"]
    assert found["resultat"]["moduler"] > 0
