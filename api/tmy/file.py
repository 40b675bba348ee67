"""A download: its bytes, its name, its headers."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from api.tmy.cells import Found
from api.tmy.choice import Confidence, ProductName
from api.tmy.formats.common.declaration import Format
from api.tmy.place import Place

CELL, DISTANCE, PRODUCT = "X-Tmy-Cell", "X-Tmy-Cell-Distance-Km", "X-Tmy-Product"
MAX_AGE_S = 86_400
CACHED = f"public, max-age={MAX_AGE_S}"


@dataclass(frozen=True)
class File:
    """What is sent.

    Parameters
    ----------
    body : bytes
        Empty where the caller has it.
    etag : str
    headers : dict
        Of this file alone.
    """

    body: bytes
    etag: str
    headers: dict[str, str]


def disposition(declared: Format, lat: float, lon: float, product: ProductName, confidence: Confidence) -> str:
    """Return how a browser takes the file, and what it calls it: by the position as it was asked for."""
    kind = "inline" if declared.inline else "attachment"
    name = f"service_tmy_{degrees(lat)}_{degrees(lon)}_{product}_{confidence}{declared.extension}"
    return f"{kind}; filename={name}"


def degrees(value: float) -> str:
    """Return a coordinate with at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def of_place(place: Place) -> dict[str, str]:
    """Return the headers that name the cell."""
    return {CELL: place.cell_id, DISTANCE: f"{place.distance_km:.3f}"}


def etag(found: Found, code_version: str, more: Iterable[str]) -> str:
    """Return the ETag of an answer about a cell: of the versions that were read, the code, and what was asked."""
    parts = (found.land.version, found.stats.name, found.place.cell_id, code_version, *more)
    return f'"{hashlib.sha256("|".join(parts).encode()).hexdigest()[:32]}"'
