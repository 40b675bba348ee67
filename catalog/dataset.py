"""Published versions as a lazy xarray Dataset: what `catalog.open` does."""

import json
import math
from numbers import Number
from typing import Any

import dask.array as da
import numpy as np
import xarray as xr
from numpy.typing import NDArray

from catalog.remote import open_readable
from catalog.sources.data_origin import origin_of
from catalog.versions import Entry, read_index
from tiles.clock import Clock
from tiles.product import Product
from tiles.products.registry import PRODUCTS
from tiles.products.registry import product as declared_product
from tiles.store import Store

DEFAULT_STORE = "./var/tiles"
_BLOCK_BYTES = 32 * 2**20


def open_dataset(
    name: str,
    /,
    version: str | None = None,
    *,
    product: str | None = None,
    store: Store | str = DEFAULT_STORE,
    clock: Clock | None = None,
) -> xr.Dataset:
    """Open a version of a product with decoded units, lazily: dask arrays, one block a shard.

    Parameters
    ----------
    name : str
        Such as `forecast`; or what several products share, `tmy`.
    version : str, optional
        Such as `2015-08-24T00`; the newest one by the clock when absent. Of `climate_archive` all years when absent.
    product : str, optional
        Which of those that share the name, `ens_tmy30`. Its dimensions are the grid's two, and then its own.
    store : Store or str
        A folder, `s3://bucket/prefix`, `https://host/tiles`, or any other address of fsspec's.
    clock : Clock, optional
        Real time when absent.

    Returns
    -------
    xarray.Dataset
        Dimensions and variables of the product, physical values, NaN where missing; provenance in `attrs`, of which
        what NetCDF cannot hold is JSON text.

    Raises
    ------
    KeyError
        No such product or version; the text names those that there are.
    """
    opened = open_readable(store) if isinstance(store, str) else store
    declared = _declared(name, product)
    entries = _choose(opened, declared, version, clock or Clock())
    datasets = [_open(opened, declared, entry) for entry in entries]
    dataset = datasets[0] if version or not declared.joined_along else _joined(datasets, declared.joined_along, entries)
    stored = {n: v for n, v in dataset.variables.items() if v.encoding.get("shards") and v.chunks is None}
    dataset = dataset.assign({name: variable.chunk(_blocks(variable)) for name, variable in stored.items()})
    if declared.family and declared.grid is not None:  # a cell's year is one chunk: time comes last
        return dataset.transpose(*declared.grid.dims, ...)
    return dataset


def _declared(name: str, product: str | None) -> Product:
    family = {p.name: p for p in PRODUCTS.values() if p.family == name}
    if not family and product is not None:
        raise KeyError(f"'{name}' is one product: open it without product='{product}'")
    if not family:
        return declared_product(name)
    if product not in family:
        raise KeyError(f"'{name}' is several products: say product=..., one of {', '.join(family)}")
    return family[product]


def _choose(store: Store, product: Product, version: str | None, clock: Clock) -> list[Entry]:
    """Return the one version to open, or those that follow one another in time."""
    index, now = read_index(store, product.name), clock.now()
    if version is None and product.joined_along:
        entries = _following([e for e in index.entries if e.issued_at <= now])
    else:
        entry = index.newest(now) if version is None else index.get(version)
        entries = [entry] if entry else []
    if not entries:
        there = ", ".join(e.version for e in index.entries)
        there = there or f"none; build it with 'solflis build {product.family or product.name}'"
        what = version or "that is not in the future"
        raise KeyError(f"no version {what} of '{product.name}' in {store.url}; there are: {there}")
    return entries


def _following(entries: list[Entry]) -> list[Entry]:
    """Return versions in the order of time; of those that overlap, as a month and its year, the longest."""
    chosen: list[Entry] = []
    for entry in sorted(entries, key=lambda e: (e.valid_to - e.valid_from, e.published_at), reverse=True):
        if all(entry.valid_to <= other.valid_from or other.valid_to <= entry.valid_from for other in chosen):
            chosen.append(entry)
    return sorted(chosen, key=lambda e: e.valid_from)


def _open(store: Store, product: Product, entry: Entry) -> xr.Dataset:
    dataset: xr.Dataset = xr.open_zarr(
        store.zarr(entry.path, read_only=True), chunks=None, consolidated=True, decode_coords="all"
    )
    for d in product.dimensions:
        if d.labels:
            names = np.array(d.labels)[dataset[d.name].values.astype(int)]
            dataset = dataset.assign_coords({d.name: (d.name, names, {"long_name": d.long_name})})
    dataset.attrs = {key: _attribute(value) for key, value in dataset.attrs.items()}
    for variable in dataset.variables.values():
        variable.attrs = {key: _attribute(value) for key, value in variable.attrs.items()}
    return dataset


def _blocks(variable: xr.Variable) -> tuple[int, ...]:
    """Return the shape of dask's blocks, in whole shards: a task for each small shard would cost more than reading."""
    shard: tuple[int, ...] = variable.encoding["shards"]
    times = max(1, math.isqrt(_BLOCK_BYTES // (math.prod(shard) * variable.dtype.itemsize)))
    return (*shard[:-2], *(n * times for n in shard[-2:]))


def _attribute(value: Any) -> Any:
    """Return an attribute as NetCDF holds it: text, numbers and lists of numbers as they are, others as JSON text."""
    items = value if isinstance(value, list | tuple) and value else [value]
    if isinstance(value, str | np.ndarray) or all(isinstance(v, Number) and not isinstance(v, bool) for v in items):
        return value
    return json.dumps(value, ensure_ascii=False)


def _joined(datasets: list[xr.Dataset], along: str, entries: list[Entry]) -> xr.Dataset:
    """Return versions one after the other; what does not vary along the dimension is of the newest that has it."""
    joined = xr.concat(
        [dataset.drop_vars(dataset.data_vars) for dataset in datasets], along,
        coords="minimal", compat="override", join="override", combine_attrs="drop_conflicts",
    )  # fmt: skip
    lengths = tuple(dataset.sizes[along] for dataset in datasets)
    for name, newest in {n: v.variable for dataset in datasets for n, v in dataset.data_vars.items()}.items():
        if along in newest.dims:
            absent = (xr.Variable(newest.dims, np.broadcast_to(np.nan, (n, *newest.shape[1:]))) for n in lengths)
            parts = [dataset.variables.get(name, lacking) for dataset, lacking in zip(datasets, absent, strict=True)]
            lazy = da.from_array(_Parts(parts, newest.dtype), (lengths, *_blocks(newest)[1:]))  # type: ignore[no-untyped-call]
            joined[name] = xr.Variable(newest.dims, lazy, newest.attrs, newest.encoding)
        else:
            joined[name] = newest
    origin = origin_of(*(e.data_origin for e in entries))
    joined.attrs |= {"data_origin": origin, "versions": " ".join(e.version for e in entries)}
    return joined


class _Parts:
    """A variable's parts as one array along its first axis, of which dask asks for a piece of one part at a time.

    Not `xr.concat` of dask arrays, nor `from_array(fancy=False)`: dask pushes an index through neither, and the series
    of a cell would be read with all cells of its shards.

    Parameters
    ----------
    parts : list of Variable
    dtype : dtype
    """

    def __init__(self, parts: list[xr.Variable], dtype: np.dtype[Any]) -> None:
        self._parts, self._starts = parts, np.cumsum([0, *(len(part) for part in parts)])
        self.shape, self.ndim, self.dtype = (int(self._starts[-1]), *parts[0].shape[1:]), parts[0].ndim, dtype

    def __getitem__(self, key: tuple[Any, ...]) -> NDArray[Any]:
        wanted = np.arange(self.shape[0])[key[0]]
        number = int(np.searchsorted(self._starts, wanted.min(initial=self.shape[0] - 1), "right")) - 1
        inside: Any = wanted - self._starts[number]
        if isinstance(key[0], slice) and key[0].step in (None, 1):  # a list of all hours would be slow
            inside = slice(inside[0], inside[-1] + 1) if inside.size else slice(0)
        return np.asarray(self._parts[number][(inside, *key[1:])].values)
