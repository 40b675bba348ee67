"""The static STAC catalogue beside the tiles: a collection per product, an item per version.

Written right after every publish; the index stays the authority, so a reader of STAC may be a moment behind it.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

import numpy as np
import pystac
from numpy.typing import NDArray
from pyproj import Transformer

from catalog.providers import Credits, credits_of
from catalog.versions import Entry, Index, read_index
from tiles.clock import iso, parse_iso
from tiles.manifest import Manifest, fingerprint
from tiles.product import Dimension, Product, Variable
from tiles.products.registry import PRODUCTS
from tiles.store import NotFound, Store

DATACUBE = "https://stac-extensions.github.io/datacube/v2.2.0/schema.json"
PROJECTION = "https://stac-extensions.github.io/projection/v2.0.0/schema.json"
FILE = "https://stac-extensions.github.io/file/v2.1.0/schema.json"
ZARR = "application/vnd.zarr; version=3"
PARQUET = "application/vnd.apache.parquet"
COVERAGE = (4.0, 57.0, 32.0, 72.0)
_UNITS = {"PT1H": "hours", "P1D": "days", "P1Y": "years"}
Axes = Mapping[str, NDArray[Any]]
_SHA256 = "1220"  # multihash: sha2-256, 32 bytes


def item_key(entry: Entry) -> str:
    """Return the key of a version's item: each attempt has its own, so that none is ever of another's making."""
    return f"{entry.path.removesuffix('.zarr')}.item.json"


def collection_key(product: str) -> str:
    """Return the key of a product's collection."""
    return f"{product}/collection.json"


def write_item(store: Store, product: Product, entry: Entry, manifest: Manifest) -> None:
    """Write the item of a version."""
    # an axis is one object, as it is: bytes without a compressor
    axes = {d.name: np.frombuffer(store.get(f"{entry.path}/{d.name}/c/0"), d.dtype) for d in product.dimensions}
    store.put(item_key(entry), _json(_item(product, entry, manifest, axes)))


def write_collection(store: Store, product: Product) -> None:
    """Write a product's collection from its index, and the root that links all products."""
    # the index is read inside the update: of two builders, the last to write sees both versions
    store.update(collection_key(product.name), lambda _: _json(_collection(store, product)))
    store.update("catalog.json", lambda _: _json(_root([p for p in PRODUCTS.values() if _published(store, p)])))


def _published(store: Store, product: Product) -> bool:
    return store.exists(collection_key(product.name))


def bbox(product: Product, manifest: Manifest) -> tuple[float, ...]:
    """Return west, south, east and north of the shards that a version holds, degrees."""
    if product.grid is None:
        return COVERAGE
    named = (name.split("/c/") for name in manifest.objects if "/c/" in name)
    shards = [tuple(map(int, at.split("/")[-2:])) for variable, at in named if variable in manifest.variables]
    held, size, shape = np.array(shards or [(0, 0)]), np.array(product.shard[-2:]), np.array(product.grid.shape)
    first, last = held.min(axis=0) * size, np.minimum((held.max(axis=0) + 1) * size, shape) - 1
    rows, columns = product.grid.axes
    half_y, half_x = (rows[1] - rows[0]) / 2, (columns[1] - columns[0]) / 2
    edges = columns[first[1]] - half_x, rows[first[0]] - half_y, columns[last[1]] + half_x, rows[last[0]] + half_y
    degrees = Transformer.from_crs(product.grid.epsg, 4326, always_xy=True).transform_bounds(*edges)
    return tuple(round(float(v), 6) for v in degrees)


def extents(product: Product, variable: Variable, which: tuple[int, ...]) -> dict[str, str]:
    """Return how far a chunk or shard reaches along each dimension, in degrees, metres, hours, days or years."""
    named = {}
    steps = {d.name: _UNITS.get(d.step, "steps") for d in product.dimensions}
    for name, count in zip(product.dims_of(variable), which, strict=True):
        if name in steps:
            named[name] = f"{count} {steps[name]}"
        else:
            assert product.grid is not None  # noqa: S101 - every other dimension is the grid's
            axis = product.grid.axes[product.grid.dims.index(name)]
            step, unit = float(axis[1] - axis[0]), "degrees" if product.grid.epsg == 4326 else "m"
            named[name] = f"{count * step:.6g} {unit}"
    return named


def _item(product: Product, entry: Entry, manifest: Manifest, axes: Axes) -> pystac.Item:
    credited = credits_of([manifest.provenance])
    west, south, east, north = bbox(product, manifest)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    item = pystac.Item(
        id=f"{entry.product}-{entry.version}",
        geometry={"type": "Polygon", "coordinates": [ring]},
        bbox=[west, south, east, north],
        datetime=None,
        start_datetime=entry.valid_from,
        end_datetime=entry.valid_to,
        collection=entry.product,
        properties={
            "created": iso(entry.published_at),
            "license": credited.licence,
            "providers": [provider.to_dict() for provider in credited.providers],
            "solflis:issued_at": iso(entry.issued_at),
            "solflis:schema": entry.schema,
            "solflis:attempt": entry.attempt,
            "solflis:data_origin": entry.data_origin,
            "solflis:source": entry.source,
            "solflis:provenance": manifest.provenance,
            **_cube(product, entry, manifest, axes),
            **_projection(product),
        },
        stac_extensions=[DATACUBE, *([PROJECTION] if product.grid else []), FILE],
    )
    up = "../../"
    item.add_link(pystac.Link("root", f"{up}catalog.json", pystac.MediaType.JSON))
    item.add_link(pystac.Link("parent", "../collection.json", pystac.MediaType.JSON))
    item.add_link(pystac.Link("collection", "../collection.json", pystac.MediaType.JSON))
    item.add_links(credited.links)
    base = f"{up}{entry.path}"
    item.add_asset("zarr", pystac.Asset(base, title="Zarr 3 group, sharded", media_type=ZARR, roles=["data"]))
    item.add_asset(
        "manifest",
        pystac.Asset(
            f"{up}{entry.manifest}",
            title="Every object with its SHA-256",
            media_type=pystac.MediaType.JSON,
            roles=["metadata"],
        ),
    )
    # of the manifest, which vouches for everything else
    item.assets["manifest"].extra_fields |= _stored(fingerprint(manifest.to_bytes()))
    for name in manifest.objects:
        if name.endswith(".parquet"):
            asset = pystac.Asset(f"{base}/{name}", title="GeoParquet", media_type=PARQUET, roles=["data"])
            asset.extra_fields |= _stored(manifest.objects[name])
            item.add_asset(name, asset)
    return item


def _stored(printed: Mapping[str, Any]) -> dict[str, Any]:
    return {"file:checksum": _SHA256 + printed["sha256"], "file:size": printed["bytes"]}


def _cube(product: Product, entry: Entry, manifest: Manifest, axes: Axes) -> dict[str, Any]:
    sizes = {name: len(values) for name, values in axes.items()}
    dimensions: dict[str, Any] = {d.name: _dimension(d, entry, axes[d.name]) for d in product.dimensions}
    if product.grid is not None:
        for name, values, axis in zip(product.grid.dims, product.grid.axes, ("y", "x"), strict=True):
            dimensions[name] = {
                "type": "spatial",
                "axis": axis,
                "extent": [float(values[0]), float(values[-1])],
                "step": round(float(values[1] - values[0]), 9),
                "reference_system": product.grid.epsg,
            }
    variables = {
        v.name: {
            "type": "data",
            "dimensions": list(product.dims_of(v)),
            "unit": v.units,
            "description": f"{v.long_name}. {v.comment}",
            "solflis:chunk": extents(product, v, product.layout(v, sizes)[1]),
            "solflis:shard": extents(product, v, product.layout(v, sizes)[2]),
            "solflis:statistics": {k: manifest.variables[v.name][k] for k in ("min", "max")},
        }
        for v in product.variables
        if v.name in entry.variables
    }
    return {"cube:dimensions": dimensions, "cube:variables": variables}


def _dimension(dimension: Dimension, entry: Entry, values: NDArray[Any]) -> dict[str, Any]:
    """Return a dimension that is no part of the grid, as the datacube extension describes it."""
    about: dict[str, Any] = {"type": dimension.name, "description": dimension.long_name}
    if dimension.comment:
        about["description"] += f". {dimension.comment}"
    if dimension.labels:
        return {**about, "values": list(dimension.labels)}
    if not dimension.step:
        return {**about, "unit": dimension.units, "extent": [float(values.min()), float(values.max())]}
    extent = [entry.valid_from, entry.valid_to]
    unit, _, origin = dimension.units.partition(" since ")
    if origin:
        before, after = dimension.bounds or (0, 0)
        ends = float(values[0]) + before, float(values[-1]) + after
        extent = [parse_iso(origin) + timedelta(**{unit: end}) for end in ends]
    if dimension.bounds:
        about["solflis:bounds"] = f"{dimension.name}_bnds"
    return {**about, "type": "temporal", "extent": [iso(moment) for moment in extent], "step": dimension.step}


def _projection(product: Product) -> dict[str, Any]:
    if product.grid is None:
        return {}
    rows, columns = product.grid.axes
    step_y, step_x = float(rows[1] - rows[0]), float(columns[1] - columns[0])
    return {
        "proj:code": f"EPSG:{product.grid.epsg}",
        "proj:shape": list(product.grid.shape),
        # rows run from south to north, as they are stored
        "proj:transform": [step_x, 0, float(columns[0]) - step_x / 2, 0, step_y, float(rows[0]) - step_y / 2],
    }


def _collection(store: Store, product: Product) -> pystac.Collection:
    index = read_index(store, product.name)
    credited = _credits(store, index)
    sources = sorted({entry.source for entry in index.entries})
    starts = [entry.valid_from for entry in index.entries]
    ends = [entry.valid_to for entry in index.entries]
    collection = pystac.Collection(
        id=product.name,
        title=product.title,
        description=product.description,
        license=credited.licence,
        extent=pystac.Extent(
            pystac.SpatialExtent([_together(index)]),
            pystac.TemporalExtent([[min(starts, default=None), max(ends, default=None)]]),
        ),
        providers=credited.providers,
        keywords=["solar", "irradiance", "Norway", product.name],
        extra_fields={
            "solflis:sources": sources,
            "solflis:schema": product.schema,
            "solflis:version_rule": product.version_rule,
        },
    )
    collection.add_link(pystac.Link("root", "../catalog.json", pystac.MediaType.JSON))
    collection.add_link(pystac.Link("parent", "../catalog.json", pystac.MediaType.JSON))
    collection.add_links(credited.links)
    for entry in index.entries:
        collection.add_link(
            pystac.Link("item", f"./{item_key(entry).removeprefix(entry.product + '/')}", pystac.MediaType.GEOJSON)
        )
    return collection


def _together(index: Index) -> list[float]:
    """Return the box around all versions."""
    boxes = np.array([entry.bbox for entry in index.entries if entry.bbox] or [COVERAGE])
    return [*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist()]


def _credits(store: Store, index: Index) -> Credits:
    """Return who made the versions of an index: read from one item of each kind of source and origin."""
    newest = {(entry.source, entry.data_origin): entry for entry in index.entries}
    provenances = []
    for entry in newest.values():
        with suppress(NotFound):  # of a version that was copied here without its item
            item = json.loads(store.get(item_key(entry)))
            provenances.append(item["properties"]["solflis:provenance"])
    return credits_of(provenances)


def _root(products: list[Product]) -> pystac.Catalog:
    root = pystac.Catalog(
        id="solflis",
        title="Solflis",
        description="Solar data and load calculations for Norway, as cloud-optimized Zarr.",
    )
    for product in products:
        root.add_link(
            pystac.Link("child", f"./{collection_key(product.name)}", pystac.MediaType.JSON, title=product.title)
        )
    return root


def _json(made: pystac.STACObject) -> bytes:
    document = made.to_dict(include_self_link=False, transform_hrefs=False)
    return json.dumps(document, indent=1, ensure_ascii=False).encode()
