"""Kartverket: borders of counties and municipalities, and heights of the land (`heights`).

The borders' names are here too: `kartverket.counties(...)`, `kartverket.municipalities(...)`. Nothing here imports
rasterio before a GeoTIFF is decoded, nor shapely before borders are read.
"""

from catalog.sources.kartverket.borders import (
    COUNTIES,
    MUNICIPALITIES,
    NAME,
    Borders,
    counties,
    municipalities,
    read,
    read_municipalities,
)

__all__ = [
    "COUNTIES",
    "MUNICIPALITIES",
    "NAME",
    "Borders",
    "counties",
    "municipalities",
    "read",
    "read_municipalities",
]
