"""What was asked for and what is known of the place reach the chain: answers beside the kernels, called straight."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from kernels.pv.light import Light, light_of
from kernels.pv.optimum import optimum
from kernels.pv.plant import Produced, System, hidden_kwh, produced
from kernels.pv.site import Site, site_of
from tests.api.conftest import Api, Start
from tests.api.pv.conftest import production
from tests.api.tmy.conftest import tmy
from tests.support import tmy as made_up
from tests.support.horizon import HORIZON, OSLO, corner, profiles
from tests.support.tmy import OSLO_CELL
from tiles.grid import NORWAY3KM, Cell
from tiles.store import open_store


class Here(NamedTuple):
    """Oslo's cell in a scaled year."""

    site: Site
    light: Light

    def plant(self, surfaces: list[tuple[float, ...]]) -> Produced:
        """What the kernels give of (tilt, azimuth from north, kWp)."""
        return produced(self.site, self.light, surfaces, System())


async def here(
    api: Api, confidence: str, to: float | None = None, altitude: float = 123.4, horizon: Any = None
) -> Here:
    """The year that `/api/tmy` gives, brought `to` an annual GHI."""
    hours = {
        name: np.array(values)
        for name, values in (await api.ask(tmy(format="json", confidence=confidence))).json["hourly"].items()
    }
    site = site_of(hours, *NORWAY3KM.centre(OSLO_CELL), altitude, horizon)
    return Here(site, light_of(site, 1.0 if to is None else to / (float(hours["ghi"].sum()) / 1000)))


async def test_it_is_the_chain_on_the_year_that_tmy_gives(api: Api) -> None:
    for confidence in ("p50", "p90"):
        answer = await production(api, horizon=0, confidence=confidence, arrays="2:35:0,1:70:-90")
        chain = (await here(api, confidence)).plant([(35, 180, 2), (70, 90, 1)])
        assert [month["e_kwh"] for month in answer["monthly"]] == pytest.approx(chain.out.sum(0), rel=1e-3)
        assert [array["e_kwh"] for array in answer["arrays"]] == pytest.approx(chain.out.sum(1), rel=5e-4)
        assert [array["poa_kwh_m2"] for array in answer["arrays"]] == pytest.approx(chain.poa.sum(1), rel=5e-4)


async def test_the_horizon_is_that_of_the_position_and_the_sun_that_of_the_cell(api: Api) -> None:
    row, column = HORIZON.cell_at(*OSLO)
    first = corner(*OSLO)
    profile = profiles(first)[:, row - first[0], column - first[1]]
    chain = (await here(api, "p50", horizon=profile)).plant([(60, 90, 1)])
    answer = await production(api, angle=60, aspect=-90)
    assert answer["annual"]["e_kwh"] == pytest.approx(float(chain.out.sum()), rel=1e-3)
    free = await production(api, angle=60, aspect=-90, horizon=0)
    assert answer["side_by_side"]["unshaded_kwh"] == free["annual"]["e_kwh"] > answer["annual"]["e_kwh"]
    for name in ("horizon 2026-05-01T00 (simulated)", "terrain data of 2019"):
        assert name in answer["method"]["horizon"]


async def test_the_standard_deviation_is_that_of_the_sun_taken_through_the_chain(api: Api) -> None:
    stats = (await api.ask(tmy(path="/api/tmy/stats"))).json["products"]["ens_tmy30"]
    median, std = stats["annual_ghi_kwh_m2"]["p50"], stats["annual_ghi_std_kwh_m2"]
    assert std == 41.5
    energies = [float((await here(api, "tmy", ghi)).plant([(35, 180, 10)]).out.sum()) for ghi in (median, median - std)]
    for confidence in ("p50", "p95"):
        answer = await production(api, horizon=0, peakpower=10, confidence=confidence)
        assert answer["annual"]["e_std_kwh"] == pytest.approx(energies[0] - energies[1], rel=1e-3)


async def test_the_cell_s_ground_is_that_of_the_chain(start: Start, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made_up._statistics

    def high(cell: Cell) -> made_up.Series:
        return {**whole(cell), "altitude": np.array(2200.0)}

    monkeypatch.setattr(made_up, "_statistics", high)
    made_up.publish_stats(open_store(str(own)), "1991-2026")
    api = await start(store_folder=own)
    answer = await production(api, horizon=0, tech="CdTe")
    system = System("CdTe")
    energies = [
        float(produced(place.site, place.light, [(35, 180, 1)], system).out.sum())
        for place in [await here(api, "p50", altitude=altitude) for altitude in (2200.0, 0.0)]
    ]
    assert answer["annual"]["e_kwh"] == pytest.approx(energies[0], rel=5e-4)
    assert abs(energies[0] / energies[1] - 1) > 5e-3


async def test_the_best_angles_are_those_of_the_year_the_power_and_the_limit_that_are_asked_for(api: Api) -> None:
    """A limit is best met by a plane that gives more when the sun is low; each of the three moves it."""
    light, other = await here(api, "p95"), await here(api, "p50")
    system = System(ac_max=3.0)

    def tilt(of: Here, kwp: float = 10.0, limited: System = system) -> float:
        return optimum(of.site, of.light, kwp, limited, 150.0)[0]

    best = tilt(light)
    for without in (tilt(other), tilt(light, 1.0), tilt(light, limited=System())):
        assert abs(without - best) > 0.5
    asked: dict[str, object] = {"peakpower": 10, "maxpower": 3, "confidence": "p95", "horizon": 0}
    slope = await production(api, **asked, aspect=-30, optimize="slope")
    assert slope["optimum"]["angle"] == pytest.approx(best, abs=0.15)
    both = await production(api, **asked, optimize="both")
    sought = optimum(light.site, light.light, 10.0, system)
    assert both["annual"]["e_kwh"] == pytest.approx(
        float(produced(light.site, light.light, [(*sought, 10.0)], system).out.sum()), rel=5e-4
    )


async def test_a_plane_that_is_best_flat_faces_nowhere(api: Api) -> None:
    """Under a limit that any plane reaches whenever the sun is up, no tilt is better than none."""
    answer = await production(api, aspect=20, optimize="both", peakpower=100000, maxpower=0.05, horizon=0)
    assert answer["optimum"] == {"angle": 0.0, "aspect": 0.0}


async def test_what_hours_hide_is_of_the_year_that_is_asked_for(api: Api) -> None:
    said = []
    for confidence in ("p50", "p90"):
        place = await here(api, confidence)
        more = hidden_kwh(place.site, place.light, [(35, 180, 10)], System(ac_max=5.0))
        answer = await production(api, horizon=0, peakpower=10, maxpower=5, confidence=confidence)
        said.append(float(answer["warnings"][0].split("up to ")[1].split(" kWh")[0]))
        assert said[-1] == pytest.approx(more, rel=5e-3, abs=0.06)
    assert said[0] != pytest.approx(said[1], rel=0.015)
