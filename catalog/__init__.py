"""What data there is: upstream sources, and our published versions.

>>> import catalog
>>> ds = catalog.open("forecast")
>>> ds.ghi.sel(lat=59.91, lon=10.75, method="nearest").to_series()
>>> tmy = catalog.open("tmy", product="ens_tmy30")
>>> (tmy.ghi.sum("hour") / 1000).plot(x="lon", y="lat")
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr


def open(name: str, /, version: str | None = None, **options: Any) -> "xr.Dataset":  # noqa: A001 - the catalogue's verb
    """Open a version of a product with decoded units, lazily; see `catalog.dataset.open_dataset`.

    Nothing is imported before it is called: whoever only reads the index pays nothing for xarray.
    """
    from catalog.dataset import open_dataset

    return open_dataset(name, version, **options)
