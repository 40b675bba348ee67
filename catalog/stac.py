"""The static STAC catalogue beside the tiles: a collection per product, an item per version.

Written right after every publish; the index stays the authority, so a reader of STAC may be a moment behind it.
"""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pystac

from catalog.versions import Entry, Index, read_index
from tiles.clock import iso
from tiles.manifest import Manifest, fingerprint
from tiles.product import Product, Variable
from tiles.products.registry import PRODUCTS
from tiles.store import Store

DATACUBE = "https://stac-extensions.github.io/datacube/v2.2.0/schema.json"
PROJECTION = "https://stac-extensions.github.io/projection/v2.0.0/schema.json"
FILE = "https://stac-extensions.github.io/file/v2.1.0/schema.json"
ZARR = "application/vnd.zarr; version=3"
COVERAGE = (4.0, 57.0, 32.0, 72.0)
_SHA256 = "1220"  # multihash: sha2-256, 32 bytes


def item_key(entry: Entry) -> str:
    """Return the key of a version's item: each attempt has its own, so that none is ever of another's making."""
    return f"{entry.path.removesuffix('.zarr')}.item.json"


def collection_key(product: str) -> str:
    """Return the key of a product's collection."""
    return f"{product}/collection.json"


def write_item(store: Store, product: Product, entry: Entry, manifest: Manifest) -> None:
    """Write the item of a version."""
    store.put(item_key(entry), _json(_item(product, entry, manifest)))


def write_collection(store: Store, product: Product) -> None:
    """Write a product's collection from its index, and the root that links all products."""
    # the index is read inside the update: of two builders, the last to write sees both versions
    store.update(collection_key(product.name), lambda _: _json(_collection(product, read_index(store, product.name))))
    store.update("catalog.json", lambda _: _json(_root([p for p in PRODUCTS.values() if _published(store, p)])))


def _published(store: Store, product: Product) -> bool:
    return store.exists(collection_key(product.name))


def bbox(product: Product) -> list[float]:
    """Return west, south, east and north of a product, degrees."""
    if product.grid is None or product.grid.epsg != 4326:
        return list(COVERAGE)
    lats, lons = product.grid.axes
    half = float(lats[1] - lats[0]) / 2
    return [round(v, 6) for v in (lons[0] - half, lats[0] - half, lons[-1] + half, lats[-1] + half)]


def extents(product: Product, variable: Variable, sizes: Mapping[str, int], which: tuple[int, ...]) -> dict[str, str]:
    """Say how far a chunk or shard reaches along each dimension, in degrees, metres and hours."""
    named = {}
    for name, count in zip(product.dims_of(variable), which, strict=True):
        if name in ("time", "hour"):
            named[name] = f"{min(count, sizes[name])} hours"
        elif product.grid is not None and name in product.grid.dims:
            axis = product.grid.axes[product.grid.dims.index(name)]
            step, unit = float(axis[1] - axis[0]), "degrees" if product.grid.epsg == 4326 else "m"
            named[name] = f"{count * step:.6g} {unit}"
        else:
            named[name] = f"{count} steps"
    return named


def _item(product: Product, entry: Entry, manifest: Manifest) -> dict[str, Any]:
    west, south, east, north = bbox(product)
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
            "solflis:issued_at": iso(entry.issued_at),
            "solflis:schema": entry.schema,
            "solflis:attempt": entry.attempt,
            "solflis:data_origin": entry.data_origin,
            "solflis:source": entry.source,
            "solflis:provenance": manifest.provenance,
            **_cube(product, entry, manifest),
            **_projection(product),
        },
        stac_extensions=[DATACUBE, *([PROJECTION] if product.grid else []), FILE],
    )
    up = "../../"
    item.add_link(pystac.Link("root", f"{up}catalog.json", pystac.MediaType.JSON))
    item.add_link(pystac.Link("parent", "../collection.json", pystac.MediaType.JSON))
    item.add_link(pystac.Link("collection", "../collection.json", pystac.MediaType.JSON))
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
    stored = fingerprint(manifest.to_bytes())
    item.assets["manifest"].extra_fields |= {
        "file:checksum": _SHA256 + stored["sha256"],
        "file:size": stored["bytes"],
    }
    document: dict[str, Any] = item.to_dict(include_self_link=False, transform_hrefs=False)
    return document


def _cube(product: Product, entry: Entry, manifest: Manifest) -> dict[str, Any]:
    sizes = {d.name: _hours(entry) if d.name == "time" else d.size for d in product.dimensions}
    dimensions: dict[str, Any] = {}
    for d in product.dimensions:
        if d.name == "time":
            dimensions["time"] = {
                "type": "temporal",
                "extent": [iso(entry.valid_from), iso(entry.valid_to)],
                "step": "PT1H",
                "description": "Start of the hour, UTC; values are means over the hour.",
            }
        else:
            dimensions[d.name] = {"type": d.name, "description": d.long_name, "unit": d.units, "extent": [None, None]}
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
            "solflis:chunk": extents(product, v, sizes, product.layout(v, sizes)[1]),
            "solflis:shard": extents(product, v, sizes, product.layout(v, sizes)[2]),
            "solflis:statistics": {k: manifest.variables[v.name][k] for k in ("min", "max")},
        }
        for v in product.variables
        if v.name in entry.variables
    }
    return {"cube:dimensions": dimensions, "cube:variables": variables}


def _hours(entry: Entry) -> int:
    return round((entry.valid_to - entry.valid_from) / timedelta(hours=1))


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


def _collection(product: Product, index: Index) -> dict[str, Any]:
    sources = sorted({entry.source for entry in index.entries})
    starts = [entry.valid_from for entry in index.entries]
    ends = [entry.valid_to for entry in index.entries]
    collection = pystac.Collection(
        id=product.name,
        title=product.title,
        description=product.description,
        license="CC-BY-4.0",
        extent=pystac.Extent(
            pystac.SpatialExtent([bbox(product)]),
            pystac.TemporalExtent([[min(starts, default=None), max(ends, default=None)]]),
        ),
        providers=providers(index),
        keywords=["solar", "irradiance", "Norway", product.name],
        extra_fields={
            "solflis:sources": sources,
            "solflis:schema": product.schema,
            "solflis:version_rule": product.version_rule,
        },
    )
    collection.add_link(pystac.Link("root", "../catalog.json", pystac.MediaType.JSON))
    collection.add_link(pystac.Link("parent", "../catalog.json", pystac.MediaType.JSON))
    for entry in index.entries:
        collection.add_link(
            pystac.Link("item", f"./{item_key(entry).removeprefix(entry.product + '/')}", pystac.MediaType.GEOJSON)
        )
    document: dict[str, Any] = collection.to_dict(include_self_link=False, transform_hrefs=False)
    return document


def providers(index: Index) -> list[pystac.Provider]:
    """Say whose data these are: MET Norway's as well, unless all are simulated or made from no upstream at all."""
    role = pystac.ProviderRole
    if any(entry.data_origin == "live" and entry.source != "none" for entry in index.entries):
        upstream = pystac.Provider("MET Norway", roles=[role.LICENSOR, role.PRODUCER], url="https://www.met.no")
        return [upstream, pystac.Provider("Solflis", roles=[role.PROCESSOR, role.HOST])]
    return [pystac.Provider("Solflis", roles=[role.PRODUCER, role.LICENSOR, role.HOST])]


def _root(products: list[Product]) -> dict[str, Any]:
    root = pystac.Catalog(
        id="solflis",
        title="Solflis",
        description="Solar data and load calculations for Norway, as cloud-optimized Zarr.",
    )
    for product in products:
        root.add_link(
            pystac.Link("child", f"./{collection_key(product.name)}", pystac.MediaType.JSON, title=product.title)
        )
    document: dict[str, Any] = root.to_dict(include_self_link=False, transform_hrefs=False)
    return document


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, indent=1, ensure_ascii=False).encode()
