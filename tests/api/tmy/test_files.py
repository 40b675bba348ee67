"""Downloads: what is in them, how they are called, and what their headers say."""

import io
from itertools import pairwise

import numpy as np
import orjson
import pytest

from api.tmy.choice import PRODUCTS
from api.tmy.formats.registry import FORMATS
from tests.api.conftest import Api, Start
from tests.api.tmy.conftest import fetch, tmy
from tests.support.tmy import (
    METHOD,
    OSLO,
    OSLO_CELL,
    QUAY,
    SHARES,
    SOURCES,
    TROMSO,
    annual_of,
    hours_of,
)
from tiles.grid import NORWAY3KM, distance_km
from tiles.products.tmy import MADE_OF

SPEC_META = {
    "cell_id", "lat", "lon", "elevation_m", "product", "product_years", "selected_years", "confidence", "scale_factor",
    "annual_ghi_kwh_m2", "annual_dni_kwh_m2_tmy", "bias_correction_wm2", "n_stations_bias", "ensemble_weights",
    "time_convention", "sources", "method", "license", "license_version", "generator",
}  # fmt: skip


def test_the_products_are_those_that_are_declared() -> None:
    assert list(PRODUCTS) == list(MADE_OF)


async def test_json_has_the_hours_that_are_published(api: Api) -> None:
    file = await fetch(api, tmy(format="json"))
    assert (file.status, file.headers["Content-Type"]) == (200, "application/json")
    body = orjson.loads(file.body)
    for name, values in hours_of("ens_tmy30", OSLO_CELL).items():
        assert np.abs(np.array(body["hourly"][name]) - values).max() <= 0.056, name
    times = body["hourly"]["time"]
    assert (len(times), times[0], times[-1]) == (8760, "2001-01-01T00:00:00Z", "2001-12-31T23:00:00Z")
    meta = body["meta"]
    assert set(meta) >= SPEC_META
    assert (meta["product"], meta["product_years"], meta["confidence"]) == ("ens_tmy30", [1991, 2020], "tmy")
    assert meta["selected_years"] == list(range(1995, 2007))
    assert (meta["scale_factor"], meta["elevation_m"], meta["method"]) == (1, 123.4, METHOD)
    assert meta["annual_ghi_kwh_m2"] == pytest.approx(annual_of("ens_tmy30", OSLO_CELL), abs=0.02)
    assert meta["annual_dni_kwh_m2_tmy"] == pytest.approx(950)
    assert meta["bias_correction_wm2"] == pytest.approx(np.linspace(-3, 2.5, 12), abs=0.006)
    assert (meta["n_stations_bias"], meta["ensemble_weights"]) == (5, {"reanalysis": 0.4, "solarmodel": 0.6})
    assert (meta["sources"], meta["generator"], meta["data_origin"]) == (SOURCES, "made-up ens_tmy30", "simulated")
    assert (meta["license_version"], meta["license_expired"]) == ("tmy-v1-2026-09-30", False)
    assert (meta["lat"], meta["lon"]) == pytest.approx(NORWAY3KM.centre(OSLO_CELL), abs=1e-5)


async def test_north_of_the_satellite_the_ensemble_is_the_reanalysis(api: Api) -> None:
    body = orjson.loads((await fetch(api, tmy(TROMSO, format="json"))).body)
    assert body["meta"]["ensemble_weights"] == {"reanalysis": 1, "solarmodel": 0}


@pytest.mark.parametrize(
    ("product", "weights"),
    [
        ("reanalysis_tmy30", {"reanalysis": 1, "solarmodel": 0}),
        ("reanalysis_tmy18", {"reanalysis": 1, "solarmodel": 0}),
        ("solarmodel_tmy30", {"reanalysis": 0, "solarmodel": 1}),
    ],
)
async def test_a_product_of_one_model_is_neither_mixed_nor_corrected(
    api: Api, product: str, weights: dict[str, int]
) -> None:
    meta = orjson.loads((await fetch(api, tmy(format="json", product=product))).body)["meta"]
    assert (meta["bias_correction_wm2"], meta["n_stations_bias"]) == ([0.0] * 12, 0)
    assert meta["ensemble_weights"] == weights
    stats = (await api.ask(tmy(path="/api/tmy/stats"))).json
    assert stats["bias_correction"]["n_stations"] == 5


@pytest.mark.parametrize(
    ("asked", "product"),
    [
        ({}, "ens_tmy30"),
        ({"source": "reanalysis"}, "reanalysis_tmy30"),
        ({"source": "reanalysis", "period": "18"}, "reanalysis_tmy18"),
        ({"source": "solarmodel", "period": "30"}, "solarmodel_tmy30"),
        ({"product": "reanalysis_tmy18"}, "reanalysis_tmy18"),
        ({"product": "reanalysis_tmy18", "source": "reanalysis"}, "reanalysis_tmy18"),
    ],
)
async def test_source_and_period_choose_the_product(api: Api, asked: dict[str, str], product: str) -> None:
    file = await fetch(api, tmy(format="json", **asked))
    body = orjson.loads(file.body)
    assert file.headers["X-Tmy-Product"] == body["meta"]["product"] == product
    assert body["meta"]["product_years"] == list(MADE_OF[product][1:])
    published = hours_of(product, OSLO_CELL)["ghi"]
    assert np.abs(np.array(body["hourly"]["ghi"]) - published).max() <= 0.0501


@pytest.mark.parametrize("confidence", [name for name in SHARES if name != "tmy"])
async def test_confidence_scales_the_year_to_the_long_term_value(api: Api, confidence: str) -> None:
    body = orjson.loads((await fetch(api, tmy(format="json", confidence=confidence))).body)
    plain = orjson.loads((await fetch(api, tmy(format="json"))).body)
    meta, hourly = body["meta"], {name: np.array(of) for name, of in body["hourly"].items() if name != "time"}
    target = meta["annual_ghi_kwh_m2"][confidence]
    assert target == pytest.approx(annual_of("ens_tmy30", OSLO_CELL)[confidence], abs=0.02)
    assert hourly["ghi"].sum() / 1000 == pytest.approx(target, rel=2e-4)
    assert meta["scale_factor"] == pytest.approx(SHARES[confidence], rel=2e-4)
    assert np.abs(hourly["ghi"] - meta["scale_factor"] * np.array(plain["hourly"]["ghi"])).max() <= 0.1
    for name in ("temp_air", "rel_hum", "wind_speed", "mslp"):
        assert body["hourly"][name] == plain["hourly"][name]


async def test_a_beam_beyond_what_air_lets_through_becomes_diffuse(api: Api) -> None:
    plain, scaled = (
        {name: np.array(of) for name, of in body["hourly"].items() if name != "time"}
        for body in [orjson.loads((await fetch(api, tmy(format="json", confidence=c))).body) for c in ("tmy", "p50")]
    )
    factor = scaled["ghi"].sum() / plain["ghi"].sum()
    capped = scaled["dni"] < factor * plain["dni"] - 1
    assert capped.sum() > 5
    assert scaled["dni"].max() <= 0.9 * 1366.1 * 1.035 + 0.1
    assert (scaled["dhi"][capped] > factor * plain["dhi"][capped]).all()
    level = np.divide(plain["ghi"] - plain["dhi"], plain["dni"], out=np.zeros(8760), where=plain["dni"] > 50)
    assert np.abs(scaled["dni"] * level + scaled["dhi"] - scaled["ghi"])[capped].max() < 1


@pytest.mark.parametrize("value", list(FORMATS))
async def test_every_format_has_its_name_and_its_type(api: Api, value: str) -> None:
    declared = FORMATS[value]
    file = await fetch(api, tmy((59.912345, 10.75), format=value, confidence="p75"))
    assert file.status == 200
    name = f"service_tmy_59.9123_10.75_ens_tmy30_p75{declared.extension}"
    kind = "inline" if value == "json" else "attachment"
    assert file.headers["Content-Disposition"] == f"{kind}; filename={name}"
    assert file.headers["Content-Type"] == declared.media_type
    assert file.headers["Cache-Control"] == "public, max-age=86400"
    assert len(file.body) > 100_000


def test_the_formats_are_the_contract_s() -> None:
    extensions = {value: declared.extension for value, declared in FORMATS.items()}
    csv = ("csv", "tmy3", "tool_a", "tool_c", "tool_d", "tool_e", "tool_f", "custom", "measurement")
    assert extensions == {
        **dict.fromkeys(csv, ".csv"), **dict.fromkeys(("tool_b", "tool_g"), ".dat"),
        "json": ".json", "epw": ".epw", "tool_h": ".xml", "wbv": ".wbv",
    }  # fmt: skip


async def test_epw_is_the_default_and_names_of_tools_are_aliases(api: Api) -> None:
    plain = await fetch(api, tmy())
    assert plain.body.startswith(b"LOCATION,")
    assert plain.body == (await fetch(api, tmy(format="epw"))).body
    names = ("pvsyst", "pvsol", "pvgis", "sam", "solargis", "solaranywhere", "meteonorm")
    for name, value in zip(names, "abcdefg", strict=True):
        alias, own = [await fetch(api, tmy(format=one)) for one in (name, f"tool_{value}")]
        assert (alias.body, alias.headers["ETag"]) == (own.body, own.headers["ETag"])


async def test_local_time_is_of_json_and_csv(api: Api) -> None:
    assert (await fetch(api, tmy(tz="local"))).body == (await fetch(api, tmy())).body
    utc, local = [(await fetch(api, tmy(format="csv", tz=tz))).body.decode().splitlines() for tz in ("utc", "local")]
    assert utc[0] == local[0]
    assert [row.partition(",")[2] for row in utc] == [row.partition(",")[2] for row in local]
    assert (utc[1][:20], local[1][:19]) == ("2001-01-01T00:00:00Z", "2001-01-01T01:00:00")


async def test_csv_reads_as_a_table(api: Api) -> None:
    text = (await fetch(api, tmy(format="csv"))).body.decode()
    table = np.genfromtxt(io.StringIO(text), delimiter=",", names=True, dtype=None, encoding=None)
    assert len(table) == 8760


async def test_headers_name_the_cell(api: Api) -> None:
    file = await fetch(api, tmy())
    assert file.headers["X-Tmy-Cell"] == "N3-066-112"
    away = distance_km(*OSLO, *NORWAY3KM.centre(OSLO_CELL))
    assert float(file.headers["X-Tmy-Cell-Distance-Km"]) == pytest.approx(away, abs=0.001)
    assert file.headers["X-Data-Origin"] == "simulated"
    exposed = file.headers["Access-Control-Expose-Headers"]
    for name in ("X-Tmy-Cell", "X-Tmy-Cell-Distance-Km", "X-Tmy-Product", "X-Tmy-License", "Content-Disposition"):
        assert name in exposed.split(", ")


async def test_a_quay_finds_land(api: Api) -> None:
    """Its own cell is sea, the next one is land."""
    file = await fetch(api, tmy(QUAY))
    assert file.headers["X-Tmy-Cell"] == "N3-094-015"
    assert 1.5 < float(file.headers["X-Tmy-Cell-Distance-Km"]) < 6


async def test_what_the_caller_has_is_not_sent_again(api: Api) -> None:
    tags = []
    for more in ({}, {"format": "json"}, {"confidence": "p90"}, {"source": "reanalysis"}, {"tz": "local"}):
        file = await fetch(api, tmy(**more))
        tags.append(file.headers["ETag"])
        again = await fetch(api, tmy(**more), **{"If-None-Match": tags[-1]})
        assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tags[-1])
        assert again.headers["Cache-Control"] == "public, max-age=86400"
        assert again.headers["X-Tmy-Cell"] == "N3-066-112"
        assert (await fetch(api, tmy(**more), **{"If-None-Match": '"another"'})).body == file.body
    assert len(set(tags)) == len(tags)
    assert all(one != other for one, other in pairwise(tags))


async def test_head_has_the_length_and_no_body(api: Api) -> None:
    file = await fetch(api, tmy())
    head = await api.ask(tmy(), "HEAD")
    assert (head.status, head.text) == (200, "")
    assert head.headers["Content-Length"] == str(len(file.body))


async def test_requests_count_by_address_and_failures_do_not(start: Start, climate: object) -> None:
    api = await start(store_folder=climate, access="keys")
    first = await fetch(api, tmy())
    assert (first.headers["X-Quota-Limit"], first.headers["X-Quota-Remaining"]) == ("2000", "1999")
    refused = await fetch(api, tmy((63.43, 10.39)))
    assert (refused.status, refused.headers["X-Quota-Remaining"]) == (503, "1999")
    for path, left in (("/api/tmy/stats", "1998"), ("/api/tmy/sources", "1997")):
        assert (await fetch(api, tmy(path=path))).headers["X-Quota-Remaining"] == left
