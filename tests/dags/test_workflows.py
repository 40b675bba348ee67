"""The table of workflows: rows agree with builders, products and the README."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from dags.workflows import BUILD_ALL, POOLS, WORKFLOWS, Workflow, table
from tiles.products.registry import PRODUCTS

ROWS = pytest.mark.parametrize("row", WORKFLOWS.values(), ids=lambda row: row.name)


@ROWS
def test_the_builder_of_a_row_is_there_and_built_by_blocks_as_the_row_says(row: Workflow) -> None:
    build = row.resolve()
    assert callable(build)
    # levels of terrain are made of each other, so one task makes them all
    assert row.blocks == (hasattr(build, "make_group") and row.name != "terrain")
    if hasattr(build, "products"):
        assert set(row.products) >= {product.name for product in build.products}


@ROWS
def test_a_row_names_products_and_workflows_that_there_are(row: Workflow) -> None:
    assert set(row.products) <= set(PRODUCTS)
    assert set(row.assets) <= set(WORKFLOWS)
    assert row.pool in POOLS
    assert row.consequence


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
        ("skill", "2026-06-22T04:19", "2026-06-20"),
        ("skill", "2026-06-22T04:20", "2026-06-21"),
        ("correction", "2026-06-22T04:39", "2026-06-15"),
        ("correction", "2026-06-22T04:40", "2026-06-22"),
        ("snow_daily", "2026-06-22T07:09", "2026-06-21"),
        ("snow_daily", "2026-06-22T07:10", "2026-06-22"),
        ("snow_history", "2026-10-15T01:59", "2025-10-15"),
        ("snow_history", "2026-10-15T02:00", "2026-10-15"),
    ],
)
def test_what_is_due_has_the_key_that_airflow_would_give_it(name: str, moment: str, key: str) -> None:
    assert WORKFLOWS[name].due(datetime.fromisoformat(moment).replace(tzinfo=UTC)) == key


def test_the_readme_shows_the_table() -> None:
    """Where it does not: `python -c 'from dags.workflows import table; print(table())'` prints it."""
    assert table() in (Path(__file__).resolve().parents[2] / "dags" / "README.md").read_text()
