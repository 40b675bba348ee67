"""The snow authority (NVE GTS): daily snow and temperature of seNorge's 1 km cells, 1957 to nine days ahead.

`at_point` asks for one cell, `at_points` for many, `with_data` which of some cells there are, `nearest` for the one
next to a place, `batches` how many go into a question, and `read_export` reads the file that the authority's web page
hands out.
"""

from catalog.sources.nve_gts.asking import THERE, TooManyQuestions, batches
from catalog.sources.nve_gts.export import read_export
from catalog.sources.nve_gts.model import (
    ATTRIBUTION,
    DEFAULT_URL,
    LICENCE,
    NAME,
    QUANTITIES,
    DataOrigin,
    NoCell,
    Point,
    SnowData,
    day_of,
)
from catalog.sources.nve_gts.nearest import nearest
from catalog.sources.nve_gts.points import at_point, at_points, with_data

__all__ = [
    "ATTRIBUTION",
    "DEFAULT_URL",
    "LICENCE",
    "NAME",
    "QUANTITIES",
    "THERE",
    "DataOrigin",
    "NoCell",
    "Point",
    "SnowData",
    "TooManyQuestions",
    "at_point",
    "at_points",
    "batches",
    "day_of",
    "nearest",
    "read_export",
    "with_data",
]
