"""The answer over HTTP: what a scene by hand says, what overrides change, what is refused."""

from datetime import timedelta
from typing import Any

import numpy as np
import orjson
import pytest

from api.terrain.schemas import Queued, Terrain
from tests.api.conftest import Asked
from tests.api.terrain.conftest import JOBS, L_D, L_U, PATH, H, Sites
from tests.kernels.terrain import plain

REASON = {"begrunnelse": "Sett i felt."}


def by_hand(azimuth: float, z: float) -> float:
    """c_o at the crest of the ridge, for wind at an angle to it."""
    across = round(float(np.cos(np.radians(azimuth))), 9)
    front, back = (L_U, L_D) if across > 0 else (L_D, L_U)
    if across == 0:
        return 1.0
    l_u, l_d = front / abs(across), back / abs(across)
    return plain.c_o(H, l_u, l_d, 0, z, cliff=H / l_d < 0.05)


async def good(sites: Sites, **body: Any) -> dict[str, Any]:
    asked = await sites.ask(**body)
    assert asked.status == 200, asked.text
    return dict(asked.json)


async def test_categories_and_forms_are_those_of_a_hand_from_true_north(sites: Sites) -> None:
    answer = await good(sites)
    Terrain.model_validate(answer)
    of_sea = [one["sektor"] for one in answer["sektorer"] if one["kategori"] == "0"]
    assert of_sea == [1, 2, 3, 4, 70, 71, 72], "seven sectors within 15 degrees of a coast 1.8 km in the north"
    assert {one["kategori"] for one in answer["sektorer"]} == {"0", "III"}
    off = [abs(one["terrengform"]["c_o"] - by_hand(one["retning_deg"], 10)) for one in answer["sektorer"]]
    assert np.mean(np.array(off) < 0.03) >= 0.95
    highest = answer["resultat"]["c_o_maks_sektor"]
    assert answer["sektorer"][highest - 1]["terrengform"]["c_o"] == answer["resultat"]["c_o_maks"]
    assert answer["resultat"]["c_o_maks"] == max(one["terrengform"]["c_o"] for one in answer["sektorer"])


async def test_wind_is_told_with_v_b0_and_the_exposure_factor_always(sites: Sites) -> None:
    without, given = await good(sites), await good(sites, v_b0=26)
    assert {one["vind"]["q_p_pa"] for one in without["sektorer"]} == {None}
    for one, other in zip(given["sektorer"], without["sektorer"], strict=True):
        wind, q_b = one["vind"], 0.5 * 1.25 * 26**2
        assert wind["c_e"] == other["vind"]["c_e"] == pytest.approx(wind["q_p_pa"] / q_b, abs=2e-4)
    first = given["sektorer"][0]
    c_o = first["terrengform"]["c_o"]
    assert first["vind"]["q_p_pa"] == pytest.approx(plain.wind(0, 26, 10, c_o)[2], rel=1e-3)


async def test_c_s_is_told_when_wanted_and_changes_nothing_else(sites: Sites) -> None:
    without, wanted = await good(sites, v_b0=26), await good(sites, v_b0=26, ubekreftet=True)
    change = wanted["sektorer"][0].pop("ubekreftet")
    assert (change["fra"], change["til"], change["x_B_km"]) == ("0", "III", 1.8)
    assert change["c_S"] == pytest.approx(10 ** (-0.04 * 3 * np.log10(0.18)), abs=1e-4)
    for one in wanted["sektorer"]:
        one.pop("ubekreftet", None)
    assert wanted == without


async def test_one_override_changes_its_sector_and_the_result_alone(sites: Sites) -> None:
    before = await good(sites)
    forms = [{"sektor": 20, "form": "escarpment", "H_m": 80, "L_H_m": 50, "x_m": 0, **REASON}]
    after = await good(
        sites, overstyring={"sektorer": [{"sektor": 10, "kategori": "I", **REASON}], "terrengform": forms}
    )
    changed = [k + 1 for k in range(72) if before["sektorer"][k] != after["sektorer"][k]]
    assert changed == [10, 20]
    tenth, twentieth = after["sektorer"][9], after["sektorer"][19]
    assert (tenth["kategori"], tenth["kategori_beregnet"], tenth["kategori_begrunnelse"]) == (
        "I",
        "III",
        "Sett i felt.",
    )
    assert tenth["z0_m"] == 0.01
    assert twentieth["terrengform"]["c_o"] == pytest.approx(plain.c_o(80, 100, 1e9, 0, 10, cliff=True), abs=1e-4)
    assert twentieth["terrengform_beregnet"] == before["sektorer"][19]["terrengform"]
    assert after["resultat"]["c_o_maks"] == twentieth["terrengform"]["c_o"]
    assert after["resultat"]["c_o_maks_sektor"] == 20
    rest = {"sektorer", "resultat", "advarsler"}
    assert {k: v for k, v in before.items() if k not in rest} == {k: v for k, v in after.items() if k not in rest}


async def test_files_say_what_they_are(sites: Sites) -> None:
    pdf, html, geojson = [await sites.ask(f"?format={form}", v_b0=26) for form in ("pdf", "html", "geojson")]
    assert pdf.body.startswith(b"%PDF-")
    assert pdf.headers["Content-Disposition"] == "inline; filename=terrengkategori_65_12_z10_SIMULATED.pdf"
    assert pdf.headers["X-Data-Origin"] == "simulated"
    assert html.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert geojson.headers["Content-Type"] == "application/geo+json"


async def test_geojson_has_the_site_and_counterclockwise_sectors(sites: Sites) -> None:
    found = orjson.loads((await sites.ask("?format=geojson", v_b0=26)).body)
    answer = await good(sites, v_b0=26)
    assert [feature["id"] for feature in found["features"]] == list(range(73))
    for feature, sector in zip(found["features"][1:], answer["sektorer"], strict=True):
        ring = np.array(feature["geometry"]["coordinates"][0])
        assert (ring[0] == ring[-1]).all()
        assert np.sum(ring[:-1, 0] * ring[1:, 1] - ring[1:, 0] * ring[:-1, 1]) > 0
        assert feature["properties"]["c_o"] == sector["terrengform"]["c_o"]
        assert feature["properties"]["q_p_pa"] == sector["vind"]["q_p_pa"]
    middle = np.array(found["features"][1]["geometry"]["coordinates"][0])[1:-1].mean(axis=0)
    assert middle == pytest.approx([12.0, 65.0 + 10 / 111.5], abs=2e-3), "sector 1 is true north"


def category(**more: Any) -> dict[str, Any]:
    return {"overstyring": {"sektorer": [{"sektor": 7, "kategori": "II", **REASON} | more]}}


def form(**more: Any) -> dict[str, Any]:
    return {"overstyring": {"terrengform": [{"sektor": 7, **REASON} | more]}}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (category(sektor=73), "overstyring.sektorer[0].sektor"),
        (category(sektor=0), "overstyring.sektorer[0].sektor"),
        (category(sektor="7"), "overstyring.sektorer[0].sektor"),
        (category(kategori="V"), "overstyring.sektorer[0].kategori"),
        (category(begrunnelse=None), "overstyring.sektorer[0].begrunnelse"),
        (category(begrunnelse="   "), "overstyring.sektorer[0].begrunnelse"),
        ({"overstyring": {"sektorer": [{"sektor": 7, "kategori": "II"}]}}, "overstyring.sektorer[0].begrunnelse"),
        ({"overstyring": {"sektorer": 2 * category()["overstyring"]["sektorer"]}}, "overstyring.sektorer[1].sektor"),
        (form(form="ridge", H_m=30, L_d_m=90, x_m=0), "overstyring.terrengform[0].L_H_m"),
        (form(form="hill", H_m=30, L_H_m=40, x_m=0), "overstyring.terrengform[0].L_d_m"),
        (form(form="valley", H_m=30, x_m=0), "overstyring.terrengform[0].L_H_m"),
        (form(form="escarpment", H_m=30, L_H_m=1e-300, x_m=0), "overstyring.terrengform[0].L_H_m"),
        (form(H_m=30, L_H_m=40, x_m=0), "overstyring.terrengform[0].form"),
        (form(form="cone"), "overstyring.terrengform[0].form"),
        (form(c_o=0.9), "overstyring.terrengform[0].c_o"),
        (form(c_o=3), "overstyring.terrengform[0].c_o"),
        (form(c_0=1.2), "overstyring.terrengform[0].c_0"),
        (category(kategorii="II"), "overstyring.sektorer[0].kategorii"),
        ({"overstyring": {"sektor": []}}, "overstyring.sektor"),
        ({"bekreftelser": [1, 99]}, "bekreftelser[1]"),
        ({"bekreftelser": 4}, "bekreftelser"),
        ({"hoyde_m": 0}, "hoyde_m"),
        ({"hoyde_m": 201}, "hoyde_m"),
        ({"v_b0": 9}, "v_b0"),
        ({"lat": 56}, "lat"),
        ({"lat": None}, "lat"),
        ({"lon": 32.5}, "lon"),
        ({"lon": "12"}, "lon"),
        ({"kart": "ja"}, "kart"),
        ({"prosjekt": ""}, "prosjekt"),
    ],
)
async def test_a_refusal_names_the_field(sites: Sites, body: dict[str, Any], field: str) -> None:
    asked = await sites.ask(**body)
    assert (asked.status, asked.json["code"], asked.json["parameter"]) == (400, "INVALID_INPUT", field)


@pytest.mark.parametrize("body", [b"", b"lat=65&lon=12", b"[]", b'{"lat": 65, "lon": 12', b'{"lat": NaN, "lon": 12}'])
async def test_a_body_that_is_no_json_object_is_refused_with_an_example(sites: Sites, body: bytes) -> None:
    headers = {"Content-Type": "application/json", "X-Forwarded-For": f"192.0.2.{len(body)}"}
    refused = await sites.api.ask(PATH, "POST", data=body, headers=headers)
    assert (refused.status, refused.json["code"]) == (400, "INVALID_INPUT")
    assert refused.json["example"]["hoyde_m"] == 10


async def test_a_misspelt_field_is_told_and_a_format_that_there_is_none_of_is_refused(sites: Sites) -> None:
    answer = await good(sites, hoyde=12)
    assert any("hoyde" in warning for warning in answer["warnings"])
    refused: Asked = await sites.ask("?format=xml")
    assert (refused.status, refused.json["parameter"]) == (400, "format")


async def test_a_point_at_sea_is_refused_and_its_job_says_why(sites: Sites) -> None:
    sea = {"lat": 65.03, "lon": 12.0}
    refused = await sites.ask(**sea)
    assert (refused.status, refused.json["code"]) == (422, "NOT_ON_LAND")
    job = (await sites.ask(path=JOBS, **sea)).json["jobb_id"]
    failed = await sites.until(job, "failed")
    Queued.model_validate(failed)
    assert (failed["feil"]["status"], failed["feil"]["code"]) == (422, "NOT_ON_LAND")
    assert (await sites.job(job, "?format=pdf")).status == 422


async def test_the_answer_is_its_jobs_result(sites: Sites) -> None:
    asked = await sites.ask()
    assert (await sites.job(asked.headers["X-Terrain-Job-Id"])).json["resultat"] == asked.json


async def test_the_same_question_gives_the_same_bytes_also_when_it_is_made_anew(sites: Sites) -> None:
    question = {"v_b0": 24.5, "kart": True, "bekreftelser": [5], "prosjekt": "Felt B"}
    forms = ("json", "pdf", "html", "geojson")
    first = [await sites.ask(f"?format={form}", **question) for form in forms]
    sites.clock.moment += timedelta(days=1)
    again = [await sites.ask(f"?format={form}", **question) for form in forms]
    assert {one.status for one in first + again} == {200}
    assert first[0].headers["X-Terrain-Job-Id"] != again[0].headers["X-Terrain-Job-Id"]
    assert [one.body for one in first] == [one.body for one in again]
