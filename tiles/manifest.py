"""The manifest of a version: every object that it must hold, with size and checksum. It is written last."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from tiles.errors import SchemaUnsupported, TileCorrupt
from tiles.product import Product
from tiles.store import NotFound, Store


@dataclass(frozen=True)
class Manifest:
    """What a published version holds.

    Parameters
    ----------
    product, version, attempt : str
    schema : int
    path : str
        The key of the Zarr group.
    variables : dict
        Per variable: `units`, `scale`, `offset`, and `min` and `max` of its physical values (None where all missing).
    objects : dict
        Per key below `path`: `bytes` and `sha256`. What is not listed here is not expected.
    provenance : dict
        Sources with licence, code version, build time, input hashes, `data_origin`, missing variables.
    """

    product: str
    version: str
    attempt: str
    schema: int
    path: str
    variables: dict[str, dict[str, Any]]
    objects: dict[str, dict[str, Any]]
    provenance: dict[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the manifest as JSON."""
        return json.dumps(asdict(self), indent=1, sort_keys=True).encode()

    @classmethod
    def read(cls, store: Store, key: str) -> "Manifest":
        """Read a manifest.

        Raises
        ------
        TileCorrupt
            It is absent or not a manifest.
        """
        try:
            return cls(**json.loads(store.get(key)))
        except NotFound as error:
            raise TileCorrupt(f"the manifest {key} is gone") from error
        except (TypeError, ValueError) as error:
            raise TileCorrupt(f"the manifest {key} cannot be read: {error}") from error

    def require_schema(self, product: Product) -> None:
        """Refuse a version whose schema is neither the product's nor the one before.

        Raises
        ------
        SchemaUnsupported
        """
        if self.schema not in (product.schema, product.schema - 1):
            raise SchemaUnsupported(
                f"{self.path} has schema {self.schema}; this code reads {product.schema - 1} and {product.schema}"
            )

    def fetch(self, store: Store, name: str) -> bytes:
        """Return an object that the manifest lists, after checking it.

        Raises
        ------
        TileCorrupt
            It is absent, or not what was written.
        """
        key = f"{self.path}/{name}"
        try:
            data = store.get(key)
        except NotFound as error:
            raise TileCorrupt(f"{key} is gone, though the manifest lists it") from error
        if fingerprint(data) != self.objects[name]:
            raise TileCorrupt(f"{key} is not what was written: its checksum differs")
        return data


def fingerprint(data: bytes) -> dict[str, Any]:
    """Return size and checksum of an object as the manifest holds them."""
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
