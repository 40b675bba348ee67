"""The simulated municipalities: together the whole land, each nearest its own town; the clipping; their faults."""

import asyncio
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Transformer

from catalog.sources import http, kartverket
from catalog.sources.errors import SourceError
from dags.build.borders.raster import land_share, projected
from infra.simulator.borders_municipal import Ring, cut
from infra.simulator.heights.places import places
from tiles.grid import NORWAY3KM


def read(url: str) -> kartverket.Municipalities:
    return kartverket.municipalities(url, user_agent="test", deadline_s=10)


def area(ring: Ring) -> float:
    x, y = np.array(ring).T
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


async def test_our_source_reads_them(client: Any) -> None:
    began = time.monotonic()
    found = await asyncio.to_thread(read, str(client.make_url("/kartverket")))
    assert time.monotonic() - began < 5
    assert found.data_origin == "simulated"
    assert all("SIMULATED" in name for name in found.names)
    assert len(found.numbers) > 100
    assert found.names[found.numbers.index(301)] == "Oslo (SIMULATED)"
    assert min(number for number in found.numbers if number != 301) > 2400
    assert (await client.get("/kartverket/Kommuner-M.geojson")).headers["X-Data-Origin"] == "simulated"


@pytest.mark.slow
async def test_together_they_are_the_land_and_each_is_nearest_its_town(client: Any) -> None:
    url = str(client.make_url("/kartverket"))
    found = await asyncio.to_thread(read, url)
    counties = await asyncio.to_thread(kartverket.counties, url, user_agent="test", deadline_s=10)
    whole = land_share(projected(counties.polygons), NORWAY3KM)
    shares = np.array([land_share(projected(polygons), NORWAY3KM) for polygons in found.polygons])
    np.testing.assert_allclose(shares.sum(axis=0), whole, atol=0.1)

    east, north, _ = places()
    forward = Transformer.from_crs(4258, 25833, always_xy=True)
    rows, columns = np.nonzero(shares.max(axis=0) > 0.99)
    assert {number // 100 for number in found.numbers} == set(counties.numbers)
    names = []
    for row, column in zip(rows[::50].tolist(), columns[::50].tolist(), strict=True):
        lat, lon = NORWAY3KM.centre((row, column))
        x, y = forward.transform(lon, lat)
        nearest = int(np.argmin(np.hypot(east - x, north - y)))
        number = found.numbers[int(shares[:, row, column].argmax())]
        assert number == (301 if nearest == 0 else 2401 + nearest)
        names.append(number)
    assert len(set(names)) > 80, "not the same few"


@given(
    st.lists(st.floats(0.2, 1.0), min_size=5, max_size=40),
    st.floats(-0.9, 0.9),
    st.floats(0, 2 * np.pi),
)
def test_two_sides_of_a_line_are_the_whole(radii: list[float], off: float, angle: float) -> None:
    turn = 2 * np.pi * np.arange(len(radii)) / len(radii)
    star = [(float(x), float(y)) for x, y in np.column_stack([radii * np.cos(turn), radii * np.sin(turn)])]
    normal = (float(np.cos(angle)), float(np.sin(angle)))
    through = (off * normal[0], off * normal[1])
    one, other = cut(star, through, normal), cut(star, through, (-normal[0], -normal[1]))
    assert sum(map(area, [*one, *other])) == pytest.approx(area(star))
    assert all(area(ring) > -1e-12 for ring in [*one, *other]), "each part runs as the whole does"
    for side, rings in ((1, one), (-1, other)):
        for x, y in (point for ring in rings for point in ring):
            assert side * ((x - through[0]) * normal[0] + (y - through[1]) * normal[1]) > -1e-9


def test_a_comb_falls_into_its_teeth() -> None:
    comb = [(0.0, 0.0), (5.0, 0.0), (5.0, 2.0), (4.0, 2.0), (4.0, 1.0), (3.0, 1.0), (3.0, 2.0), (2.0, 2.0), (2.0, 1.0),
            (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]  # fmt: skip
    teeth = cut(comb, (0.0, 1.5), (0.0, 1.0))
    assert sorted(area(tooth) for tooth in teeth) == pytest.approx([0.5, 0.5, 0.5])
    (back,) = cut(comb, (0.0, 1.5), (0.0, -1.0))
    assert area(back) == pytest.approx(5 + 3 * 0.5)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "error", "status": 500}, "HTTP 500"),
        ({"mode": "notfound"}, "HTTP 404"),
        ({"mode": "empty"}, "no JSON"),
    ],
)
async def test_faults_are_one_sentence(
    client: Any, monkeypatch: pytest.MonkeyPatch, rule: dict[str, Any], sentence: str
) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    await client.post("/_misbehave", json={"path": "/kartverket/Kommuner*", **rule})
    with pytest.raises(SourceError, match=sentence):
        await asyncio.to_thread(read, str(client.make_url("/kartverket")))


async def test_on_request_latitude_and_longitude_are_swapped(client: Any) -> None:
    await client.post("/_misbehave", json={"path": "/kartverket/*", "mode": "wronggrid"})
    swapped = await asyncio.to_thread(read, str(client.make_url("/kartverket")))
    assert swapped.polygons[0][0][0][0, 0] > 57
