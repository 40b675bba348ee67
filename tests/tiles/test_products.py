"""Declarations: what holds for every product."""

import numpy as np
import pytest

from tiles import metadata
from tiles.product import FILL, PACKED_MAX
from tiles.products.registry import PRODUCTS, product

EVERY = pytest.mark.parametrize("declared", PRODUCTS.values(), ids=PRODUCTS)


@EVERY
def test_the_metadata_is_checked_in(declared):
    assert (metadata.FOLDER / f"{declared.name}.json").read_text() == metadata.text(declared)


@EVERY
def test_shards_hold_whole_chunks(declared):
    for variable in declared.variables:
        _, chunk, shard = declared.layout(variable, {d.name: d.min_size for d in declared.dimensions})
        assert all(s % c == 0 for s, c in zip(shard, chunk, strict=True))


@EVERY
def test_every_variable_says_its_window_and_what_missing_means(declared):
    for variable in declared.variables:
        assert "issing" in variable.comment
        assert variable.units
        assert variable.long_name
        if {"time", "hour"} & set(declared.dims_of(variable)):
            assert variable.cell_methods
            assert "hour" in variable.comment


@EVERY
def test_the_valid_range_can_be_packed_and_comes_back(declared):
    for variable in declared.variables:
        values = np.array([variable.valid_min, variable.valid_max, np.nan])
        packed = variable.pack(values)
        assert packed[2] == FILL
        assert packed[:2].max() <= PACKED_MAX
        np.testing.assert_allclose(variable.unpack(packed), values, atol=variable.scale / 2 + 1e-9)


def test_what_cannot_be_packed_is_refused_and_not_clipped():
    ghi = product("forecast").variable("ghi")
    for bad in (-1.0, 7000.0, np.inf, -np.inf):
        with pytest.raises(ValueError, match="ghi"):
            ghi.pack(np.array([1.0, bad]))


def test_an_unknown_product_names_the_known():
    with pytest.raises(KeyError, match=r"correction, .*forecast"):
        product("nonsense")
