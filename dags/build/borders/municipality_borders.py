"""The borders of the municipalities as polygons, with the county of each: by them a point finds its municipality."""

from functools import partial
from io import BytesIO

import numpy as np
import shapely
from geopandas import GeoSeries

from catalog.sources.kartverket.borders import counties, municipalities
from catalog.versions import Entry
from dags.build.borders.publishing import draft_of, publish_borders, read_borders
from dags.build.borders.raster import projected
from dags.build.context import BuildContext, ensured
from tiles.products.municipality_borders import CORNERS, POLYGONS, PRODUCT, SIDES, STEPS_PER_M

_METHOD = (
    "corners as the source has them, and points between those far apart, in UTM 33, made valid where rings cross; a "
    "municipality is of the county whose number its own begins with"
)


def build(context: BuildContext) -> Entry:
    """Publish the borders; those that were published before give the same version again.

    Raises
    ------
    ValueError
        A partition, or another source than Kartverket, is asked for.
    SourceError
        The borders cannot be had or are malformed.
    DraftInvalid
        A validator refused the draft: these are not the municipalities of Norway.
    """
    borders, around = read_borders(context, municipalities), read_borders(context, counties)
    frame = borders.areas.set_geometry(projected(borders.areas.geometry)).astype({"number": int})
    county = dict(zip(around.areas["number"], around.areas["name"], strict=True))
    frame.insert(2, "county", [county.get(number // 100) for number in frame["number"]])
    frame = frame.sort_values("number", ignore_index=True)
    context.report(f"{frame.count_coordinates().sum()} vertices")
    listed = [[n, name, county.get(n // 100)] for n, name in zip(frame["number"].tolist(), frame["name"], strict=True)]
    axes = {"municipality": np.arange(len(frame))}
    draft = draft_of(context, PRODUCT, borders, around, axes=axes, method=_METHOD, municipalities=listed)
    table = (frame.bounds / 1000).set_axis(SIDES, axis=1).assign(number=frame["number"])
    for name in table:
        draft.write_packed(name, PRODUCT.variable(name).pack(table[name].to_numpy(np.float64)))
    file = BytesIO()
    frame.to_parquet(file)
    draft.attach(POLYGONS, file.getvalue())
    draft.attach(CORNERS, _corners(frame.geometry))
    return publish_borders(context, draft)


ensure = partial(ensured, PRODUCT.name, build)
"""Returns the version that counts; it is built first where there is none."""


def _corners(areas: GeoSeries) -> bytes:
    """Return the rings of areas as `kernels.polygons.Rings` takes them."""
    # also of one polygon, or the answer would have another shape where all are
    several = [shapely.multipolygons(shapely.get_parts(area)) for area in areas]
    _, points, (ring, polygon, area) = shapely.to_ragged_array(several)
    x, y = np.rint(points * STEPS_PER_M).astype(np.int32).T
    polygon_of, area_of = (np.repeat(np.arange(len(ends) - 1), np.diff(ends)) for ends in (polygon, area))
    file = BytesIO()
    np.savez_compressed(file, x=x, y=y, first=ring, area=area_of[polygon_of])
    return file.getvalue()
