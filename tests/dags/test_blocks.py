"""Building by blocks, the mechanism of all products: what a killed build keeps, what two builds do to each other."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pytest

import catalog
from catalog.publish import Moment
from catalog.versions import read_index
from dags.build import blocks as block_build
from dags.build.blocks import BlockBuild, Made, Plan, Stage, Work, published_cells
from dags.build.cells import block_array, by_blocks
from dags.build.context import BuildContext
from dags.build.provenance import provenance
from tests.support.context import context_of
from tiles.building import Block
from tiles.clock import format_partition, parse_partition
from tiles.errors import DraftInvalid
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.albedo import PRODUCT
from tiles.products.climate_archive import BLOCK
from tiles.store import Store

CLOCK = "2026-05-01T06:20:00Z!"
ONE, TWO, THREE = ((64, column) for column in (64, 80, 96))


class Inputs(NamedTuple):
    fingerprint: str


class Level(BlockBuild[Inputs]):
    """Blocks of one value, which is what they are made of; the builder notes those that it makes."""

    products, side, cells_per_job = (PRODUCT,), BLOCK, 1

    def __init__(self, *corners: tuple[int, int], value: float = 0.2) -> None:
        self.corners, self.value = corners, value
        self.made: list[tuple[int, int]] = []
        self.dies_after = 1000

    def inputs(self, context: BuildContext) -> Inputs:
        return Inputs(str(self.value))

    def base(self, context: BuildContext, *_: Any) -> str | None:
        newest = read_index(context.store, PRODUCT.name).newest(context.clock.now())
        return None if newest is None else newest.manifest

    def plan(self, context: BuildContext, inputs: Inputs) -> Plan:
        newest = read_index(context.store, PRODUCT.name).newest(context.clock.now())
        version = newest.version if newest else format_partition(context.clock.now())
        held = by_blocks(published_cells(context, PRODUCT, version, BLOCK))
        wanted = tuple(Block.of(corner, (0,), inputs.fingerprint) for corner in sorted({*held, *self.corners}))
        about = provenance([], source="made_up", data_origin="simulated")
        return Plan(version, (Stage(self.products, wanted, {"month": np.arange(1, 13)}),), {PRODUCT.name: about})

    def make(self, work: Work[Inputs], blocks: Sequence[Block]) -> Iterator[Made]:
        for block in blocks:
            if len(self.made) == self.dies_after:
                raise KeyboardInterrupt
            self.made.append(block.corner)
            packed = block_array((12,), block.corner, FILL)
            packed[:, 0, 0] = PRODUCT.variable("albedo").pack(np.full(12, self.value))
            yield Made(block, {PRODUCT.name: {"albedo": packed}}, {})

    def moment(self, context: BuildContext, version: str) -> Moment:
        begun: datetime = parse_partition(version)
        return Moment(begun, begun, begun)


def values(store: Store) -> dict[tuple[int, int], float]:
    """What readers see of the corners."""
    data = catalog.open("albedo", store=store.url).albedo[0].load()
    rows, columns = np.nonzero(np.isfinite(data.values))
    return {(int(r), int(c)): round(float(data[r, c]), 3) for r, c in zip(rows, columns, strict=True)}


def versions(store: Store) -> list[str]:
    return [entry.version for entry in read_index(store, PRODUCT.name).entries]


def test_a_killed_build_goes_on_and_makes_only_what_is_missing(store: Store) -> None:
    level = Level(ONE, TWO, THREE)
    level.dies_after = 2
    with pytest.raises(KeyboardInterrupt):
        level(context_of(store, CLOCK))
    assert versions(store) == [], "nothing is published by halves"
    level.dies_after = 1000
    said: list[str] = []
    entry = level(context_of(store, "2026-05-01T09:00:00Z!", report=said.append))
    assert entry.version == "2026-05-01T06", "the hour at which it began"
    assert level.made == [ONE, TWO, THREE]
    assert "albedo: 3 blocks, 2 of them are done" in said
    assert values(store) == dict.fromkeys((ONE, TWO, THREE), 0.2)


def test_what_is_complete_is_neither_made_nor_published_again(store: Store) -> None:
    level, said = Level(ONE), list[str]()
    first = level(context_of(store, CLOCK))
    assert level(context_of(store, "2026-05-03T00:00:00Z!", report=said.append)) == first
    assert (level.made, said) == ([ONE], ["albedo 2026-05-01T06 holds all of it already"])


def test_another_area_is_added_and_the_first_kept_as_it_is(store: Store) -> None:
    first, more = Level(ONE)(context_of(store, CLOCK)), Level(TWO)
    second = more(context_of(store, "2026-05-03T00:00:00Z!"))
    assert (second.version, more.made) == (first.version, [TWO])
    assert values(store) == {ONE: 0.2, TWO: 0.2}
    before, after = (Manifest.read(store, entry.manifest).objects for entry in (first, second))
    kept = [name for name in before if "/c/" in name]
    assert {name: before[name] for name in kept} == {name: after[name] for name in kept}


def test_of_other_inputs_all_is_made_anew(store: Store) -> None:
    Level(ONE)(context_of(store, CLOCK))
    brighter = Level(TWO, value=0.5)
    brighter(context_of(store, CLOCK))
    assert brighter.made == [ONE, TWO]
    assert values(store) == {ONE: 0.5, TWO: 0.5}


@pytest.mark.parametrize("late", [False, True], ids=["while it is computed", "while it is written"])
def test_what_others_published_meanwhile_is_not_lost(store: Store, late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the first look at what is published and the swap all is written and validated: that takes minutes."""
    context, level = context_of(store, CLOCK), Level(ONE)
    (group,) = level.begin(context)
    level.make_group(context, group)
    prepare = block_build.prepare

    def other() -> None:
        monkeypatch.setattr(block_build, "prepare", prepare)
        Level(TWO)(context_of(store, "2026-05-01T05:59:00Z!"))

    if late:
        monkeypatch.setattr(block_build, "prepare", lambda *draft, **more: (other(), prepare(*draft, **more))[1])
    else:
        other()
    with pytest.raises(ValueError, match="another albedo was published since this build began: begin it again"):
        level.publish(context)
    assert versions(store) == ["2026-05-01T05"]
    level(replace(context, run="again"))
    assert values(store) == {ONE: 0.2, TWO: 0.2}


def test_inputs_that_change_under_a_build_end_it(store: Store) -> None:
    level, context = Level(ONE), context_of(store, CLOCK)
    (group,) = level.begin(context)
    level.value = 0.5
    for late in (lambda: level.make_group(context, group), lambda: level.publish(context)):
        with pytest.raises(ValueError, match="has changed since this build began: begin it again"):
            late()


def test_blocks_without_any_value_are_not_published(store: Store) -> None:
    with pytest.raises(DraftInvalid, match="no block holds any value"):
        Level(ONE, value=float("nan"))(context_of(store, CLOCK))


def test_groups_are_at_most_64_and_lose_no_block_as_json(store: Store) -> None:
    corners = [(16 * row, 16 * column) for row in range(10) for column in range(30)]
    groups = Level(*corners).begin(context_of(store, CLOCK))
    assert len(groups) <= 64
    travelled = json.loads(json.dumps(groups))
    assert [tuple(block[0]) for group in travelled for job in group for block in job["blocks"]] == corners
