"""The borders of the municipalities as a table: what the source has, to a tenth of a metre; publishing again."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources import kartverket
from catalog.sources.errors import SourceError
from catalog.verify import verify
from catalog.versions import Entry, read_index
from dags.build.borders import municipality_borders
from dags.build.borders.raster import projected
from dags.build.registry import BUILDERS, Request
from infra.simulator import borders, borders_municipal
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.products.municipality_borders import PRODUCT
from tiles.store import Store, open_store

CLOCK = Clock.parse("2026-11-23T10:00:00Z!")


def build(store: Store, url: str, clock: Clock = CLOCK, **asked: Any) -> Entry:
    given = {"partition": None, "source": None, **asked}
    return BUILDERS["municipality_borders"](
        Request(**given, urls={"kartverket": url}, store=store, clock=clock, report=[].append)
    )


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Entry]:
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    return store, build(store, str(shared_data / "borders"))


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    """A folder with the simulator's borders."""
    folder = tmp_path / "borders"
    folder.mkdir()
    (folder / kartverket.COUNTIES).write_text(json.dumps(borders.document()))
    (folder / kartverket.MUNICIPALITIES).write_text(json.dumps(borders_municipal.document()))
    return folder


def test_every_corner_is_where_the_source_has_it(real: tuple[Store, Entry], shared_data: Path) -> None:
    store, entry = real
    source = kartverket.municipalities(str(shared_data / "borders"), user_agent="test", deadline_s=10)
    rings = [
        (number, ring)
        for number, polygons in zip(source.numbers, source.polygons, strict=True)
        for polygon in projected(polygons)
        for ring in polygon
    ]
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    table = {v.name: v.unpack(tile.table(v.name)) for v in PRODUCT.variables}
    for axis, name in enumerate(("easting", "northing")):
        written = 1000 * table[f"{name}_km"] + table[f"{name}_m"]
        np.testing.assert_allclose(written, np.concatenate([ring for _, ring in rings])[:, axis], atol=0.0501, rtol=0)
    lengths = [len(ring) for _, ring in rings]
    np.testing.assert_array_equal(table["ring"], np.repeat(np.arange(len(rings)), lengths))
    np.testing.assert_array_equal(table["number"], np.repeat([number for number, _ in rings], lengths))
    assert verify(store, PRODUCT.name, entry.version, report=lambda _: None) == []


def test_what_is_said_of_them(real: tuple[Store, Entry]) -> None:
    store, entry = real
    assert (entry.data_origin, entry.source) == ("live", "kartverket")
    said = ChunkedTile(store, PRODUCT, entry.manifest).manifest.provenance
    listed = said["municipalities"]
    assert len(listed) == 357
    assert [number for number, _, _ in listed] == sorted(number for number, _, _ in listed)
    assert {tuple(one) for one in listed} > {(301, "Oslo", "Oslo"), (1515, "Herøy", "Møre og Romsdal")}
    assert len({county for _, _, county in listed}) == 15
    [source] = said["sources"]
    assert [Path(read["url"]).name for read in source["inputs"]] == [kartverket.MUNICIPALITIES, kartverket.COUNTIES]


def test_built_again_it_is_the_same_version(real: tuple[Store, Entry], shared_data: Path) -> None:
    store, first = real
    again = build(store, str(shared_data / "borders"), Clock.parse("2027-01-01T00:00:00Z!"))
    assert (again.version, again.issued_at) == (first.version, first.issued_at)
    assert len(read_index(store, PRODUCT.name).entries) == 1
    ensured = municipality_borders.ensure(url="", store=store, clock=CLOCK, report=[].append)
    assert ensured.version == first.version


def test_other_names_of_counties_are_another_version(simulated: Path, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    first = build(store, str(simulated))
    assert first.data_origin == "simulated"
    changed = borders.document()
    for feature in changed["features"]:
        del feature["properties"]["fylkesnummer"]
    (simulated / kartverket.COUNTIES).write_text(json.dumps(changed))
    second = build(store, str(simulated), Clock.parse("2026-11-24T10:00:00Z!"))
    assert second.version != first.version
    assert second.issued_at > first.issued_at
    listed = ChunkedTile(store, PRODUCT, second.manifest).manifest.provenance["municipalities"]
    assert {county for _, _, county in listed} == {None}


def test_one_simulated_file_makes_it_simulated(shared_data: Path, simulated: Path, tmp_path: Path) -> None:
    shutil.copy(shared_data / "borders" / kartverket.MUNICIPALITIES, simulated)
    assert build(open_store(str(tmp_path / "tiles")), str(simulated)).data_origin == "simulated"


def test_what_is_not_norway_is_refused(simulated: Path, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    with pytest.raises(SourceError, match="does not exist"):
        build(store, str(tmp_path / "nowhere"))
    few = borders_municipal.document()
    few["features"] = few["features"][:99]
    for bad, said in (
        (few, "99 municipalities have land, 100 to 400 are expected"),
        (borders_municipal.document(swapped=True), "outside -100 to 1200"),
    ):
        (simulated / kartverket.MUNICIPALITIES).write_text(json.dumps(bad))
        with pytest.raises(DraftInvalid, match=said):
            build(store, str(simulated))
    assert not read_index(store, PRODUCT.name).entries


@pytest.mark.parametrize("asked", [{"partition": "2026"}, {"source": "met_nordic"}])
def test_a_partition_or_another_source_is_refused(tmp_path: Path, asked: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="borders of kartverket, without a partition"):
        build(open_store(str(tmp_path)), "", **asked)
