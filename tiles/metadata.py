"""The checked-in Zarr metadata of every product: a change of schema is a diff that is seen.

`python -m tiles.metadata` compares, `python -m tiles.metadata --write` renews.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from zarr.storage import MemoryStore

from tiles.product import Product
from tiles.products.registry import PRODUCTS
from tiles.writer import create_array, create_group

FOLDER = Path(__file__).parent / "products" / "metadata"


def metadata(product: Product) -> dict[str, Any]:
    """Return a product's Zarr metadata at full size, by key, without any version's provenance."""
    objects: dict[str, Any] = {}
    axes = {d.name: np.arange(d.size) for d in product.dimensions}
    group = create_group(MemoryStore(objects), product, axes, {})
    for variable in product.variables:
        create_array(group, product, variable, {d.name: d.size for d in product.dimensions})
    return {key: json.loads(value.to_bytes()) for key, value in objects.items() if key.endswith("zarr.json")}


def text(product: Product) -> str:
    """Return the file's text."""
    return json.dumps(metadata(product), indent=1, sort_keys=True) + "\n"


def main(arguments: list[str]) -> int:
    """Compare or write; return the exit code."""
    differs = []
    for name, product in PRODUCTS.items():
        path = FOLDER / f"{name}.json"
        if "--write" in arguments:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text(product))
        elif not path.exists() or path.read_text() != text(product):
            differs.append(name)
    if differs:
        print(
            f"The Zarr metadata of {', '.join(differs)} differs from what is checked in. If the change is meant: "
            "raise the product's schema number when readers must know, run 'make metadata', and commit the diff.",
            file=sys.stderr,
        )
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
