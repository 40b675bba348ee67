"""Kartverket: borders of counties and municipalities, and heights of the land (`heights`, `points`).

The borders' names are here too: `kartverket.counties(...)`, `kartverket.municipalities(...)`. Nothing here imports
rasterio before a GeoTIFF is decoded.
"""

from catalog.sources.kartverket.borders import ATTRIBUTION, COUNTIES, DEFAULT_URL, LICENCE, Borders, counties, read
from catalog.sources.kartverket.geojson import NAME, DataOrigin, Ring
from catalog.sources.kartverket.municipal import (
    MUNICIPALITIES,
    Municipalities,
    municipalities,
    read_municipalities,
)

__all__ = [
    "ATTRIBUTION",
    "COUNTIES",
    "DEFAULT_URL",
    "LICENCE",
    "MUNICIPALITIES",
    "NAME",
    "Borders",
    "DataOrigin",
    "Municipalities",
    "Ring",
    "counties",
    "municipalities",
    "read",
    "read_municipalities",
]
