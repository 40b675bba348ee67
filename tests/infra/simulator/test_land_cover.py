"""The simulated land cover: what our own sources read by WFS and WMS, how it fits the simulated land, and faults."""

import asyncio
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.sources import corine
from catalog.sources.errors import SourceError
from catalog.sources.land_cover import BUILT_UP, FARMLAND, FOREST, ICE, LAKE, MIRE, OPEN, SEA, UNKNOWN, Cover
from catalog.sources.nibio import ar5, ar50
from infra.simulator.heights import ground, surface
from infra.simulator.landcover.codes import codes

# By the fjord of Trondheim: everything but ice within 4 km.
COAST = (314_000, 7_070_000)
GLACIERS = (148_000, 6_850_000)
OSLO = (262_000, 6_649_000)
LAKES = (316_500, 7_070_000)
SIZE, CELL = 4000, 10
WFS = (
    "/ar50?SERVICE=WFS&VERSION=2.0.0&REQUEST=GetFeature&TYPENAMES=ms:AR50&SRSNAME=EPSG:25833"
    "&BBOX=314000,7070000,315000,7071000,EPSG:25833"
)
AR5_MAP = (
    "/ar5?SERVICE=WMS&VERSION=1.1.1&REQUEST=GetMap&LAYERS=Arealtype&SRS=EPSG:25833"
    "&BBOX=314000,7070000,315000,7071000&WIDTH=500&HEIGHT=500&FORMAT=image/png"
)


async def window(client: Any, source: ModuleType, place: tuple[int, int] = COAST, size: int = SIZE) -> Cover:
    """Return what a source of ours reads of the simulator."""
    (west, south), url = place, str(client.make_url(f"/{source.NAME}"))
    box = (west, south, west + size, south + size)
    found: Cover = await asyncio.to_thread(source.window, url, box, CELL, user_agent="test", seconds=20)
    return found


async def misbehave(client: Any, source: ModuleType, **rule: Any) -> None:
    answer = await client.post("/_misbehave", json={"path": f"/{source.NAME}*", **rule})
    assert answer.status == 200, await answer.text()


def truth(place: tuple[int, int], cell: int, size: int = SIZE) -> NDArray[np.uint8]:
    """Return the land cover of cells of 10 m, alike within coarser ones."""
    x, y = (start + cell * (np.arange(size // cell) + 0.5) for start in place)
    return np.kron(codes(x, y), np.ones((cell // CELL, cell // CELL), np.uint8))


@pytest.mark.parametrize("place", [COAST, GLACIERS])
@pytest.mark.parametrize(("source", "cell"), [(ar50, 50), (corine, 100)])
async def test_our_sources_read_it(client: Any, source: ModuleType, cell: int, place: tuple[int, int]) -> None:
    found, there = await window(client, source, place), truth(place, cell)
    known = found.codes != UNKNOWN
    np.testing.assert_array_equal(found.codes[known], there[known])
    assert known.mean() == 1
    assert (found.codes.dtype, found.data_origin) == (np.uint8, "simulated")
    assert (found.input["url"], len(str(found.input["sha256"]))) == (str(client.make_url(f"/{source.NAME}")), 64)
    assert {BUILT_UP, FARMLAND, FOREST, SEA} <= set(np.unique(there)) or ICE in there
    assert {OPEN, MIRE, LAKE} <= set(np.unique(there))


async def test_ar5_is_read_at_the_cells_centres_though_it_is_drawn_finer_only(client: Any) -> None:
    found = await window(client, ar5, size=2000)
    known = found.codes != UNKNOWN
    np.testing.assert_array_equal(found.codes[known], truth(COAST, CELL, 2000)[known])
    assert known.mean() > 0.99
    coarse = await (await client.get(AR5_MAP.replace("=500", "=100"))).read()
    fine = await (await client.get(AR5_MAP)).read()
    assert len(coarse) < 500 < len(fine)


async def test_an_answer_in_degrees_is_put_where_it_belongs(client: Any) -> None:
    good = await window(client, ar50)
    await misbehave(client, ar50, mode="lonlat")
    found = await window(client, ar50)
    assert found.input["sha256"] != good.input["sha256"]
    np.testing.assert_array_equal(found.codes, good.codes)


async def test_answers_that_are_cut_are_put_together_from_quarters(client: Any) -> None:
    good = await window(client, ar50)
    await misbehave(client, ar50, mode="cut")
    cut = await (await client.get(WFS.replace("315000,7071000", "324000,7080000"))).text()
    assert 'numberReturned="10"' in cut
    assert cut.count("<ms:AR50") == 10
    np.testing.assert_array_equal((await window(client, ar50)).codes, good.codes)


@pytest.mark.parametrize("source", [ar50, ar5, corine])
async def test_a_missing_sheet_is_unknown_and_the_rest_as_it_was(client: Any, source: ModuleType) -> None:
    good = (await window(client, source, size=2000)).codes
    await misbehave(client, source, mode="holes")
    found = (await window(client, source, size=2000)).codes
    assert (found[:100, :100] == UNKNOWN).all()
    known = found != UNKNOWN
    np.testing.assert_array_equal(found[known], good[known])
    assert known.mean() > 0.7


@pytest.mark.parametrize(
    ("source", "rule", "sentence"),
    [
        (ar50, {"mode": "exception"}, "answered no features: Internal error"),
        (ar5, {"mode": "exception"}, "answered no picture: .*Image handling error"),
        (corine, {"mode": "exception"}, "answered no picture: "),
        (ar50, {"mode": "truncate", "how": "file"}, "answered XML that cannot be read"),
        (ar50, {"mode": "truncate"}, ""),
        (ar5, {"mode": "truncate", "how": "file"}, "answered a picture that is cut short"),
        (ar50, {"mode": "garbage"}, "answered XML that cannot be read"),
        (ar5, {"mode": "garbage"}, "answered no picture"),
        (ar50, {"mode": "empty"}, "answered XML that cannot be read"),
        (ar5, {"mode": "empty"}, "answered no picture: without a text"),
        (corine, {"mode": "error", "status": 503}, "503"),
    ],
)
async def test_faults_are_one_sentence(client: Any, source: ModuleType, rule: dict[str, Any], sentence: str) -> None:
    await misbehave(client, source, **rule)
    with pytest.raises(SourceError, match=f"^{source.NAME}: .*{sentence}") as failed:
        await window(client, source, size=1000)
    assert "BBOX" not in str(failed.value)


@pytest.mark.parametrize(
    ("asked", "other", "said"),
    [
        ("VERSION=2.0.0", "VERSION=1.0.0", "VERSION"),
        ("ms:AR50", "AR5", "TYPENAMES"),
        ("315000,7071000", "515000,7071000", "BBOX"),
        ("&BBOX=314000", "&BBOX=x", "BBOX"),
    ],
)
async def test_what_the_services_do_not_do_they_say_with_status_200(
    client: Any, asked: str, other: str, said: str
) -> None:
    answer = await client.get(WFS.replace(asked, other))
    assert answer.status == 200
    assert said in (await answer.text()).partition("ExceptionText")[2]
    maps = await client.get(AR5_MAP.replace("SRS=EPSG:25833", "SRS=EPSG:4326"))
    assert (maps.status, "ServiceException" in await maps.text()) == (200, True)


def test_any_window_shows_the_same_land_cover() -> None:
    x, y = (start + 10 * (np.arange(200) + 0.5) for start in COAST)
    np.testing.assert_array_equal(codes(x, y)[40:90, 120:180], codes(x[120:180], y[40:90]))


@pytest.mark.parametrize("place", [COAST, OSLO, LAKES])
def test_land_cover_is_in_keeping_with_houses_trees_and_sea(place: tuple[int, int]) -> None:
    x, y = (start + 2 * (np.arange(500) + 0.5) for start in place)
    z, cover = ground.heights(x, y, 2), codes(x, y)
    stands = surface.heights(x, y, 2) - z > 2.5
    share = {code: stands[cover == code].mean() for code in np.unique(cover) if (cover == code).sum() > 10_000}
    assert (z[cover == SEA] < 1).all()
    assert not stands[(cover == LAKE) | (cover == SEA)].any()
    assert share.get(MIRE, 0) < 1e-3
    assert place != LAKES or {LAKE, MIRE, FOREST} <= set(share)
    assert share.get(BUILT_UP, 1) > 0.1
    assert share.get(FOREST, 1) > 0.2
    assert share.get(OPEN, 0) < 0.1


@pytest.mark.parametrize("place", [COAST, GLACIERS])
def test_sea_is_where_the_ground_is_nought_ice_lies_high_and_no_wood_grows_above_the_tree_line(
    place: tuple[int, int],
) -> None:
    x, y = (start + 10 * (np.arange(SIZE // 10) + 0.5) for start in place)
    z, cover = ground.heights(x, y, 10), codes(x, y)
    np.testing.assert_array_equal(cover == SEA, z == 0)
    assert not (cover == UNKNOWN).any()
    line = np.interp(place[1], (6_700_000, 7_850_000), (1050, 300))  # as the README has it
    assert z[cover == FOREST].max(initial=0) < line + 5
    assert (cover[(z > 1700) & (cover != LAKE)] == ICE).all()
    assert z[cover == ICE].min(initial=9000) > 1700
    assert z[cover == FARMLAND].max(initial=0) < 250


def test_far_out_at_sea_and_far_abroad_nothing_is_known() -> None:
    for west, south in ((-200_000, 7_300_000), (1_000_000, 7_000_000)):
        x, y = (start + 50 * (np.arange(20) + 0.5) for start in (west, south))
        assert (codes(x, y) == UNKNOWN).all()


async def test_faults_of_one_service_leave_the_others_as_they_are(client: Any) -> None:
    """`/ar5` is how `/ar50` begins too."""
    good = {source: (await window(client, source, size=1000)).codes for source in (ar50, corine)}
    answer = await client.post("/_misbehave", json={"path": "/ar5", "mode": "exception"})
    assert answer.status == 200
    with pytest.raises(SourceError, match=r"^ar5: "):
        await window(client, ar5, size=1000)
    for source, codes_of_it in good.items():
        np.testing.assert_array_equal((await window(client, source, size=1000)).codes, codes_of_it)
