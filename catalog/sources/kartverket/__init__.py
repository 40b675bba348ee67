"""Kartverket: borders of the counties, and heights of the land (`heights`, `points`).

The borders' names are here too: `kartverket.counties(...)`. Nothing here imports rasterio before a GeoTIFF is decoded.
"""

from catalog.sources.kartverket.borders import (
    ATTRIBUTION,
    COUNTIES,
    DEFAULT_URL,
    LICENCE,
    NAME,
    Borders,
    DataOrigin,
    Ring,
    counties,
    read,
)

__all__ = [
    "ATTRIBUTION",
    "COUNTIES",
    "DEFAULT_URL",
    "LICENCE",
    "NAME",
    "Borders",
    "DataOrigin",
    "Ring",
    "counties",
    "read",
]
