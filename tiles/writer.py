"""Writing a draft: a Zarr 3 group that nobody reads until it is published."""

import secrets
import warnings
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.codecs import BloscCodec, Crc32cCodec

from tiles.arrays import read_layout, read_shard, read_whole, stored_layout, write_shards
from tiles.coordinates import bounds_of, dimension_coordinate, grid_coordinates, positions_of
from tiles.manifest import Manifest, fingerprint
from tiles.product import FILL, Product, Variable
from tiles.shard import ArrayLayout
from tiles.store import Store

GROUP_ATTRIBUTES = ("Conventions", "title", "summary", "product", "schema")


class Draft:
    """A version in the making.

    Parameters
    ----------
    store : Store
    product : Product
    version : str
    axes : mapping of str to array
        The values of each of the product's own dimensions; the grid's two come from the grid.
    provenance : mapping
        Becomes the group's attributes; see `Manifest.provenance`.
    attempt : str, optional
        One that was begun before, to be gone on with.
    """

    def __init__(
        self,
        store: Store,
        product: Product,
        version: str,
        axes: Mapping[str, NDArray[Any]],
        provenance: Mapping[str, Any],
        attempt: str | None = None,
    ) -> None:
        self.store, self.product, self.version = store, product, version
        # real time, whatever the clock says: gc tells by it how long an attempt has been lying about
        self.attempt = attempt or f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
        self.path = f"{product.name}/{version}/{self.attempt}.zarr"
        self.provenance = dict(provenance)
        self._axes = {name: np.asarray(values) for name, values in axes.items()}
        self._packed: dict[str, NDArray[np.uint16]] = {}
        self._shards: dict[str, dict[str, dict[str, Any]]] = {}
        self._stats: dict[str, dict[str, Any]] = {}
        self._layouts: dict[str, ArrayLayout] = {}
        self._judged: set[str] = set()
        self._attached: dict[str, dict[str, Any]] = {}
        if attempt is None:
            store.require_safe()  # now, and not when hours of work are to be published
            self._group = create_group(store.zarr(self.path), product, self._axes, self.provenance)
        else:
            self._group = zarr.open_group(store.zarr(self.path), mode="r+")

    @classmethod
    def reopen(cls, store: Store, product: Product, version: str, attempt: str) -> "Draft":
        """Return an attempt that was begun before, with its axes and provenance as they are stored."""
        draft = cls(store, product, version, {}, {}, attempt)
        draft._axes = {d.name: draft.axis(d.name) for d in product.dimensions}
        draft.provenance = {k: v for k, v in dict(draft._group.attrs).items() if k not in GROUP_ATTRIBUTES}
        return draft

    def write(self, name: str, values: NDArray[np.floating]) -> None:
        """Write a whole variable of physical values, NaN where missing.

        Raises
        ------
        ValueError
            A value cannot be packed.
        """
        variable = self.product.variable(name)
        packed = np.empty(values.shape, np.uint16)
        for step in range(values.shape[0]):  # a step at a time: packing needs a few times its room
            packed[step] = variable.pack(values[step])
        self.write_packed(name, packed)

    def write_packed(self, name: str, packed: NDArray[np.uint16]) -> None:
        """Write a whole variable that is packed already."""
        variable = self.product.variable(name)
        array = create_array(self._group, self.product, variable, self._sizes)
        if array.shape != packed.shape:
            raise ValueError(f"{name} has shape {packed.shape}, not the product's {array.shape}")
        shards = write_shards(self.store, f"{self.path}/{name}", packed)
        self._shards[name] = {f"{name}/{shard}": printed for shard, printed in shards.items()}
        self._packed.pop(name, None)
        self._stats[name] = _stats(packed, variable)

    def write_block(self, name: str, corner: tuple[int, int], packed: NDArray[np.uint16]) -> None:
        """Write a part of a variable that is packed already; what is never written is not expected of the version.

        Parameters
        ----------
        name : str
        corner : (int, int)
            The cell of the grid with which the part begins: row and column of a shard's first.
        packed : uint16 array (..., rows, columns)
            Whole shards, but at the far edges of the grid.

        Raises
        ------
        ValueError
            They are not whole.
        """
        variable = self.product.variable(name)
        if name not in self._layouts:
            if name not in self._group:
                create_array(self._group, self.product, variable, self._sizes)
            self._layouts[name] = stored_layout(self.store, f"{self.path}/{name}")
        start = (*(0 for _ in range(packed.ndim - 2)), *corner)
        shards = write_shards(self.store, f"{self.path}/{name}", packed, start, self._layouts[name])
        self._count(name, {f"{name}/{shard}": printed for shard, printed in shards.items()}, _stats(packed, variable))

    def attach(self, name: str, data: bytes) -> None:
        """Write a file that is no Zarr, such as GeoParquet, beside the arrays; the manifest lists it.

        Parameters
        ----------
        name : str
            In a folder (`files/borders.parquet`): zarr takes what lies right in the group for an array.
        data : bytes
        """
        self.store.put(f"{self.path}/{name}", data)
        self._attached[name] = fingerprint(data)

    def create(self, names: Iterable[str]) -> None:
        """Create the arrays of variables that blocks will be written to, by this process or another."""
        for name in names:
            create_array(self._group, self.product, self.product.variable(name), self._sizes)

    def drop_others(self) -> None:
        """Remove the arrays of variables that nothing was written of."""
        for variable in self.product.variables:
            if variable.name in self._group and variable.name not in self._shards:
                del self._group[variable.name]

    def take(self, name: str, shards: Mapping[str, dict[str, Any]], stats: dict[str, Any]) -> None:
        """Count shards of a variable that were judged and settled by whoever wrote them; they are not read again.

        Parameters
        ----------
        name : str
        shards : mapping of str to dict
            Fingerprint by key, as `write_block` or `written` of whoever wrote them said.
        stats : dict
        """
        self._judged.update(shards)
        self._count(name, shards, stats)

    def forget(self) -> None:
        """Forget what was written so far, which another draft of the same attempt counts."""
        self._shards.clear()
        self._stats.clear()

    def judged(self, name: str) -> bool:
        """Return whether shards of a variable were judged by whoever wrote them."""
        return any(shard in self._judged for shard in self._shards[name])

    def _count(self, name: str, shards: Mapping[str, dict[str, Any]], stats: dict[str, Any]) -> None:
        self._shards.setdefault(name, {}).update(shards)
        self._packed.pop(name, None)
        self._stats[name] = _together(self._stats.get(name), stats)

    def written(self) -> dict[str, dict[str, Any]]:
        """Return what was written so far: `shards` and `stats` of each variable, as `take` takes them."""
        return {name: {"shards": shards, "stats": self._stats[name]} for name, shards in self._shards.items()}

    def describe(self, more: Mapping[str, Any]) -> None:
        """Add to the provenance what was only learned on the way."""
        self.provenance |= more
        self._group.attrs.update(more)

    @property
    def _sizes(self) -> dict[str, int]:
        return {name: len(values) for name, values in self._axes.items()}

    def names(self) -> list[str]:
        """Return the variables that have been written."""
        return list(self._shards)

    def axis(self, name: str) -> NDArray[Any]:
        """Return a dimension's values as they were stored."""
        array = self._group[name]
        assert isinstance(array, zarr.Array)  # noqa: S101 - no product has groups in its group
        return np.asarray(array[...])

    def packed(self, name: str) -> NDArray[np.uint16]:
        """Return a variable as it was stored; decoded once, then kept until the draft goes."""
        if name not in self._packed:
            self._packed[name] = read_whole(self.store, self._manifest(), name)
        return self._packed[name]

    def shards(self, name: str) -> Iterator[tuple[str, NDArray[np.uint16]]]:
        """Give the stored shards of a variable that nobody has judged yet: the key and what it holds."""
        keys = sorted(self._shards[name].keys() - self._judged)
        if not keys:
            return
        manifest = self._manifest()
        layout = read_layout(self.store, manifest, name)
        for key in keys:
            at = tuple(int(i) for i in key.removeprefix(f"{name}/c/").split("/"))
            inside = (slice(w.start, min(w.stop, n)) for w, n in zip(layout.window(at), layout.shape, strict=True))
            part = np.full([w.stop - w.start for w in inside], layout.fill, np.uint16)
            read_shard(self.store, manifest, name, layout, at, part)
            yield key, part

    def seal(self) -> tuple[Manifest, list[str]]:
        """Consolidate the metadata; return the manifest, and which of its objects are to be read back and settled.

        The shards' checksums are of what was written, not of what lies in the store: `Manifest.fetch` compares.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an extension of Zarr 3; readers that do not know it ignore it
            zarr.consolidate_metadata(self._group.store)
        manifest = self._manifest()
        return manifest, [name for name in manifest.objects if name not in self._judged]

    def _manifest(self) -> Manifest:
        axes = [*self._axes, *(self.product.grid.dims if self.product.grid else ())]
        # an attempt that an older Solflis began has no bounds
        places = [*positions_of(self.product), *(name for name in bounds_of(self.product) if name in self._group)]
        arrays = [*axes, *places, *(["crs"] if self.product.grid else []), *self._shards]
        names = ["zarr.json", *(f"{name}/zarr.json" for name in arrays), *(f"{name}/c/0" for name in axes)]
        names += [f"{name}/c/0/0" for name in places]
        objects = {name: fingerprint(self.store.get(f"{self.path}/{name}")) for name in names}
        for written in (self._attached, *self._shards.values()):
            objects |= written
        return Manifest(
            product=self.product.name,
            version=self.version,
            attempt=self.attempt,
            schema=self.product.schema,
            path=self.path,
            variables=self._stats,
            objects=objects,
            provenance=self.provenance,
        )


def create_group(
    where: Any, product: Product, axes: Mapping[str, NDArray[Any]], provenance: Mapping[str, Any]
) -> zarr.Group:
    """Create a product's Zarr group with its coordinates, without any variable."""
    group = zarr.create_group(
        where,
        zarr_format=3,
        attributes={
            "Conventions": "CF-1.11",
            "title": product.title,
            "summary": product.description,
            "product": product.name,
            "schema": product.schema,
            **provenance,
        },
    )
    for dimension in product.dimensions:
        dimension_coordinate(group, dimension, axes[dimension.name])
    if product.grid is not None:
        grid_coordinates(group, product)
    return group


def create_array(group: zarr.Group, product: Product, variable: Variable, sizes: Mapping[str, int]) -> zarr.Array[Any]:
    """Create the array of a variable in a product's group whose own dimensions have these sizes."""
    shape, chunk, shard = product.layout(variable, sizes)
    attributes: dict[str, Any] = {
        "long_name": variable.long_name,
        "units": variable.units,
        "comment": variable.comment,
        "scale_factor": variable.scale,
        "add_offset": variable.offset,
        "_FillValue": FILL,
        "valid_range_physical": [variable.valid_min, variable.valid_max],
    }
    for key in ("standard_name", "cell_methods"):
        if getattr(variable, key):
            attributes[key] = getattr(variable, key)
    if product.grid is not None:
        attributes["grid_mapping"] = "crs"
    if places := positions_of(product):
        attributes["coordinates"] = " ".join(places)
    return group.create_array(
        variable.name,
        shape=shape,
        chunks=chunk,
        shards=shard,
        dtype="uint16",
        fill_value=FILL,
        compressors=[BloscCodec(cname="lz4", clevel=5, shuffle="bitshuffle", typesize=2), Crc32cCodec()],
        dimension_names=product.dims_of(variable),
        attributes=attributes,
    )


def _stats(packed: NDArray[np.uint16], variable: Variable) -> dict[str, Any]:
    high = int(np.max(packed, where=packed != FILL, initial=0))
    low = int(packed.min())

    def physical(value: int) -> float:
        return round(value * variable.scale + variable.offset, 6)

    return {
        "units": variable.units,
        "scale": variable.scale,
        "offset": variable.offset,
        "min": None if low == FILL else physical(low),
        "max": None if low == FILL else physical(high),
    }


def _together(before: dict[str, Any] | None, block: dict[str, Any]) -> dict[str, Any]:
    """Return the statistics of a variable with one block more."""
    if before is None or before["min"] is None:
        return block
    if block["min"] is None:
        return before
    return {**block, "min": min(before["min"], block["min"]), "max": max(before["max"], block["max"])}
