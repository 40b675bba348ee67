"""In which municipality a site lies: real towns of known number, borders, coasts, the sea, abroad; made-up squares."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from pyproj import Transformer

from api.snowload.municipality import PREPARE, Located, Municipalities, Municipality
from catalog.sources.kartverket import borders as kartverket
from dags.build.borders import municipality_borders
from infra.simulator import borders
from kernels.polygons import Rings
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.products.municipality_borders import PRODUCT
from tiles.store import open_store

CLOCK = Clock.parse("2026-11-23T10:00:00Z!")
TO_UTM = Transformer.from_crs(4258, 25833, always_xy=True)

# Numbers of 2024.
TOWNS = """
59.913 10.752 0301 Oslo|Oslo
60.392  5.324 4601 Bergen|Vestland
63.430 10.395 5001 Trondheim|Trøndelag
58.970  5.733 1103 Stavanger|Rogaland
69.649 18.955 5501 Tromsø|Troms
67.280 14.405 1804 Bodø|Nordland
59.744 10.204 3301 Drammen|Buskerud
59.218 10.930 3107 Fredrikstad|Østfold
58.146  7.996 4204 Kristiansand|Agder
61.115 10.466 3405 Lillehammer|Innlandet
60.794 11.068 3403 Hamar|Innlandet
62.575 11.384 5025 Røros|Trøndelag
69.969 23.272 5601 Alta|Finnmark
69.727 30.045 5605 Sør-Varanger|Finnmark
70.663 23.682 5603 Hammerfest|Finnmark
68.438 17.427 1806 Narvik|Nordland
62.472  6.155 1508 Ålesund|Møre og Romsdal
62.737  7.159 1506 Molde|Møre og Romsdal
60.629  6.417 4621 Voss|Vestland
60.534  8.206 3330 Hol|Buskerud
59.209  9.609 4003 Skien|Telemark
59.267 10.408 3905 Tønsberg|Vestfold
59.835 10.435 3203 Asker|Akershus
58.461  8.772 4203 Arendal|Agder
70.370 31.106 5634 Vardø|Finnmark
"""


def opened(url: str, folder: Path) -> Municipalities:
    store = open_store(str(folder))
    entry = municipality_borders.build(context_of(store, CLOCK, addresses={"kartverket": url}))
    found = PREPARE["number"](entry, ChunkedTile(store, PRODUCT, entry.manifest))
    assert isinstance(found, Municipalities)
    assert found.version == entry.version
    return found


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Municipalities:
    return opened(str(shared_data / "borders"), tmp_path_factory.mktemp("tiles"))


def at(lat: float, lon: float, of: Municipalities) -> Located | None:
    return of.at(*TO_UTM.transform(lon, lat))


def shared_edges(of: Municipalities) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The edges on which two municipalities meet, steps."""
    edges = of._borders
    x, y, last = edges.x.tolist(), edges.y.tolist(), set((edges.first[1:] - 1).tolist())
    walked = Counter(tuple(sorted(((x[k], y[k]), (x[k + 1], y[k + 1])))) for k in range(len(x) - 1) if k not in last)
    return [ends for ends, times in walked.items() if times == 2]


def test_towns_are_found_by_their_number(real: Municipalities) -> None:
    assert real.data_origin == "live"
    for line in TOWNS.strip().splitlines():
        lat, lon, number, name = line.split(maxsplit=3)
        found = at(float(lat), float(lon), real)
        assert found is not None
        assert found.name.split(" - ")[-1 if number == "5025" else 0] == name.split("|")[0]  # Rosse - Røros
        assert (f"{found.number:04d}", found.county, found.by, found.away_m) == (
            number,
            name.split("|")[1],
            "inside",
            0,
        )


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        (60.0, 3.6),  # the North Sea
        (58.0, 9.5),  # Skagerrak
        (67.7, 14.0),  # Vestfjorden
        (59.38, 13.5),  # Karlstad
        (58.94, 11.17),  # Strömstad
        (67.855, 20.225),  # Kiruna
        (69.41, 30.22),  # Nikel
        (78.22, 15.64),  # Longyearbyen
        (0.0, -170.0),
    ],
)
def test_at_sea_and_abroad_there_is_none(real: Municipalities, lat: float, lon: float) -> None:
    assert at(lat, lon, real) is None


@pytest.mark.parametrize(
    ("lat", "lon", "number", "away"),
    [
        (59.9020, 10.7405, 301, (20, 150)),  # Vippetangen
        (59.9065, 10.7300, 301, (100, 400)),  # the quay of Aker brygge
        (67.2860, 14.3700, 1804, (100, 500)),  # a mole at Bodø
        (61.1300, 6.0000, 4638, (300, 700)),  # out on the Sognefjord
    ],
)
def test_beside_the_land_it_is_the_nearest(
    real: Municipalities, lat: float, lon: float, number: int, away: tuple[int, int]
) -> None:
    found = at(lat, lon, real)
    assert found is not None
    assert (found.number, found.by) == (number, "nearest")
    assert away[0] < found.away_m < away[1]


def test_enclaves_are_of_whose_they_are(real: Municipalities) -> None:
    found = at(59.16100687, 9.27209327, real)  # Nome within Skien, Malvik within Stjørdal
    assert found is not None
    assert found[:4] == (4018, "Nome", "Telemark", "inside")
    found = at(63.34679763, 10.86221223, real)
    assert found is not None
    assert (found.number, found.neighbour) == (5031, "Stjørdal")
    assert 150 < (found.neighbour_m or 0) < 300


def test_on_a_border_it_is_exactly_one_and_the_other_is_named(real: Municipalities) -> None:
    edges = shared_edges(real)
    assert len(edges) > 20_000
    for (x0, y0), (x1, y1) in edges[::70]:
        x, y = (x0 + x1) // 2, (y0 + y1) // 2
        [municipality] = np.flatnonzero(real._borders.around(x, y, 0)[0])
        found = real.at(x / 10, y / 10)
        assert found is not None
        assert (found.number, found.by) == (real._listed[municipality].number, "inside")
        assert found.neighbour not in (found.name, None)
        assert (found.neighbour_m or 0) < 0.1
    corners = [real.at(x / 10, y / 10) for x, y in {ends[0] for ends in edges[::70]}]
    assert all(found is not None and found.away_m == 0 and (found.neighbour_m or 0) < 0.1 for found in corners)


@pytest.mark.parametrize("count", [200, pytest.param(5000, marks=pytest.mark.slow)])
def test_it_is_what_another_library_finds_in_degrees(real: Municipalities, shared_data: Path, count: int) -> None:
    source = kartverket.municipalities(str(shared_data / "borders"), user_agent="test", deadline_s=10)
    areas = shapely.make_valid(source.areas.geometry.to_numpy())
    rng = np.random.default_rng(count)
    some = rng.integers(0, real._borders.x.size, count)
    wheres = np.stack([real._borders.x[some], real._borders.y[some]], 1) / 10 + rng.normal(0, 3000, (count, 2))
    inside = beside = 0
    for x, y in wheres.tolist():
        if real._borders.around(round(10 * x), round(10 * y), 10.0)[1].min() < 10:
            beside += 1  # straight in degrees is straight in UTM within a metre only
            continue
        place = shapely.Point(TO_UTM.transform(x, y, direction="INVERSE"))
        expected = {source.areas["number"][k] for k in np.flatnonzero(shapely.contains(areas, place)).tolist()}
        found = real.at(x, y)
        assert expected == ({found.number} if found and found.by == "inside" else set())
        inside += len(expected)
    assert inside > count / 3
    assert beside < count / 100


def test_simulated_municipalities_lie_in_simulated_counties(tmp_path: Path) -> None:
    for name, made in (
        (kartverket.COUNTIES, borders.document("Fylker")),
        (kartverket.MUNICIPALITIES, borders.document("Kommuner")),
    ):
        (tmp_path / name).write_text(json.dumps(made))
    of = opened(str(tmp_path), tmp_path / "tiles")
    assert of.data_origin == "simulated"
    oslo, bergen = at(59.913, 10.752, of), at(60.392, 5.324, of)
    assert oslo is not None
    assert bergen is not None
    assert oslo[:4] == (301, "Oslo (SIMULATED)", "Oslo (SIMULATED)", "inside")
    assert bergen[1:3] == ("Bergen (SIMULATED)", "Norge (SIMULATED)")
    assert {one.county for one in of._listed} == {f"{name} (SIMULATED)" for name in borders.COUNTIES.values()}
    edges = shared_edges(of)
    assert len(edges) > 100
    for (x0, y0), (x1, y1) in edges:
        assert of._borders.around((x0 + x1) // 2, (y0 + y1) // 2, 0)[0].sum() == 1


A, B, C = (Municipality(k, name, None) for k, name in ((101, "A"), (102, "B"), (103, "C")))


def squares(*sides: tuple[float, float, float, float]) -> Municipalities:
    """West, south, east and north of A, B and C, km; one more is of C."""
    corners = [[(w, s), (e, s), (e, n), (w, n), (w, s)] for w, s, e, n in sides]
    x, y = (np.array(corners) * 10_000).round().astype(np.int32).reshape(-1, 2).T
    borders = Rings(x, y, 5 * np.arange(len(sides) + 1), np.minimum(np.arange(len(sides)), 2))
    return Municipalities(borders, (A, B, C), "made up", "simulated")


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (5.0, 5.0, (*A, "inside", 0.0, None, None)),
        (9.7, 5.0, (*A, "inside", 0.0, "B", 300.0)),
        (9.5, 5.0, (*A, "inside", 0.0, "B", 500.0)),
        (9.49, 5.0, (*A, "inside", 0.0, None, None)),
        (10.0, 5.0, (*B, "inside", 0.0, "A", 0.0)),
        (5.0, 10.2, (*A, "nearest", 200.0, None, None)),  # C is 800 m off
        (5.0, 10.3, (*A, "nearest", 300.0, "C", 700.0)),
        (5.0, 10.8, (*C, "nearest", 200.0, None, None)),
        (-2.0, 5.0, (*A, "nearest", 2000.0, None, None)),
        (8.5, -2.0, (*A, "nearest", 2000.0, "B", 2500.0)),
        (-2.001, 5.0, None),
        (31.0, -0.6, (*C, "nearest", 600.0, None, None)),  # its own second part is no neighbour
        (5.0, 14.5, (*C, "nearest", 500.0, None, None)),  # in the hole of C
        (4.0, 14.0, (*C, "nearest", 0.0, None, None)),
    ],
)
def test_which_one_and_who_is_near(x: float, y: float, expected: tuple[Any, ...] | None) -> None:
    of = squares((0, 0, 10, 10), (10, 0, 20, 10), (0, 11, 10, 20), (4, 14, 6, 16), (30, -5, 32, -1.2), (30, 0, 32, 5))
    found = of.at(1000 * x, 1000 * y)
    assert (found if found is None else tuple(found)) == expected
