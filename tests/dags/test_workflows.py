"""The table of workflows agrees with builders, products and README; and which cycle a run is for."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.sources.registry import FORECAST_SOURCES
from dags.partition import PartitionKind, latest_cycle, partition_of
from dags.workflows import BUILD_ALL, WORKFLOWS, Workflow, table
from tests.support.context import context_of
from tiles.clock import Clock, format_partition
from tiles.products.registry import PRODUCTS


@pytest.mark.parametrize("row", WORKFLOWS.values(), ids=lambda row: row.name)
def test_builder_products_and_assets_of_a_row_are_there(row: Workflow) -> None:
    build = row.resolve()
    assert callable(build)
    # levels of terrain are made of each other, so one task makes them all
    assert row.blocks == (hasattr(build, "make_group") and row.name != "terrain")
    if hasattr(build, "products"):
        assert set(row.products) >= {product.name for product in build.products}
    assert set(row.products) <= set(PRODUCTS)
    assert set(row.assets) <= set(WORKFLOWS)


NO_PARTITION = [row for row in WORKFLOWS.values() if row.partition == "none" and row.products]
ASKED_WRONGLY = [(row.name, {"partition": "2020"}) for row in NO_PARTITION]
ASKED_WRONGLY += [(row.name, {"source": "nonsense"}) for row in NO_PARTITION if row.sources]


@pytest.mark.parametrize(("name", "asked"), ASKED_WRONGLY)
def test_a_partition_or_a_source_that_there_is_not_is_refused(tmp_path: Path, name: str, asked: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"partition|source"):
        WORKFLOWS[name].resolve()(context_of(tmp_path, "2026-10-16T02:00:00Z!", **asked))


def test_a_product_that_health_expects_is_published_by_a_workflow_that_runs_by_itself() -> None:
    """`/health` calls a product missing unless it is on request; it knows products, not workflows."""
    by_itself = {name for row in WORKFLOWS.values() if row.cron or row.assets for name in row.products}
    assert {name for name, product in PRODUCTS.items() if not product.on_request} <= by_itself
    assert {name for row in WORKFLOWS.values() for name in row.products} == set(PRODUCTS)


def test_all_is_built_in_an_order_in_which_each_finds_what_it_is_made_of() -> None:
    for before, after in (("terrain", "horizon"), ("climate_archive", "tmy"), ("forecast", "snow_daily")):
        assert BUILD_ALL.index(before) < BUILD_ALL.index(after)


@pytest.mark.parametrize(
    ("name", "moment", "key"),
    [
        ("nowcast", "2026-06-22T04:14", "2026-06-22T03:45"),
        ("nowcast", "2026-06-22T04:15", "2026-06-22T04:00"),
        ("snow_daily", "2026-06-22T07:09", "2026-06-21"),
        ("correction", "2026-06-22T04:39", "2026-06-15"),
        ("correction", "2026-06-22T04:40", "2026-06-22"),
        ("snow_history", "2026-10-15T02:00", "2026-10-15"),
    ],
)
def test_what_is_due_has_the_key_that_airflow_would_give_it(name: str, moment: str, key: str) -> None:
    assert WORKFLOWS[name].due(datetime.fromisoformat(moment).replace(tzinfo=UTC)) == key


def test_the_readme_shows_the_table() -> None:
    """Where it does not: `python -c 'from dags.workflows import table; print(table())'` prints it."""
    assert table() in (Path(__file__).resolve().parents[2] / "dags" / "README.md").read_text()


CLOCK = Clock.parse("2026-06-21T10:42:17Z!")


def run(key: str | None = None, conf: dict[str, Any] | None = None) -> SimpleNamespace:
    return SimpleNamespace(partition_key=key, conf=conf)


@pytest.mark.parametrize(
    ("kind", "given_run", "expected"),
    [
        ("cycle", run("2026-06-20T23"), "2026-06-20T23"),  # by schedule and by asset
        ("cycle", run(None, {"partition": "2026-06-20T23"}), "2026-06-20T23"),  # by hand
        ("cycle", run("2026-06-20T23", {"partition": "2026-06-20T23:00Z"}), "2026-06-20T23"),
        ("cycle", run(None, None), "2026-06-21T10"),
        ("image", run(), "2026-06-21T10:15"),
        ("day", run("2026-06-19"), "2026-06-19"),
        ("day", run(), "2026-06-20"),
        ("morning", run("2026-06-19"), "2026-06-19"),
        ("morning", run(), "2026-06-21"),
        ("year", run("1991"), "1991"),
        ("year", run(None, {"partition": 1991}), "1991"),
        ("none", run("1991"), None),  # by the asset of something else
        ("none", run(), None),
    ],
)
def test_the_partition_of_a_run(kind: PartitionKind, given_run: SimpleNamespace, expected: str | None) -> None:
    assert partition_of(kind, given_run, CLOCK, "met_nordic") == expected


@pytest.mark.parametrize(
    ("kind", "given_run", "words"),
    [
        ("cycle", run("yesterday"), "'yesterday' is not a cycle"),
        ("cycle", run("2026-06-20T23:30"), "is not a cycle"),
        ("cycle", run(None, {"partition": 20260620}), "'20260620' is not a cycle"),
        ("cycle", run("2026-06-20T23", {"partition": "2026-06-20T22"}), "key says 2026-06-20T23, its configuration"),
        *(("image", run(wrong), "is not an image") for wrong in ("2026-06-20T23", "2026-06-20T23:10", "noon")),
        *(("day", run(wrong), "is not a day") for wrong in ("2026-06-19T05", "yesterday", "2026-02-30")),
        ("morning", run("2026-06-19T07"), "is not a day"),
        ("year", run("noon"), "'noon' is not a year"),
        ("year", run(), "give it the partition key 1991"),
    ],
)
def test_what_is_no_partition_is_refused(kind: PartitionKind, given_run: SimpleNamespace, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        partition_of(kind, given_run, CLOCK, "met_nordic")


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(sorted(FORECAST_SOURCES)),
)
def test_the_latest_cycle_is_the_last_one_not_after_now(now: datetime, source: str) -> None:
    cycle = latest_cycle(source, now)
    assert 0 <= (now - cycle).total_seconds() < 3600 * FORECAST_SOURCES[source]
    assert cycle.hour % FORECAST_SOURCES[source] == 0
    assert partition_of("cycle", run(format_partition(cycle)), CLOCK, source) == format_partition(cycle)
