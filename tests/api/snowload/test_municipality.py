"""In which municipality a site lies: real towns of known number, borders, coasts, the sea, abroad; made-up squares."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyproj import Transformer

from api.snowload.municipality import Located, Municipalities, Municipality, open_municipalities
from dags.build.borders import municipality_borders
from kernels.polygons import Rings
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.products.municipality_borders import PRODUCT
from tiles.store import open_store

TO_UTM = Transformer.from_crs(4258, 25833, always_xy=True)
# Numbers of 2024.
TOWNS = """
59.913 10.752 0301 Oslo|Oslo
60.392  5.324 4601 Bergen|Vestland
63.430 10.395 5001 Trondheim - Tråante|Trøndelag
69.649 18.955 5501 Tromsø|Troms
67.280 14.405 1804 Bodø|Nordland
58.146  7.996 4204 Kristiansand|Agder
69.727 30.045 5605 Sør-Varanger|Finnmark
62.472  6.155 1508 Ålesund|Møre og Romsdal
70.370 31.106 5634 Vardø|Finnmark
59.161  9.272 4018 Nome|Telemark
63.347 10.862 5031 Malvik|Trøndelag
"""
"""The last two in enclaves: within Skien and within Stjørdal."""


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Municipalities:
    """The real municipalities."""
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    context = context_of(
        store, Clock.parse("2026-11-23T10:00:00Z!"), addresses={"kartverket": str(shared_data / "borders")}
    )
    entry = municipality_borders.build(context)
    return open_municipalities(entry, ChunkedTile(store, PRODUCT, entry.manifest))


def at(lat: float, lon: float, of: Municipalities) -> Located | None:
    return of.at(*TO_UTM.transform(lon, lat))


@pytest.mark.parametrize("line", TOWNS.strip().splitlines())
def test_towns_are_found_by_their_number(real: Municipalities, line: str) -> None:
    lat, lon, number, name = line.split(maxsplit=3)
    found = at(float(lat), float(lon), real)
    assert found is not None
    assert found[:5] == (int(number), *name.split("|"), "inside", 0)


@pytest.mark.parametrize(
    ("lat", "lon", "number", "away"),
    [(59.9065, 10.7300, 301, (100, 400)), (67.2860, 14.3700, 1804, (100, 500)), (61.1300, 6.0000, 4638, (300, 700))],
)  # the quay of Aker brygge, a mole at Bodø, out on the Sognefjord
def test_beside_the_land_it_is_the_nearest_and_farther_out_or_abroad_none(
    real: Municipalities, lat: float, lon: float, number: int, away: tuple[int, int]
) -> None:
    found = at(lat, lon, real)
    assert found is not None
    assert (found.number, found.by) == (number, "nearest")
    assert away[0] < found.away_m < away[1]
    # the North Sea, Vestfjorden, Strömstad, Kiruna, Nikel, Longyearbyen
    for place in ((60.0, 3.6), (67.7, 14.0), (58.94, 11.17), (67.855, 20.225), (69.41, 30.22), (78.22, 15.64)):
        assert at(*place, real) is None


A, B, C = (Municipality(k, name, None) for k, name in ((101, "A"), (102, "B"), (103, "C")))


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (5.0, 5.0, (*A, "inside", 0.0, None, None)),
        (9.5, 5.0, (*A, "inside", 0.0, "B", 500.0)),
        (9.49, 5.0, (*A, "inside", 0.0, None, None)),
        (10.0, 5.0, (*B, "inside", 0.0, "A", 0.0)),
        (5.0, 10.2, (*A, "nearest", 200.0, None, None)),  # C is 800 m off
        (5.0, 10.3, (*A, "nearest", 300.0, "C", 700.0)),
        (8.5, -2.0, (*A, "nearest", 2000.0, "B", 2500.0)),
        (-2.001, 5.0, None),
        (31.0, -0.6, (*C, "nearest", 600.0, None, None)),  # its own second part is no neighbour
        (5.0, 14.5, (*C, "nearest", 500.0, None, None)),  # in the hole of C
    ],
)
def test_the_municipality_and_its_neighbour_by_distance(x: float, y: float, expected: tuple[Any, ...] | None) -> None:
    """West, south, east and north of A and B, and of four rings of C, km."""
    sides = (0, 0, 10, 10), (10, 0, 20, 10), (0, 11, 10, 20), (4, 14, 6, 16), (30, -5, 32, -1.2), (30, 0, 32, 5)
    corners = np.array([[(w, s), (e, s), (e, n), (w, n), (w, s)] for w, s, e, n in sides])
    east, north = (corners * 10_000).round().astype(np.int32).reshape(-1, 2).T
    rings = Rings(east, north, 5 * np.arange(7), np.array([0, 1, 2, 2, 2, 2]))
    assert Municipalities(rings, (A, B, C), "made up", "simulated").at(1000 * x, 1000 * y) == expected
