"""CORINE Land Cover 2018 of the European Environment Agency, by WMS: where nothing finer is known.

How sure we are. The address and the layers are those of public clients: 12, a raster, is drawn at small scales and 13,
polygons, at large ones, from 1:250,000, so that both are asked for. The polygons' class is `Code_18`, three digits. Not
confirmed: that UTM 33 may be asked for, and what is said of a place where the raster is drawn.
"""

import re

from catalog.sources.land_cover import BUILT_UP, FARMLAND, FOREST, ICE, LAKE, MIRE, OPEN, SEA, TRANSPORT
from catalog.sources.wms_classes import ClassMap

NAME = "corine"
CLASSES = {
    **dict.fromkeys((111, 112, 121, 131, 132, 133, 141, 142), BUILT_UP),
    **dict.fromkeys((122, 123, 124), TRANSPORT),
    **dict.fromkeys((211, 212, 213, 221, 222, 223, 231, 241, 242, 243, 244), FARMLAND),
    **dict.fromkeys((311, 312, 313, 324), FOREST),
    **dict.fromkeys((321, 322, 323, 331, 332, 333, 334), OPEN),
    335: ICE,
    **dict.fromkeys((411, 412), MIRE),
    **dict.fromkeys((511, 512), LAKE),
    **dict.fromkeys((421, 422, 423, 521, 522, 523), SEA),
}

_MAP = ClassMap(NAME, "12,13", "image/png", "text/xml", re.compile(r"(?i)code_18\W+(\d{3})\b"), CLASSES)

window = _MAP.window
"""Return the land cover of a window; see `ClassMap.window`."""
