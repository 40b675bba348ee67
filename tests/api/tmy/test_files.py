"""Downloads: what is in them, how they are called, and what their headers say."""

import io

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from api.tmy.formats.registry import FORMATS
from tests.api.conftest import Api, Start
from tests.api.tmy.conftest import tmy
from tests.support.tmy import METHOD, OSLO, OSLO_CELL, QUAY, SHARES, SOURCES, TROMSO, annual_of, hours_of
from tiles.grid import NORWAY3KM, distance_km
from tiles.products.tmy import MADE_OF

INSTANTS = ("temp_air", "rel_hum", "wind_speed", "mslp")


async def json_of(api: Api, place: tuple[float, float] = OSLO, **more: str) -> dict[str, dict[str, object]]:
    """Ask for a year as JSON."""
    body: dict[str, dict[str, object]] = orjson.loads((await api.ask(tmy(place, format="json", **more))).body)
    return body


async def hourly_of(api: Api, **more: str) -> dict[str, np.ndarray]:
    """The numbers of a year."""
    return {name: np.array(of) for name, of in (await json_of(api, **more))["hourly"].items() if name != "time"}


async def test_json_has_the_published_hours_and_their_origin(api: Api) -> None:
    body = await json_of(api)
    for name, values in hours_of("ens_tmy30", OSLO_CELL).items():
        assert np.abs(np.array(body["hourly"][name]) - values).max() <= 0.056, name
    assert body["units"] == {
        **dict.fromkeys(("ghi", "dni", "dhi"), "W/m2"),
        "temp_air": "degC",
        "rel_hum": "%",
        "wind_speed": "m/s",
        "mslp": "hPa",
    }
    lat, lon = NORWAY3KM.centre(OSLO_CELL)
    assert body["meta"] == {
        "cell_id": "N3-066-112",
        "lat": pytest.approx(lat, abs=1e-5),
        "lon": pytest.approx(lon, abs=1e-5),
        "elevation_m": 123.4,
        "product": "ens_tmy30",
        "product_years": [1991, 2020],
        "selected_years": list(range(1995, 2007)),
        "confidence": "tmy",
        "scale_factor": 1,
        "annual_ghi_kwh_m2": pytest.approx(annual_of("ens_tmy30", OSLO_CELL), abs=0.02),
        "annual_dni_kwh_m2_tmy": pytest.approx(950),
        "bias_correction_wm2": pytest.approx(np.linspace(-3, 2.5, 12), abs=0.006),
        "n_stations_bias": 5,
        "ensemble_weights": {"reanalysis": 0.4, "solarmodel": 0.6},
        "time_convention": body["meta"]["time_convention"],
        "sources": SOURCES,
        "method": METHOD,
        **dict.fromkeys(("license", "license_version", "license_last_day", "license_expired")),
        "generator": "made-up ens_tmy30",
        "data_origin": "simulated",
    }


async def test_north_of_the_satellite_the_ensemble_is_the_reanalysis(api: Api) -> None:
    assert (await json_of(api, TROMSO))["meta"]["ensemble_weights"] == {"reanalysis": 1, "solarmodel": 0}


@pytest.mark.parametrize("product", ["reanalysis_tmy30", "reanalysis_tmy18", "solarmodel_tmy30"])
async def test_a_product_of_one_model_is_neither_mixed_nor_corrected(api: Api, product: str) -> None:
    meta = (await json_of(api, product=product))["meta"]
    assert (meta["bias_correction_wm2"], meta["n_stations_bias"]) == ([0.0] * 12, 0)
    of_reanalysis = float(product.startswith("reanalysis"))
    assert meta["ensemble_weights"] == {"reanalysis": of_reanalysis, "solarmodel": 1 - of_reanalysis}


@pytest.mark.parametrize(
    ("asked", "product"),
    [
        ({}, "ens_tmy30"),
        ({"source": "reanalysis"}, "reanalysis_tmy30"),
        ({"source": "reanalysis", "period": "18"}, "reanalysis_tmy18"),
        ({"source": "solarmodel", "period": "30"}, "solarmodel_tmy30"),
        ({"product": "reanalysis_tmy18", "source": "reanalysis"}, "reanalysis_tmy18"),
    ],
)
async def test_source_and_period_choose_the_product(api: Api, asked: dict[str, str], product: str) -> None:
    file = await api.ask(tmy(format="json", **asked))
    body = orjson.loads(file.body)
    assert file.headers["X-Tmy-Product"] == body["meta"]["product"] == product
    assert body["meta"]["product_years"] == list(MADE_OF[product][1:])
    assert np.abs(np.array(body["hourly"]["ghi"]) - hours_of(product, OSLO_CELL)["ghi"]).max() <= 0.0501


@pytest.mark.parametrize("confidence", [name for name in SHARES if name != "tmy"])
async def test_confidence_scales_the_year_to_the_long_term_value(api: Api, confidence: str) -> None:
    meta = (await json_of(api, confidence=confidence))["meta"]
    scaled, plain = await hourly_of(api, confidence=confidence), await hourly_of(api)
    target = annual_of("ens_tmy30", OSLO_CELL)[confidence]
    assert scaled["ghi"].sum() / 1000 == pytest.approx(target, rel=2e-4)
    assert meta["scale_factor"] == pytest.approx(SHARES[confidence], rel=2e-4)
    assert np.abs(scaled["ghi"] - meta["scale_factor"] * plain["ghi"]).max() <= 0.1
    for name in INSTANTS:
        np.testing.assert_array_equal(scaled[name], plain[name])


async def test_a_beam_beyond_what_air_lets_through_becomes_diffuse(api: Api) -> None:
    plain, scaled = await hourly_of(api), await hourly_of(api, confidence="p50")
    factor = scaled["ghi"].sum() / plain["ghi"].sum()
    capped = scaled["dni"] < factor * plain["dni"] - 1
    assert capped.sum() > 5
    assert scaled["dni"].max() <= 0.9 * 1366.1 * 1.035 + 0.1
    assert (scaled["dhi"][capped] > factor * plain["dhi"][capped]).all()
    sine = np.divide(plain["ghi"] - plain["dhi"], plain["dni"], out=np.zeros(8760), where=plain["dni"] > 50)
    assert np.abs(scaled["dni"] * sine + scaled["dhi"] - scaled["ghi"])[capped].max() < 1


@pytest.mark.parametrize("value", list(FORMATS))
async def test_every_format_has_its_name_and_its_type(api: Api, value: str) -> None:
    declared = FORMATS[value]
    file = await api.ask(tmy((59.912345, 10.75), format=value, confidence="p75"))
    assert file.status == 200
    of_tool = {"tmy3": "_tmy3", "tool_a": "_pvsyst", "tool_g": "_meteonorm"}
    if value in ("json", "csv", "epw", "wbv", *of_tool):
        name = f"service_tmy_59.9123_10.75_ens_tmy30_p75{of_tool.get(value, '')}{declared.extension}"
        kind = "inline" if value == "json" else "attachment"
        assert file.headers["Content-Disposition"] == f"{kind}; filename={name}"
    assert file.headers["Content-Type"] == declared.media_type
    assert file.headers["Cache-Control"] == "public, max-age=86400"
    assert len(file.body) > 50_000


async def test_files_that_differ_are_called_differently(api: Api) -> None:
    names = {(await api.ask(tmy(format=value))).headers["Content-Disposition"] for value in FORMATS}
    assert len(names) == len(FORMATS)


async def test_epw_is_the_default_and_names_of_tools_are_aliases(api: Api) -> None:
    assert (await api.ask(tmy())).body.startswith(b"LOCATION,")
    alias, own = [await api.ask(tmy(format=one)) for one in ("pvsyst", "tool_a")]
    assert (alias.body, alias.headers["ETag"]) == (own.body, own.headers["ETag"])


async def test_local_time_is_one_calendar_year_from_its_first_local_hour(api: Api) -> None:
    """The hour 00:00-01:00 of 1 January in UTC+1 is the year's last in UTC, which the year runs round to."""
    assert (await api.ask(tmy(tz="local"))).body == (await api.ask(tmy())).body
    utc, local = (await json_of(api))["hourly"], (await json_of(api, tz="local"))["hourly"]
    assert (local["time"][0], local["time"][-1]) == ("2001-01-01T00:00:00+01:00", "2001-12-31T23:00:00+01:00")
    for name in ("ghi", *INSTANTS):
        assert local[name] == [utc[name][-1], *utc[name][:-1]]
    csv = await api.ask(tmy(format="csv", tz="local"))
    assert csv.body.decode().splitlines()[1].split(",")[:2] == [local["time"][0], str(local["ghi"][0])]
    assert csv.headers["Content-Disposition"].endswith("_tmy_local.csv")


async def test_parquet_and_arrow_are_the_table_of_csv_with_its_origin(api: Api) -> None:
    rows = (await api.ask(tmy(format="csv"))).body.decode()
    csv = np.genfromtxt(io.StringIO(rows), delimiter=",", names=True, dtype=None, encoding=None)
    parquet = pq.read_table(pa.BufferReader((await api.ask(tmy(format="parquet"))).body))
    arrow = pa.ipc.open_file((await api.ask(tmy(format="arrow"))).body).read_all()
    for table in (parquet, arrow):
        assert tuple(table.column_names) == csv.dtype.names
        assert str(table["time"][0].as_py()) == "2001-01-01 00:00:00+00:00"
        for name in table.column_names[1:]:
            np.testing.assert_allclose(table[name].to_numpy(), csv[name], rtol=0, atol=0.0501)
        assert table.schema.metadata[b"data_origin"] == b"simulated"
        assert orjson.loads(table.schema.metadata[b"sources"]) == SOURCES


@pytest.mark.parametrize("path", ["/api/tmy", "/api/tmy/stats", "/api/tmy/sources"])
@pytest.mark.parametrize(
    ("place", "cell"),
    [(OSLO, OSLO_CELL), pytest.param(QUAY, (94, 15), id="a quay whose own cell is sea")],
)
async def test_headers_name_the_cell_of_land(
    api: Api, path: str, place: tuple[float, float], cell: tuple[int, int]
) -> None:
    headers = (await api.ask(tmy(place, path))).headers
    assert (headers["X-Tmy-Cell"], headers["X-Data-Origin"]) == ("N3-{:03d}-{:03d}".format(*cell), "simulated")
    away = distance_km(*place, *NORWAY3KM.centre(cell))
    assert float(headers["X-Tmy-Cell-Distance-Km"]) == pytest.approx(away, abs=0.001)


async def test_what_the_caller_has_is_not_sent_again(api: Api) -> None:
    asked: tuple[dict[str, str], ...] = ({}, {"format": "json"}, {"confidence": "p90"}, {"source": "reanalysis"})
    tags = {(await api.ask(tmy(**more))).headers["ETag"] for more in asked}
    assert len(tags) == len(asked)
    again = await api.ask(tmy(), headers={"If-None-Match": (await api.ask(tmy())).headers["ETag"]})
    assert (again.status, again.body, again.headers["X-Tmy-Cell"]) == (304, b"", "N3-066-112")


async def test_requests_count_by_address_and_failures_do_not(start: Start, climate: object) -> None:
    api = await start(store_folder=climate, access="keys")
    first = await api.ask(tmy())
    assert (first.headers["X-Quota-Limit"], first.headers["X-Quota-Remaining"]) == ("2000", "1999")
    refused = await api.ask(tmy((63.43, 10.39)))
    assert (refused.status, refused.headers["X-Quota-Remaining"]) == (503, "1999")
    for path, left in (("/api/tmy/stats", "1998"), ("/api/tmy/sources", "1997")):
        assert (await api.ask(tmy(path=path))).headers["X-Quota-Remaining"] == left


async def test_unknown_parameters_are_told_in_a_header_of_files(api: Api) -> None:
    told = (await api.ask(tmy(clouds="1", tz="local"))).headers["X-Warning"]
    assert told == "Unknown parameters were ignored: clouds. Ignored with format=epw: tz."
