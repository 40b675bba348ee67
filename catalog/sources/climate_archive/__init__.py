"""The climate archives: hourly solar radiation and weather of decades, in monthly files, read point by point."""

from catalog.sources.climate_archive.archives import ARCHIVES, Archive
from catalog.sources.climate_archive.month import ArchiveMonth, open_month

__all__ = ["ARCHIVES", "Archive", "ArchiveMonth", "open_month"]
