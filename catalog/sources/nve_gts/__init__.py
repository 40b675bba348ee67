"""The snow authority (NVE GTS): daily snow and temperature of seNorge's 1 km cells, 1957 to nine days ahead.

`Authority` is asked for cells, for which of some there are, for the one next to a place, and whether it is well;
`batches` says how many cells go into a question.
"""

from catalog.sources.nve_gts.asking import MOST_VALUES, THERE, Authority, batches
from catalog.sources.nve_gts.model import NAME, QUANTITIES, NoCell, Point, SnowData, day_of

__all__ = [
    "MOST_VALUES",
    "NAME",
    "QUANTITIES",
    "THERE",
    "Authority",
    "NoCell",
    "Point",
    "SnowData",
    "batches",
    "day_of",
]
