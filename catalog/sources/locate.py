"""Finding a cycle's file among the places an authority may keep it."""

from collections.abc import Sequence

import httpx

from catalog.sources.classic import ClassicFile
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.http import Deadline
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.ranges import open_ranges


def open_first(source: str, urls: Sequence[str], client: httpx.Client, deadline: Deadline) -> NetcdfFile:
    """Open the first of several places that holds the file, NetCDF4 or NetCDF 3.

    Raises
    ------
    NotYetAvailable, naming the first place, where none does; SourceError where one does and cannot be read.
    """
    absences: list[NotYetAvailable] = []
    for url in urls:
        try:
            ranges = open_ranges(source, url, client, deadline)
        except NotYetAvailable as absence:
            absences.append(absence)
            continue
        try:
            is_classic = ranges.read(0, min(3, ranges.size)) == b"CDF"
            return ClassicFile(ranges) if is_classic else NetcdfFile(ranges)
        except SourceError:
            ranges.close()
            raise
    raise absences[0]
