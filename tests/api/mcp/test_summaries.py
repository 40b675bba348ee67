"""Summaries of unusual answers, marked as live data: the warning of simulated data would displace all others."""

from typing import Any

import pytest

from api.mcp.registry import TOOLS
from tests.api.mcp.conftest import ARGUMENTS, Server

BY_NAME = {tool.name: tool for tool in TOOLS}
PLACE = "lat=59.91&lon=10.75"
PATHS = {
    "pv_produksjon": f"/api/pv/calc?{PLACE}&peakpower=8",
    "snolast": f"/api/snowload/calc?{PLACE}",
    "maaneder": f"/api/snowsoiling/calc?{PLACE}",
    "dager": f"/api/snow/outlook?{PLACE}",
    "statistikk": f"/api/tmy/stats?{PLACE}",
    "solproduksjon_naa": "/api/production/now",
}


async def answer_of(server: Server, name: str) -> dict[str, Any]:
    """Return an answer of the API, as if of live data."""
    return {**await server.api.good(PATHS[name]), "data_origin": "live"}


def said(tool: str, answer: dict[str, Any], part: str = "") -> str:
    """Return the summary of an answer."""
    summary = BY_NAME[tool].summarise({part: answer})
    assert len(summary) <= 600
    assert "SIMULERT" not in summary
    assert "None" not in summary
    return summary


async def test_production_that_is_clipped_shaded_or_without_percentiles(server: Server) -> None:
    answer = await answer_of(server, "pv_produksjon")
    year = answer["annual"]
    year["losses_pct"]["horizon"] = 0
    assert "terrenget" in said("pv_produksjon", answer)
    year["losses_pct"]["horizon"] = 1.2
    assert "Snø på modulene er ikke med" in said("pv_produksjon", answer)
    year["clipped_kwh"] = 321.0
    assert "kapper 321 kWh" in said("pv_produksjon", answer)
    assert "bare variasjon i sol" in said("pv_produksjon", answer)
    year["percentiles_kwh"] = dict.fromkeys(("p50", "p75", "p90", "p95"))
    assert "ikke kjent" in said("pv_produksjon", answer)


@pytest.mark.parametrize(
    ("aspect", "facing"),
    [(0, "rett mot sør"), (-90, "rett mot øst"), (90, "rett mot vest"), (180, "rett mot nord"), (-20, "20° mot øst"),
     (135.5, "135,5° mot vest")],
)  # fmt: skip
async def test_direction_of_a_surface(server: Server, aspect: float, facing: str) -> None:
    answer = await answer_of(server, "pv_produksjon")
    answer["arrays"][0]["aspect"] = aspect
    assert facing in said("pv_produksjon", answer)


async def test_snow_load_with_table_and_with_one_cell(server: Server) -> None:
    answer = await answer_of(server, "snolast")
    assert "median" in said("snolast", answer)
    assert "ansvarlig prosjekterende" in said("snolast", answer)
    answer["aggregate"] |= {"n_cells": 1, "sd_cv_pct": None, "altitude_range_m": None}
    answer["eurocode_comparison"] |= {"sk_kn_m2": 3.5, "kommune": "Oslo"}
    answer["inputs"]["variability_factor"] = 1.25
    text = said("snolast", answer)
    assert "én celle" in text
    assert "3,5 kN/m² for Oslo" in text
    assert "1,25" in text


async def test_snow_of_months_that_are_not_known(server: Server) -> None:
    answer = await answer_of(server, "maaneder")
    answer["annual"]["loss_pct_incl_soiling"] = None
    answer["monthly"][3]["loss_pct_incl_soiling"] = None
    text = said("snotap", answer, "maaneder")
    assert "1 måneder mangler" in text
    assert "Verst er" in text
    for month in answer["monthly"]:
        month["loss_pct_incl_soiling"] = None
    assert "12 måneder mangler" in said("snotap", answer, "maaneder")


@pytest.mark.parametrize(
    ("summary", "expected", "days"),
    [
        ((True, 9, 100.0, None), "fortsatt eller igjen", 9),
        ((True, 2, 100.0, "2026-12-02"), "snøfritt 2. desember", 9),
        ((False, 0, 0.0, "2026-11-29"), "ikke snø på panelet i dag", 9),
        ((True, 9, None, None), "ingen sol å tape", 9),
        ((True, 1, 40.0, None), "40 % av dagens sol", 1),
    ],
)
async def test_snow_in_the_days_ahead(server: Server, summary: Any, expected: str, days: int) -> None:
    answer = await answer_of(server, "dager")
    names = ("snow_on_panel_today", "days_with_snow", "max_loss_pct", "clears_on")
    answer |= {"summary": dict(zip(names, summary, strict=True)), "days": answer["days"][:days]}
    text = said("snotap", answer, "dager")
    assert expected in text
    assert ("snøfritt" in text) == (expected.startswith("snøfritt"))
    assert "usikkert" in text


async def test_typical_year_without_percentiles(server: Server) -> None:
    answer = await answer_of(server, "statistikk")
    assert "P90" in said("tmy", answer, "statistikk")
    for product in answer["products"].values():
        product["annual_ghi_kwh_m2"] |= dict.fromkeys(("tmy", "p90", "p95"))
    text = said("tmy", answer, "statistikk")
    assert "er ukjent" in text
    assert "Variasjonen" in text


async def test_production_now_with_an_operators_table_names_its_source(server: Server) -> None:
    answer = await answer_of(server, "solproduksjon_naa")
    assert "eksempel, ikke statistikk" in said("solproduksjon_naa", answer)
    answer["installed"] = {"source": "NVE", "date": "2026-10-01", "example": False}
    text = said("solproduksjon_naa", answer)
    assert "NVE (2026-10-01)" in text
    assert "(UTC)" in text


async def test_forecast_says_what_was_not_applied(server: Server) -> None:
    body = {"latitude": 59.91, "longitude": 10.75, "timezone": "Europe/Oslo"}
    array = {"name": "flate_1", "kwp": 8, "tilt_deg": 35, "azimuth_deg": 180}
    asked = await server.api.ask(
        "/api/forecast", "POST", json={**body, "arrays": [array]}, headers={"X-API-Key": server.key}
    )
    answer = {**asked.json, "data_origin": "live"}
    assert "(ikke hele dagen)" in said("solprognose", answer)
    answer["pv_system"]["no_horizon"] = "not_built"
    assert "Terrengskygge er ikke med" in said("solprognose", answer)
    answer["snow"] = {"snow_applied": False}
    assert "Snø er ikke trukket fra" in said("solprognose", answer)
    answer["cycle_age_hours"] = 7.4
    assert "7 timer gammelt" in said("solprognose", answer)
    for hour in answer["pv_timeseries"]:
        hour["total_W"] = 0
    assert "ingen sol" in said("solprognose", answer)


def test_every_tool_has_a_call_that_works() -> None:
    assert BY_NAME.keys() == ARGUMENTS.keys()
