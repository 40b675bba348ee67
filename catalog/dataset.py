"""A published version as a lazy xarray Dataset: what `catalog.open` does."""

from typing import TYPE_CHECKING, Any

from catalog.versions import Entry, read_index
from tiles.clock import Clock
from tiles.product import Product
from tiles.products.registry import PRODUCTS
from tiles.products.registry import product as declared_product
from tiles.store import Store, open_store

if TYPE_CHECKING:
    import xarray as xr

DEFAULT_STORE = "./var/tiles"


def open_dataset(
    name: str,
    /,
    version: str | None = None,
    *,
    product: str | None = None,
    store: Store | str = DEFAULT_STORE,
    clock: Clock | None = None,
) -> "xr.Dataset":
    """Open a version of a product with decoded units, lazily.

    Parameters
    ----------
    name : str
        Such as `forecast`; or what several products share, `tmy`.
    version : str, optional
        Such as `2015-08-24T00`; the newest one by the clock when absent.
    product : str, optional
        Which of those that share the name, `ens_tmy30`. Its dimensions are the grid's two, and then its own.
    store : Store or str
        A folder or `s3://bucket/prefix`.
    clock : Clock, optional
        Real time when absent.

    Returns
    -------
    xarray.Dataset
        Dimensions and variables of the product, physical values, NaN where missing; provenance in `attrs`.

    Raises
    ------
    KeyError
        No such product or version; the text names those that there are.
    """
    import xarray as xr

    opened = open_store(store) if isinstance(store, str) else store
    declared = _declared(name, product)
    entry = _choose(opened, declared.name, version, clock or Clock())
    chunks: Any = {} if _has_dask() else None
    dataset: xr.Dataset = xr.open_zarr(opened.zarr(entry.path, read_only=True), chunks=chunks, consolidated=True)
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


def _choose(store: Store, product: str, version: str | None, clock: Clock) -> Entry:
    index = read_index(store, product)
    entry = index.newest(clock.now()) if version is None else index.get(version)
    if entry is None:
        command = declared_product(product).family or product
        there = ", ".join(e.version for e in index.entries) or f"none; build it with 'solflis build {command}'"
        what = version or "that is not in the future"
        raise KeyError(f"no version {what} of '{product}' in {store.url}; there are: {there}")
    return entry


def _has_dask() -> bool:
    from importlib.util import find_spec

    return find_spec("dask") is not None
