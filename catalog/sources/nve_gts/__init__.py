"""The snow authority (NVE GTS): daily snow and temperature of seNorge's 1 km cells, 1957 to nine days ahead.

`at_points` asks for cells, `with_data` which of some cells there are, `nearest` for the one next to a place,
`require_data` whether the authority is well, and `batches` how many cells go into a question.
"""

from catalog.sources.nve_gts.asking import THERE, TooManyQuestions, batches
from catalog.sources.nve_gts.model import (
    NAME,
    QUANTITIES,
    NoCell,
    Point,
    SnowData,
    day_of,
)
from catalog.sources.nve_gts.nearest import nearest
from catalog.sources.nve_gts.points import at_points, require_data, with_data

__all__ = [
    "NAME",
    "QUANTITIES",
    "THERE",
    "NoCell",
    "Point",
    "SnowData",
    "TooManyQuestions",
    "at_points",
    "batches",
    "day_of",
    "nearest",
    "require_data",
    "with_data",
]
