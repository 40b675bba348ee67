"""Results of tools: as declared, with a summary, and with the numbers of the API's routes."""

from typing import Any

import jsonschema
import pytest

from api.mcp.tools import tmy
from tests.api.mcp.conftest import ARGUMENTS, HANDSHAKE, OSLO, SITE, TOOLS, VERSIONS, Server
from tests.support.tmy import NOT_BUILT, OPEN_SEA


@pytest.mark.parametrize("tool", ARGUMENTS)
@pytest.mark.parametrize("version", VERSIONS)
async def test_result_is_as_declared(server: Server, tool: str, version: str) -> None:
    result = await server.call(tool, ARGUMENTS[tool], version=version)
    assert not result.get("isError"), result
    summary = result["content"][0]["text"]
    assert 40 <= len(summary) <= 600
    assert "Kilde:" in summary
    if version == "2025-03-26":
        assert "structuredContent" not in result
    else:
        jsonschema.Draft202012Validator(TOOLS[tool]["outputSchema"]).validate(result["structuredContent"])
        assert result["structuredContent"]["oppsummering"] == summary
    assert ("resultType" in result) == (version not in HANDSHAKE)


async def test_simulated_data_are_told_in_summary_and_fields(server: Server) -> None:
    for tool, arguments in ARGUMENTS.items():
        fields = (await server.call(tool, arguments))["structuredContent"]
        simulated = '"simulated"' in str(fields).replace("'", '"')
        assert ("SIMULERT" in fields["oppsummering"]) == simulated, tool


async def test_production_is_that_of_the_route(server: Server) -> None:
    arguments = {**OSLO, "arrays": [{"peakpower": 5, "aspect": -90}, {"peakpower": 3, "angle": 20, "aspect": 90}]}
    fields = (await server.call("pv_produksjon", {**arguments, "horizon": False, "confidence": "p90"}))[
        "structuredContent"
    ]
    query = "lat=59.91&lon=10.75&arrays=5:35:-90,3:20:90&horizon=0&confidence=p90"
    route = await server.api.good(f"/api/pv/calc?{query}")
    assert fields["aaret"]["produksjon_kwh"] == route["annual"]["e_kwh"]
    assert [one["produksjon_kwh"] for one in fields["maaneder"]] == [one["e_kwh"] for one in route["monthly"]]
    assert fields["flater"][0]["retning_fra_sor_grader"] == -90


async def test_forecast_counts_aspect_from_south(server: Server) -> None:
    """A roof to the east gives before noon: a sign error would give after it."""
    fields = (await server.call("solprognose", {**OSLO, "peakpower": 8, "angle": 60, "aspect": -90}))[
        "structuredContent"
    ]
    array = fields["anlegg_beregnet"]["flater"][0]
    assert (array["helning_grader"], array["retning_fra_nord_grader"]) == (60, 90)
    best = max(fields["timer"], key=lambda one: one["effekt_w"])
    assert best["tid_utc"][11:13] < "11"
    assert best["tid_lokal"] == f"{best['tid_utc'][:11]}{int(best['tid_utc'][11:13]) + 2:02d}:00+02:00"


async def test_forecast_without_plant_is_irradiance(server: Server) -> None:
    fields = (await server.call("solprognose", OSLO))["structuredContent"]
    assert "anlegg_beregnet" not in fields
    assert {"tid_utc", "tid_lokal", "ghi_w_m2"} <= fields["timer"][0].keys()


async def test_snow_loss_by_month_and_in_the_days_ahead(server: Server) -> None:
    months = (await server.call("snotap", {**OSLO, "angle": 45}))["structuredContent"]
    days = (await server.call("snotap", {**OSLO, "angle": 45, "visning": "dager", "days": 3}))["structuredContent"]
    assert len(months["maaneder"]["maaneder"]) == 12
    assert "dager" not in months
    assert len(days["dager"]["dager"]) == 3
    route = await server.api.good("/api/snowsoiling/calc?lat=59.91&lon=10.75&angle=45")
    assert months["maaneder"]["aaret"]["tap_med_tilsmussing_pct"] == route["annual"]["loss_pct_incl_soiling"]


async def test_snow_load_is_that_of_the_route(server: Server) -> None:
    fields = (await server.call("snolast", {**OSLO, "returnperiod": 100, "grid": 1}))["structuredContent"]
    route = await server.api.good("/api/snowload/calc?lat=59.91&lon=10.75&returnperiod=100&grid=1")
    load = route["aggregate"]["characteristic_snow_load_kn_m2"]
    assert fields["resultat"]["karakteristisk_snolast_kn_m2"] == load


async def test_typical_year_is_statistics_and_a_link_that_works(server: Server) -> None:
    result = await server.call("tmy", {**OSLO, "format": "csv", "confidence": "p90"}, query=f"?api_key={server.key}")
    fields = result["structuredContent"]
    assert 500 < fields["statistikk"]["produkter"]["ens_tmy30"]["ghi_i_aaret_kwh_m2"]["tmy"] < 1300
    [link] = [one for one in result["content"] if one["type"] == "resource_link"]
    assert link["uri"] == fields["nedlasting"]
    assert server.key not in str(result)
    base = server.api.app.settings.base_url
    file = await server.api.ask(link["uri"].removeprefix(base))
    assert link["uri"].startswith(f"{base}/api/tmy?")
    assert file.status == 200
    assert file.text.count("\n") >= 8760


async def test_links_say_what_the_file_is(server: Server) -> None:
    for kind in tmy.TOOL.own["format"]["enum"]:
        result = await server.call("tmy", {**OSLO, "format": kind})
        [link] = [one for one in result["content"] if one["type"] == "resource_link"]
        file = await server.api.ask(link["uri"].removeprefix(server.api.app.settings.base_url))
        assert file.headers["Content-Type"].partition(";")[0] == link["mimeType"], kind
        assert kind in link["name"]


async def test_description_of_a_method_is_a_whole_link(server: Server) -> None:
    fields = (await server.call("pv_produksjon", ARGUMENTS["pv_produksjon"]))["structuredContent"]
    assert fields["metode"]["dokumentasjon"].startswith(f"{server.api.app.settings.base_url}/docs#")


async def test_oldest_version_has_the_link_as_text(server: Server) -> None:
    result = await server.call("tmy", OSLO, version="2025-03-26")
    assert [one["type"] for one in result["content"]] == ["text", "text"]
    assert "/api/tmy?lat=59.91" in result["content"][1]["text"]


async def test_terrain_result_has_sectors_without_bulk(server: Server) -> None:
    fields = (await server.call("terrengkategori", SITE))["structuredContent"]
    sectors = fields["resultat"]["sektorer"]
    assert len(sectors) == 72
    assert {"sektor", "retning_deg", "kategori", "terrengform", "vind", "sikkerhet"} == sectors[0].keys()
    assert len(str(fields)) < 60_000


async def test_production_now_has_counties_and_the_day(server: Server) -> None:
    fields = (await server.call("solproduksjon_naa", {}))["structuredContent"]
    assert len(fields["fylker"]) == 15
    assert len(fields["dagskurve"]) == 24
    assert fields["installert"]["er_eksempel"] is True
    total = sum(one["effekt_mw"] for one in fields["fylker"])
    assert fields["naa"]["effekt_mw"] == pytest.approx(total, rel=0.01)


async def test_search_finds_a_place_and_its_municipality(server: Server) -> None:
    fields = (await server.call("adressesok", {"text": "Tromsø"}))["structuredContent"]
    best = fields["treff"][0]
    assert 1 <= len(fields["treff"]) <= 10
    assert (best["lat"], best["lon"]) == (pytest.approx(69.65, abs=0.1), pytest.approx(18.96, abs=0.2))
    assert "Tromsø" in best["kommune"]


async def test_search_without_hits_says_what_to_try(server: Server) -> None:
    result = await server.call("adressesok", {"text": "qqqqxyzzy"})
    assert not result.get("isError")
    assert "skrivemåte" in result["content"][0]["text"]


async def _refused(server: Server, tool: str, **changes: Any) -> str:
    return await server.refusal(tool, {**ARGUMENTS[tool], **changes})


async def test_refusals_name_argument_and_range(server: Server) -> None:
    assert "lat" in (text := await _refused(server, "pv_produksjon", lat=80))
    assert "71.5" in text
    assert "adressesok" in await server.refusal("pv_produksjon", {"lon": 10.75})
    assert "aspect" in await _refused(server, "pv_produksjon", aspect=270)
    assert "peakpower" in await _refused(server, "pv_produksjon", peakpower="mye")
    assert "20, 50, 100" in await _refused(server, "snolast", returnperiod=75)
    assert "visning" in await _refused(server, "snotap", visning="uker")
    assert "days" in await _refused(server, "snotap", days=2.5)
    assert "horizon" in await _refused(server, "pv_produksjon", horizon=[True])
    assert "4" in await _refused(server, "pv_produksjon", arrays=[{"peakpower": 1}] * 5)
    assert "takflate" in (text := await _refused(server, "pv_produksjon", takflate=3))
    assert "peakpower" in text
    assert "hoyde_m" in await _refused(server, "terrengkategori", hoyde_m=0)
    assert "text" in await server.refusal("adressesok", {"text": "x"})
    assert "adressesok" in (text := await server.refusal("vaer", {}))
    assert "vaer" in text


async def test_null_is_as_absent_and_numbers_and_flags_may_be_written_otherwise(server: Server) -> None:
    plain = await server.call("pv_produksjon", {**ARGUMENTS["pv_produksjon"], "horizon": False})
    for horizon in (0, "0", "false"):
        odd = {"lat": " 59.91", "lon": "10,75", "peakpower": 8, "maxpower": None, "horizon": horizon}
        assert (await server.call("pv_produksjon", odd))["structuredContent"] == plain["structuredContent"]


async def test_refusals_say_what_to_send_instead(server: Server) -> None:
    assert "byttet om" in await _refused(server, "snolast", lat=10.75, lon=59.91)
    assert "arrays[0].peakpower" in await _refused(server, "pv_produksjon", arrays=[{"angle": 1}])
    assert "aspect" in await _refused(server, "pv_produksjon", azimuth=135)
    assert "uten" in await _refused(server, "solproduksjon_naa", fylke="Rogaland")
    assert "true eller false" in await _refused(server, "pv_produksjon", horizon="kanskje")
    assert "større enn 0" in await _refused(server, "terrengkategori", hoyde_m=0)
    assert "bare jobb_id" in await _refused(server, "terrengkategori", jobb_id="abc")


async def test_data_that_are_not_built_are_for_the_operator(server: Server) -> None:
    text = await server.refusal("tmy", {"lat": NOT_BUILT[0], "lon": NOT_BUILT[1]})
    assert "ikke bygd" in text
    assert "solflis build" in text


async def test_error_of_the_api_is_a_result_with_its_next_step(server: Server) -> None:
    text = await server.refusal("pv_produksjon", {"lat": OPEN_SEA[0], "lon": OPEN_SEA[1]})
    route = await server.api.ask(f"/api/pv/calc?lat={OPEN_SEA[0]}&lon={OPEN_SEA[1]}")
    assert text.startswith(route.json["error"])
    assert "på land" in text


async def test_snow_load_at_sea_says_why(server: Server) -> None:
    text = await server.refusal("snolast", {"lat": 57.5, "lon": 5.0})
    assert text.startswith("Ingen snødata her: ")
    assert "på land" in text


async def test_snow_load_warns_of_a_plot_above_the_cells(server: Server) -> None:
    """The load is that of the cells, whatever the plot's height."""
    plain, higher = [await server.call("snolast", {**OSLO, **more}) for more in ({}, {"elev": 1200})]
    result = "resultat"
    assert higher["structuredContent"][result] == plain["structuredContent"][result]
    assert "høyere enn cellene" in higher["content"][0]["text"]
    assert "høyere enn cellene" not in plain["content"][0]["text"]


async def test_summary_of_a_poor_year_says_so(server: Server) -> None:
    text = (await server.call("pv_produksjon", {**OSLO, "peakpower": 8, "confidence": "p90"}))["content"][0]["text"]
    assert "overgås i 90 av 100 år" in text
    assert "I et middels år gir det" in text


async def test_angles_without_power_are_refused(server: Server) -> None:
    assert "peakpower" in await server.refusal("solprognose", {**OSLO, "aspect": 20})
