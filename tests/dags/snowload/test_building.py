"""The maxima of seasons: what is built, what a year adds, and what is not asked for again."""

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest
import zarr

from catalog.sources.errors import SourceError
from catalog.verify import verify
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow import snowload, yearly
from dags.build.snow.packing import empty
from tests.support.context import context_of
from tests.support.snow_authority import FakeAuthority
from tests.support.snowload_build import (
    BESIDE,
    FIRST,
    OSLO_AREA,
    OSLO_CELL,
    TROMSO_AREA,
    TROMSO_CELL,
    built,
    expected,
    maxima,
    opened,
    point_of,
    said_of,
)
from tests.support.tmy import OSLO
from tiles.blocks import Unfinished
from tiles.chunked import ChunkedTile
from tiles.errors import TileCorrupt
from tiles.product import FILL
from tiles.products.snowload import PRODUCT
from tiles.store import Store


def test_every_season_of_every_cell(store: Store, fake: FakeAuthority, build: Any) -> None:
    said = build()
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    assert {call.quantities for call in fake.calls} == {("swe",)}
    data = opened(store)
    assert data.season.values.tolist() == list(range(1957, 2026))
    cells = built(store)
    assert len(cells) == 9
    for cell in cells:
        np.testing.assert_array_equal(maxima(store, cell), expected(cell))
        assert float(data.altitude[cell]) == 120
    assert np.isnan(maxima(store, (OSLO_CELL[0] + 2, OSLO_CELL[1]))).all()
    assert data.swe_max.attrs["units"] == "mm"
    assert verify(store, "snowload", "1957-2026", report=lambda _: None) == []
    entry = read_index(store, "snowload").entries[-1]
    assert (entry.data_origin, entry.source) == ("simulated", "nve_gts")
    told = said_of(store)
    assert told["days"] == ["1957-09-01", "2026-08-31"]
    assert (told["cells"], told["cells_without_data"], told["requests"]) == (9, 0, 0)
    assert {"sources", "licence", "attribution", "method", "generator", "record", "authority"} <= set(told)
    assert any("1 blocks, 9 cells; 0 requests to nve_gts" in line for line in said)
    # a climate counts at any moment that a clock may show
    assert read_index(store, "snowload").newest(datetime(1999, 1, 1, tzinfo=UTC)) == entry


def test_points_are_read_as_other_readers_read_them(store: Store, build: Any) -> None:
    ts = pytest.importorskip("tensorstore")
    build()
    entry = read_index(store, "snowload").entries[-1]
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    group = zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")
    assert group["swe_max"].shape == (69, 1550, 1195)
    where = {"driver": "file", "path": str(store.path(entry.path) / "swe_max")}
    array = ts.open({"driver": "zarr3", "kvstore": where}, open=True, read=True).result()
    for cell in (OSLO_CELL, BESIDE, (OSLO_CELL[0] + 2, OSLO_CELL[1]), TROMSO_CELL, (0, 0), (1549, 1194)):
        series = tile.series("swe_max", cell).tolist()
        assert series == group["swe_max"][(slice(None), *cell)].tolist()
        assert series == array[(slice(None), *cell)].read().result().tolist()
        assert int(tile.series("altitude", cell)) == int(group["altitude"][cell])


def test_a_year_later_only_that_season_is_asked_for(store: Store, fake: FakeAuthority, build: Any) -> None:
    build(year=2025)
    fake.forget()
    build()
    assert fake.searched == []
    assert fake.asked_days() == {(date(2025, 9, 1), date(2026, 8, 31))}
    assert [len(call.points) for call in fake.calls] == [9]
    np.testing.assert_array_equal(maxima(store, OSLO_CELL), expected(OSLO_CELL))
    np.testing.assert_array_equal(maxima(store, OSLO_CELL, "1957-2025"), expected(OSLO_CELL, 2025))
    assert read_index(store, "snowload").newest(datetime(2026, 10, 16, tzinfo=UTC)).version == "1957-2026"  # type: ignore[union-attr]


def test_what_is_complete_is_not_asked_for_again(store: Store, fake: FakeAuthority, build: Any) -> None:
    build()
    attempt = read_index(store, "snowload").entries[-1].attempt
    fake.forget()
    assert "snowload 1957-2026 holds all of it already" in build(run="another")
    assert (fake.calls, fake.searched) == ([], [])
    assert read_index(store, "snowload").entries[-1].attempt == attempt


def test_another_area_is_added_and_the_first_kept(store: Store, fake: FakeAuthority, build: Any) -> None:
    build()
    fake.forget()
    build(TROMSO_AREA, run="another")
    asked = {point for call in fake.calls for point in call.points}
    assert len(asked) == 9
    assert point_of(OSLO_CELL) not in asked
    for cell in (OSLO_CELL, TROMSO_CELL):
        np.testing.assert_array_equal(maxima(store, cell), expected(cell))


def test_more_cells_of_a_block_do_not_ask_for_the_others_again(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda point: point != point_of(BESIDE)
    build()
    first = {point for points in fake.searched for point in points}
    fake.forget()
    build(Area("Oslo", *OSLO, side_km=4.0), run="another")
    searched = [point for points in fake.searched for point in points]
    assert len(searched) == 16
    assert not set(searched) & first, "neither where there is data nor where it was found that there is none"
    assert {point for call in fake.calls for point in call.points} == set(searched)
    np.testing.assert_array_equal(maxima(store, OSLO_CELL), expected(OSLO_CELL))
    assert len(built(store)) == 24
    assert said_of(store)["cells_without_data"] == 1


def test_a_killed_build_goes_on(store: Store, fake: FakeAuthority, build: Any, ask: Any) -> None:
    fake.fails_after = 1
    with pytest.raises(SourceError, match="does not answer"):
        build(OSLO_AREA, TROMSO_AREA)
    assert read_index(store, "snowload").entries == ()
    with pytest.raises(Unfinished, match="are missing"):
        snowload.build.publish(ask(OSLO_AREA, TROMSO_AREA))
    first = {point for call in fake.calls for point in call.points}
    fake.fails_after = None
    fake.forget()
    build(OSLO_AREA, TROMSO_AREA, run="another")
    again = {point for call in fake.calls for point in call.points}
    assert len(first) > 0 < len(again)
    assert not first & again
    for cell in (OSLO_CELL, TROMSO_CELL):
        np.testing.assert_array_equal(maxima(store, cell), expected(cell))


def test_another_authority_or_method_is_asked_for_everything(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(year=2025)
    fake.forget()
    fake.data_origin = "live"
    build(url="http://another")
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    assert read_index(store, "snowload").entries[-1].data_origin == "live"
    fake.forget()
    monkeypatch.setattr(snowload.SeasonMaxima, "record", 2)
    build(url="http://another", run="another")
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}


def test_what_was_simulated_stays_named_so(store: Store, fake: FakeAuthority, build: Any) -> None:
    build(year=2025)
    fake.data_origin = "live"
    build()
    assert read_index(store, "snowload").entries[-1].data_origin == "simulated"


def test_simulated_cells_beside_live_ones_make_it_simulated(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.data_origin = "live"
    build()
    assert read_index(store, "snowload").entries[-1].data_origin == "live"
    fake.data_origin = "simulated"
    build(TROMSO_AREA, run="another")
    assert read_index(store, "snowload").entries[-1].data_origin == "simulated"


def test_the_sea_is_not_asked_for(fake: FakeAuthority, build: Any, land: Any) -> None:
    land[:, OSLO_CELL[1] + 1 :] = 0
    land[OSLO_CELL[0] - 1, OSLO_CELL[1]] = 0.04
    build()
    (asked,) = fake.searched
    assert len(asked) == 6
    assert point_of(BESIDE) not in asked
    assert point_of((OSLO_CELL[0] - 1, OSLO_CELL[1])) in asked


def test_areas_at_sea_are_refused(fake: FakeAuthority, build: Any, land: Any) -> None:
    land[:] = 0
    with pytest.raises(ValueError, match="no land lies in these areas"):
        build()
    assert fake.searched == []


def test_answers_are_held_a_few_questions_at_a_time(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yearly, "QUESTIONS_AT_ONCE", 2)
    build(Area("Oslo", *OSLO, side_km=4.0))
    assert [len(call.points) for call in fake.calls] == [18, 7], "a question has nine cells of 69 years"
    fake.forget()
    build(Area("Oslo", *OSLO, side_km=4.0), year=2027)
    assert [len(call.points) for call in fake.calls] == [25]


def test_what_is_taken_over_must_be_as_it_was_written(store: Store, build: Any) -> None:
    build(year=2025)
    entry = read_index(store, "snowload").entries[-1]
    shard = store.path(f"{entry.path}/swe_max/c/0/{OSLO_CELL[0] // 32}/{OSLO_CELL[1] // 32}")
    shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    with pytest.raises(TileCorrupt, match="swe_max"):
        build()


def test_a_block_at_the_far_corner_of_the_grid(store: Store, fake: FakeAuthority, build: Any) -> None:
    packed = empty(PRODUCT, 3, (1536, 1184))
    assert {name: values.shape for name, values in packed.items()} == {"swe_max": (3, 14, 11), "altitude": (14, 11)}
    assert all((values == FILL).all() for values in packed.values())


def test_the_command_takes_no_partition(store: Store) -> None:
    context = context_of(store, "2026-10-16T02:00:00Z!", partition="2020")
    with pytest.raises(ValueError, match="it goes to the last 31 August"):
        snowload.build(context)
    assert PRODUCT.on_request
