"""`POST /api/horizon/precise` over HTTP, through the queue and a worker."""

import asyncio
import csv
import io
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from kernels import utm
from tests.api.conftest import require_documented
from tests.api.horizon.precise.conftest import PATH, Panels
from tests.bench.bench_rooftop_http import town
from tests.support.horizon import BODO, OSLO

LOSSES = ("terrain_loss_pct", "near_field_loss_pct")


@pytest.fixture(scope="module")
def kept_told() -> dict[str, Any]:
    return {}


@pytest.fixture
async def told(panels: Panels, kept_told: dict[str, Any]) -> dict[str, Any]:
    """The answer about a panel in the town, asked once."""
    if not kept_told:
        asked = await panels.ask()
        assert asked.status == 200, asked.text
        kept_told.update(asked.json)
    return kept_told


async def test_the_answer_is_as_documented_and_its_horizon_is_level_2s(panels: Panels) -> None:
    asked = await panels.ask("?method=full")
    await require_documented(panels.api, f"POST {PATH}", asked)
    assert asked.headers["X-API-Tier"] == asked.json["api_tier"] == "precise"
    roof = {name: asked.json[name] for name in ("lat", "lon")}
    level_2 = (await panels.api.ask("/api/horizon/rooftop", "POST", json=roof)).json
    for name in ("elevation_deg", "near_horizon_only", "near_distance_m", "observer_z_masl", "dom_year"):
        assert asked.json[name] == level_2[name]


async def test_terrain_and_objects_add_up_to_the_whole(told: dict[str, Any]) -> None:
    objects, whole = told["near_field_objects"], told["annual_yield_reduction_pct"]
    assert whole > 5
    assert sum(told[name] for name in LOSSES) == pytest.approx(whole, abs=1e-9)
    assert told["terrain_loss_pct"] + sum(one["yield_loss_pct"] for one in objects) == pytest.approx(whole, abs=0.05)
    share = told["near_field_loss_pct"] / whole
    assert sum(one["shading_impact_score"] for one in objects) == pytest.approx(share, abs=0.002)
    assert [one["yield_loss_pct"] for one in objects] == sorted((o["yield_loss_pct"] for o in objects), reverse=True)
    assert {one["kind"] for one in objects} == {"bygning"}


async def test_months_add_up_to_the_year(told: dict[str, Any]) -> None:
    months = told["monthly"]
    for name in ("poa_open_kwh_m2", "poa_kwh_m2", "shade_hours", "daylight_hours"):
        assert sum(month[name] for month in months) == pytest.approx(told[f"annual_{name}"], abs=1e-6)
    lost = 100 * (1 - told["annual_poa_kwh_m2"] / told["annual_poa_open_kwh_m2"])
    assert told["annual_yield_reduction_pct"] == pytest.approx(lost, abs=0.002)
    hours = 100 * told["annual_shade_hours"] / told["annual_daylight_hours"]
    assert told["shaded_daylight_hours_pct"] == pytest.approx(hours, abs=0.01)


async def test_simulated_data_are_told(told: dict[str, Any]) -> None:
    assert told["data_origin"] == told["typical_year"]["data_origin"] == "simulated"
    assert sum("simulated" in sentence for sentence in told["warnings"]) == 2


async def test_the_same_question_gets_the_same_job_and_a_new_life(panels: Panels, told: dict[str, Any]) -> None:
    panels.clock.moment += timedelta(days=1)
    again = (await panels.ask()).json
    assert again["job_id"] == told["job_id"]
    assert again["expires_at"] > told["expires_at"]
    assert (await panels.ask(panel_tilt_deg=36)).json["job_id"] != told["job_id"]


async def test_the_links_open_report_and_table(panels: Panels, told: dict[str, Any]) -> None:
    report, table = await panels.open(told["pdf_url"]), await panels.open(told["csv_url"])
    assert (report.status, report.headers["Content-Type"], report.body[:5]) == (200, "application/pdf", b"%PDF-")
    for file in (report, table):
        assert file.headers["X-Data-Origin"] == "simulated"
        assert "_az180_tilt35" in file.headers["Content-Disposition"]
        assert "_SIMULATED." in file.headers["Content-Disposition"]
    directions, months = table.text.split("\n\n")
    head = [line for line in directions.splitlines() if line.startswith("#")]
    assert any("SIMULATED" in line for line in head)
    assert any("level precise" in line for line in head)
    heights, light = [line for line in head if " from SIMULATED" in line]
    assert heights.startswith("# Heights from SIMULATED by Solflis in the format of kartverket_wcs")
    assert light.startswith("# Light from SIMULATED by Solflis")
    assert "kartverket" not in light
    assert f"# Panel at {OSLO[0]} N {OSLO[1]} E - azimuth 180 from north - tilt 35" in head
    directions = directions[directions.index("azimuth_deg") :]
    assert directions + "\n" == (await panels.ask("?format=csv")).text
    rows = list(csv.DictReader(io.StringIO(directions)))
    assert [float(row["elevation_deg"]) for row in rows] == told["elevation_deg"]
    assert [float(row["poa_kwh_m2"]) for row in csv.DictReader(io.StringIO(months))] == [
        month["poa_kwh_m2"] for month in told["monthly"]
    ]


async def test_the_report_is_english_for_whoever_prefers_it(panels: Panels) -> None:
    norwegian, english = [(await panels.ask(language=language)).json["pdf_url"] for language in ("nb", "en")]
    assert "_nb_SIMULATED.pdf" in norwegian
    assert "_en_SIMULATED.pdf" in english
    assert (await panels.open(norwegian)).body != (await panels.open(english)).body


async def test_files_carry_links_and_job_in_headers(panels: Panels, told: dict[str, Any]) -> None:
    for query in ("?format=csv", "?format=export_e", "?format=png"):
        asked = await panels.ask(query)
        assert asked.status == 200
        assert asked.headers["X-Precise-Job-Id"] == told["job_id"]
        assert "tier3_horizon_59.91_10.75_h3" in asked.headers["Content-Disposition"]
        for name in ("Pdf", "Csv"):
            assert (await panels.open(asked.headers[f"X-Precise-{name}-Url"])).status == 200
    rows = list(csv.DictReader(io.StringIO((await panels.ask("?format=csv")).text)))
    assert [float(row["elevation_deg"]) for row in rows] == told["elevation_deg"]


async def test_a_panel_that_faces_away_from_the_sun_loses_less_beam(panels: Panels) -> None:
    south, north = [(await panels.ask(panel_az_deg=az, panel_tilt_deg=90)).json for az in (180, 0)]
    assert south["annual_poa_open_kwh_m2"] > north["annual_poa_open_kwh_m2"]
    assert south["annual_shade_hours"] == north["annual_shade_hours"]


async def test_without_a_typical_year_the_loss_is_of_a_cloudless_one_and_told(panels: Panels) -> None:
    told = (await panels.ask(lat=BODO[0], lon=BODO[1])).json
    assert told["typical_year"]["kind"] == "clear_sky"
    assert any("cloudless" in sentence for sentence in told["warnings"])
    assert told["annual_poa_open_kwh_m2"] > 800
    assert told["annual_yield_reduction_pct"] > 0


async def test_the_roof_that_the_panel_lies_on_is_no_obstacle(panels: Panels) -> None:
    """A flat roof of 10 x 10 m, which the panel lies 10 cm below."""
    x, y = (float(18 * round(at / 18) + 5) for at in utm.forward(*OSLO))
    lat, lon = map(float, utm.inverse(x, y))
    below = {"lat": lat, "lon": lon, "observer_z_masl": round(float(town(np.array(x), np.array(y))) - 0.1, 2)}
    told = (await panels.ask(**below, panel_tilt_deg=0)).json
    assert max(e for e, d in zip(told["near_horizon_only"], told["near_distance_m"], strict=True) if d and d < 5) > 1
    assert min(one["distance_m"] for one in told["near_field_objects"]) > 7


async def test_without_level_1_the_near_field_alone_costs(panels: Panels) -> None:
    told = (await panels.ask(include_tier1=False)).json
    assert told["tier1_used"] is False
    assert np.allclose(told["elevation_deg"], told["near_horizon_only"])
    assert told["near_field_loss_pct"] > told["terrain_loss_pct"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"panel_tilt_deg": 90.5}, "panel_tilt_deg"),
        ({"panel_az_deg": -1}, "panel_az_deg"),
        ({"panel_az_deg": "south"}, "panel_az_deg"),
        ({"panel_tilt_deg": None}, "panel_tilt_deg"),
        ({"bare_crown_transmission": 1.5}, "bare_crown_transmission"),
        ({"email": "nobody"}, "email"),
        ({"observer_height_m": 51}, "observer_height_m"),
        ({"lat": 56}, "lat"),
    ],
)
async def test_a_field_that_is_wrong_is_named(panels: Panels, body: dict[str, Any], field: str) -> None:
    asked = await panels.ask(**body)
    assert (asked.status, asked.json["code"], asked.json["parameter"]) == (400, "INVALID_INPUT", field)


async def test_binary_is_of_level_1_alone(panels: Panels) -> None:
    assert (await panels.ask("?format=binary")).json["code"] == "INVALID_INPUT"


async def test_an_address_may_ask_once_a_second(panels: Panels) -> None:
    both = await asyncio.gather(*(panels.ask(address="192.0.2.7") for _ in range(2)))
    first, second = sorted(both, key=lambda asked: asked.status)
    assert (first.status, first.headers["X-Quota-Remaining"]) == (200, "29")
    assert (second.status, second.json["code"]) == (429, "RATE_LIMITED")
    assert int(second.headers["Retry-After"]) >= 1


async def test_another_method_is_refused(panels: Panels) -> None:
    asked = await panels.api.ask(PATH)
    assert (asked.status, asked.json["code"], asked.headers["X-API-Tier"]) == (405, "METHOD_NOT_ALLOWED", "precise")
