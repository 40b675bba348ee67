"""Is everything that the catalogue promises there, and as it was written?"""

import json
import posixpath
from collections.abc import Callable

import pystac

from catalog import stac
from catalog.versions import Entry, read_index
from tiles.errors import TileError
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.products.registry import PRODUCTS
from tiles.products.registry import product as declared
from tiles.shard import ArrayLayout
from tiles.store import NotFound, Store


def verify(
    store: Store,
    product: str | None = None,
    version: str | None = None,
    *,
    report: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Check checksums, schema and links of every published version, or of one product or version.

    Parameters
    ----------
    store : Store
    product, version : str, optional
    report : callable
        Takes one line of progress for each version.

    Returns
    -------
    list of str
        A sentence for each problem; empty when all is well.

    Raises
    ------
    KeyError
        No such product.
    """
    problems: list[str] = []
    for declaration in [declared(product)] if product else PRODUCTS.values():
        index = read_index(store, declaration.name)
        if version is not None and index.get(version) is None:
            problems.append(f"there is no {declaration.name} {version} to verify")
        for entry in index.entries:
            if version is None or entry.version == version:
                report(f"{entry.product} {entry.version}")
                problems += _version(store, declaration, entry)
        if index.entries:
            problems += _links(store, stac.collection_key(declaration.name))
    if product is None and store.exists("catalog.json"):
        problems += _links(store, "catalog.json")
    return problems


def _version(store: Store, product: Product, entry: Entry) -> list[str]:
    problems = []
    try:
        manifest = Manifest.read(store, entry.manifest)
    except TileError as error:
        return [str(error)]
    if (manifest.path, set(manifest.variables)) != (entry.path, set(entry.variables)):
        problems.append(f"{entry.manifest} is not the manifest of what the index names, {entry.path}")
    for name in manifest.objects:
        try:
            manifest.fetch(store, name)
        except TileError as error:
            problems.append(str(error))
    if entry.schema not in (product.schema, product.schema - 1):
        problems.append(
            f"{entry.path} has schema {entry.schema}; this code reads {product.schema - 1} and {product.schema}"
        )
    elif not problems:
        problems += _schema(store, product, entry)
    return problems + _links(store, stac.item_key(entry))


def _schema(store: Store, product: Product, entry: Entry) -> list[str]:
    problems = []
    for name in entry.variables:
        metadata = json.loads(store.get(f"{entry.path}/{name}/zarr.json"))
        variable = product.variable(name)
        try:
            ArrayLayout.parse(metadata)
        except TileError as error:
            problems.append(f"{entry.path}/{name}: {error}")
        attributes = metadata["attributes"]
        stored = (attributes["units"], attributes["scale_factor"], attributes["add_offset"])
        if entry.schema == product.schema and stored != (variable.units, variable.scale, variable.offset):
            problems.append(f"{entry.path}/{name} has unit, scale and offset {stored}, not those of its product")
    return problems


def _links(store: Store, key: str) -> list[str]:
    try:
        document = json.loads(store.get(key))
        pystac.read_dict(document)
    except NotFound:
        return [f"{key} is gone"]
    except (ValueError, pystac.STACError) as error:
        return [f"{key} is no STAC document: {error}"]
    hrefs = [link["href"] for link in document.get("links", [])]
    hrefs += [asset["href"] for asset in document.get("assets", {}).values()]
    problems = []
    for href in hrefs:
        if href.startswith("https://"):  # the text of a licence
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(key), href))
        if not store.exists(f"{target}/zarr.json" if target.endswith(".zarr") else target):
            problems.append(f"{key} links to {href}, which is not there")
    return problems
