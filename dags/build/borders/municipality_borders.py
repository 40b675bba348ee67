"""The borders of the municipalities as polygons, with the county of each: by them a point finds its municipality."""

from io import BytesIO

import numpy as np
import shapely
from geopandas import GeoDataFrame, GeoSeries

from catalog.publish import publish
from catalog.sources import kartverket
from catalog.versions import Entry
from dags.build.borders.publishing import DEADLINE_S, moment, of_borders, provenance, version_of
from dags.build.borders.raster import projected
from dags.build.context import BuildContext, ensured
from dags.build.provenance import user_agent
from tiles.products.municipality_borders import CORNERS, POLYGONS, PRODUCT, SIDES, STEPS_PER_M
from tiles.writer import Draft

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
    url = of_borders(context)
    store, clock, report = context.store, context.clock, context.report
    borders = kartverket.municipalities(url, user_agent=user_agent(), deadline_s=DEADLINE_S)
    counties = kartverket.counties(url, user_agent=user_agent(), deadline_s=DEADLINE_S)
    frame = GeoDataFrame({"number": borders.numbers, "name": borders.names}, geometry=projected(borders.polygons))
    frame = frame.sort_values("number", ignore_index=True)
    county = dict(zip(counties.numbers, counties.names, strict=True))
    listed = [[number, name, county.get(number // 100)] for number, name in frame[["number", "name"]].to_numpy()]
    frame.insert(2, "county", [one[2] for one in listed])
    report(f"borders of {len(frame)} municipalities: {frame.count_coordinates().sum()} vertices")
    inputs = [borders.input, counties.input]
    simulated = "simulated" in (borders.data_origin, counties.data_origin)
    said = provenance(inputs, "simulated" if simulated else "live", {}, _METHOD)
    said["municipalities"] = listed
    version = version_of(*inputs)
    draft = Draft(store, PRODUCT, version, {"municipality": np.arange(len(frame))}, said)
    table = (frame.bounds / 1000).set_axis(SIDES, axis=1).assign(number=frame["number"])
    for name in table:
        draft.write_packed(name, PRODUCT.variable(name).pack(table[name].to_numpy(np.float64)))
    file = BytesIO()
    frame.to_parquet(file)
    draft.attach(POLYGONS, file.getvalue())
    draft.attach(CORNERS, _corners(frame.geometry))
    return publish(draft, moment(store, PRODUCT.name, version, clock), now=clock.now(), expected=None, report=report)


def ensure(context: BuildContext) -> Entry:
    """Return the version that counts; it is built first where there is none."""
    return ensured(PRODUCT.name, build, context)


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
