"""The albedo of the ground from a published history of snow."""

from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

import catalog
from catalog.publish import Moment, publish
from catalog.versions import read_index
from dags.build.snow import albedo
from dags.build.snow.packing import days_between, empty
from tests.support.context import context_of
from tests.support.tmy import OSLO_CELL
from tiles.blocks import Blocks
from tiles.building import Block
from tiles.manifest import Manifest
from tiles.products.climate_archive import BLOCK
from tiles.products.snow_history import PRODUCT as HISTORY
from tiles.store import Store, open_store

DAYS = days_between(date(1989, 9, 1), date(2001, 8, 31))
CORNER = tuple(at // BLOCK * BLOCK for at in OSLO_CELL)
NUMBER = (OSLO_CELL[0] - CORNER[0]) * BLOCK + OSLO_CELL[1] - CORNER[1]
CLOCK = "2026-11-24T00:00:00Z!"
EVER = datetime(1957, 9, 1, 6, tzinfo=UTC)


def publish_days(store: Store, depth_mm: int) -> None:
    """Publish a history in which snow lies in every January, and before 1991 always; of one cell alone."""
    packed = empty(HISTORY, DAYS.size, CORNER)
    days = DAYS.astype("datetime64[D]")
    january = days.astype("datetime64[M]").astype(np.int64) % 12 == 0
    row, column = divmod(NUMBER, BLOCK)
    packed["snow_depth"][:, row, column] = np.where(january | (days < np.datetime64("1991-01-01")), depth_mm, 0)
    for name in ("altitude", "snow_row", "snow_column"):
        packed[name][row, column] = 5000 if name == "altitude" else 7
    for name in ("swe", "new_snow", "new_snow_depth", "temp_air"):
        packed[name][:, row, column] = 1000
    wanted = [Block.of(CORNER, (NUMBER,), depth_mm)]
    about = {"source": "nve_gts", "data_origin": "simulated", "sources": [], "licence": "none", "attribution": "a"}
    said = about | {"days": ["1989-09-01", "2001-08-31"]}
    blocks = Blocks.begin(
        store, HISTORY, "1989-2001", run=str(depth_mm), inputs=str(depth_mm), wanted=wanted,
        published={entry.attempt for entry in read_index(store, HISTORY.name).entries}, base=None,
        axes={"time": DAYS}, provenance=said,
    )  # fmt: skip
    blocks.write(wanted[0], packed, {})
    publish(blocks.finish(blocks.records(), {}), Moment(EVER, EVER, EVER), now=EVER, expected=None, report=print)
    blocks.end()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = open_store(str(tmp_path))
    publish_days(made, 300)
    return made


def test_months_with_snow_are_bright_and_years_before_1991_do_not_count(store: Store) -> None:
    entry = albedo.build(context_of(store, CLOCK))
    assert (entry.version, entry.data_origin, entry.source) == ("1989-2001", "simulated", "nve_gts")
    found = catalog.open("albedo", store=store.url).albedo
    here = found.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).values
    np.testing.assert_allclose(here, [0.6] + [0.2] * 11, atol=1e-6)
    assert int(np.isfinite(found.values).any(axis=0).sum()) == 1
    assert "share of days" in Manifest.read(store, entry.manifest).provenance["method"]


def test_it_is_built_again_only_where_the_snow_has_changed(store: Store) -> None:
    first = albedo.build(context_of(store, CLOCK))
    assert albedo.build(context_of(store, CLOCK)) == first
    publish_days(store, 10)
    second = albedo.build(context_of(store, CLOCK))
    assert second.attempt != first.attempt
    here = catalog.open("albedo", store=store.url).albedo.isel(y=OSLO_CELL[0], x=OSLO_CELL[1])
    assert float(here[0]) == pytest.approx(0.2), "a centimetre is no snow"


def test_without_a_history_it_says_what_to_build(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="solflis build snow_history"):
        albedo.build(context_of(tmp_path / "empty"))
