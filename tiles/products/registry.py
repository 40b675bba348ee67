"""Every product that is declared: a module of this folder with a `PRODUCT` in it, or `PRODUCTS` that are alike."""

import importlib
import pkgutil

import tiles.products
from tiles.product import Product


def _declared() -> dict[str, Product]:
    found: dict[str, Product] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(tiles.products.__path__)):
        if module == "registry":
            continue
        declared = importlib.import_module(f"tiles.products.{module}")
        alike: tuple[Product, ...] = declared.PRODUCTS if hasattr(declared, "PRODUCTS") else (declared.PRODUCT,)
        found |= {product.name: product for product in alike}
    return found


PRODUCTS: dict[str, Product] = _declared()


def product(name: str) -> Product:
    """Return the declaration of a product.

    Raises
    ------
    KeyError
        No such product is declared; the text names those that are.
    """
    try:
        return PRODUCTS[name]
    except KeyError:
        raise KeyError(f"no product '{name}'; there are {', '.join(PRODUCTS)}") from None
