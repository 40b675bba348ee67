"""Every row of the contract's errors, and what is damaged or half there."""

import shutil
from pathlib import Path

import pytest

from tests.api.conftest import Api, Asked, Start
from tests.api.tmy.conftest import tmy
from tests.support.tmy import NO_HOURS, NO_MEAN, NOT_BUILT, NOT_IN_BLOCK, OPEN_SEA, OSLO, TROMSO, publish_land
from tiles.grid import NORWAY3KM
from tiles.products.tmy_stats import ANNUAL
from tiles.store import open_store

PATHS = ("/api/tmy", "/api/tmy/stats", "/api/tmy/sources")


def assert_refused(asked: Asked, status: int, *words: str) -> None:
    """Hold a refusal to its status and to words of its text."""
    assert asked.status == status, asked.text
    assert list(asked.json) == ["error"]
    assert all(word in asked.json["error"] for word in words), asked.json
    assert asked.headers["Cache-Control"] == "no-store"
    assert ("Retry-After" in asked.headers) == (status == 503)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("query", "word"),
    [("", "lat"), ("?lat=59.9", "lon"), ("?lat=x&lon=10", "lat"), ("?lat=59.9&lon=nan", "lon"), ("?lat=&lon=1", "lat")],
)
async def test_lat_and_lon_must_be_numbers(api: Api, path: str, query: str, word: str) -> None:
    assert_refused(await api.ask(path + query), 400, "Oppgi lat og lon som tall", f"Parameteren {word}")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", [(56.99, 10.0), (71.51, 25.0), (60.0, 3.99), (70.0, 31.51), ("inf", 10.0)])
async def test_outside_the_coverage(api: Api, path: str, place: tuple[float, float]) -> None:
    assert_refused(await api.ask(tmy(place, path)), 400, "57 til 71.5", "4 til 31.5")


@pytest.mark.parametrize("place", [(57.0, 4.0), (71.5, 31.5)])
async def test_the_limits_belong_to_the_coverage(api: Api, place: tuple[float, float]) -> None:
    assert_refused(await api.ask(tmy(place)), 404, "6 km")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (
            "format",
            "xlsx",
            ("json", "csv", "epw", "tmy3", "tool_a", "tool_h", "pvsyst", "custom", "wbv", "measurement"),
        ),
        ("confidence", "p99", ANNUAL),
        ("source", "era5", ("ensemble", "reanalysis", "solarmodel")),
        ("period", "20", ("30", "18")),
        ("product", "tmy30", ("ens_tmy30", "reanalysis_tmy30", "reanalysis_tmy18", "solarmodel_tmy30")),
        ("tz", "cet", ("utc", "local")),
    ],
)
async def test_a_value_that_is_none_names_those_that_are(
    api: Api, name: str, value: str, words: tuple[str, ...]
) -> None:
    assert_refused(await api.ask(tmy(**{name: value})), 400, f"Parameteren {name}", *words)


@pytest.mark.parametrize("source", ["", "ensemble", "solarmodel"])
async def test_18_years_are_of_the_reanalysis_only(api: Api, source: str) -> None:
    given = {"source": source} if source else {}
    assert_refused(await api.ask(tmy(period="18", **given)), 400, "period=18", "source=reanalysis, period=18")


@pytest.mark.parametrize(
    ("product", "name", "value"),
    [("ens_tmy30", "source", "reanalysis"), ("ens_tmy30", "period", "18"), ("reanalysis_tmy18", "period", "30")],
)
async def test_a_product_beside_what_it_is_not_of(api: Api, product: str, name: str, value: str) -> None:
    assert_refused(await api.ask(tmy(product=product, **{name: value})), 400, f"product={product}", f"{name}={value}")


@pytest.mark.parametrize("path", PATHS)
async def test_no_land_is_near(api: Api, path: str) -> None:
    assert_refused(await api.ask(tmy(OPEN_SEA, path)), 404, "6 km")


async def test_north_of_the_satellite_there_is_no_solar_model(api: Api) -> None:
    assert_refused(await api.ask(tmy(TROMSO, source="solarmodel")), 404, "solarmodel_tmy30", "ens_tmy30")
    assert (await api.ask(tmy(TROMSO))).status == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", [NOT_BUILT, NORWAY3KM.centre(NOT_IN_BLOCK)])
async def test_land_that_is_not_built(api: Api, path: str, place: tuple[float, float]) -> None:
    asked = await api.ask(tmy(place, path))
    assert_refused(asked, 503, "TMY-data er ikke tilgjengelige", "ikke bygd")
    assert int(asked.headers["Retry-After"]) >= 60


async def test_statistics_without_the_hours(api: Api) -> None:
    place = NORWAY3KM.centre(NO_HOURS)
    assert_refused(await api.ask(tmy(place)), 503, "«ens_tmy30» er ikke bygd")
    assert (await api.ask(tmy(place, "/api/tmy/stats"))).status == 200


async def test_no_long_term_mean(api: Api) -> None:
    place = NORWAY3KM.centre(NO_MEAN)
    assert_refused(await api.ask(tmy(place, confidence="mean")), 503, "mean", "ens_tmy30")
    assert (await api.ask(tmy(place, confidence="p90"))).status == 200
    stats = (await api.ask(tmy(place, "/api/tmy/stats"))).json
    assert stats["products"]["ens_tmy30"]["annual_ghi_kwh_m2"]["mean"] is None
    asked = await api.ask(tmy(place, format="json"))
    assert asked.json["meta"]["annual_ghi_kwh_m2"]["mean"] is None


@pytest.mark.parametrize("missing", ["land", "tmy_stats", "ens_tmy30"])
async def test_what_is_not_published_is_named(start: Start, own_climate: Path, missing: str) -> None:
    shutil.rmtree(own_climate / missing)
    api = await start(store_folder=own_climate)
    assert_refused(await api.ask(tmy()), 503, f"«{missing}» er ikke publisert")
    assert (await api.ask(tmy(product="reanalysis_tmy18"))).status == (200 if missing == "ens_tmy30" else 503)


async def test_nothing_is_published_and_then_it_is(start: Start, own_climate: Path) -> None:
    land = shutil.move(own_climate / "land", own_climate / "kept")
    api = await start(store_folder=own_climate)
    assert_refused(await api.ask(tmy()), 503, "land")
    shutil.rmtree(land)
    publish_land(open_store(str(own_climate)))
    assert (await api.until(tmy(), lambda asked: asked.status == 200)).status == 200


def _damage(store: Path, product: str, variable: str) -> None:
    for shard in store.glob(f"{product}/*/*.zarr/{variable}/c/**/*"):
        if shard.is_file():
            data = bytearray(shard.read_bytes())
            data[: len(data) // 2] = bytes(len(data) // 2)
            shard.write_bytes(data)


@pytest.mark.parametrize(
    ("product", "variable", "harmed"),
    [("ens_tmy30", "dhi", ("/api/tmy",)), ("tmy_stats", "annual_ghi_p95", PATHS)],
)
async def test_what_is_damaged_is_never_an_answer(
    start: Start,
    own_climate: Path,
    product: str,
    variable: str,
    harmed: tuple[str, ...],
    caplog: pytest.LogCaptureFixture,
) -> None:
    _damage(own_climate, product, variable)
    api = await start(store_folder=own_climate)
    for path in PATHS:
        asked = await api.ask(tmy(OSLO, path))
        if path in harmed:
            assert_refused(asked, 503, "skadet")
            assert f"damaged {product}/" in caplog.text
        else:
            assert asked.status == 200


async def test_a_version_that_does_not_say_what_it_is_made_of_is_not_served(
    start: Start, own_climate: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for manifest in own_climate.glob("ens_tmy30/*/*.manifest.json"):
        manifest.write_text(manifest.read_text().replace('"method"', '"way"'))
    api = await start(store_folder=own_climate)
    assert_refused(await api.ask(tmy()), 503, "ens_tmy30")
    assert "lacks method: build it anew" in caplog.text
