"""The satellite nowcast: the coming hours, from the clouds that were seen and how they move."""

from datetime import datetime, timedelta

import numpy as np

from kernels import sun
from tiles.clock import IMAGE_EVERY_MIN, IMAGE_OUT_AFTER
from tiles.dimensions import hours
from tiles.grid import FORECAST
from tiles.product import Product, Variable
from tiles.quantities import GHI
from tiles.validators import CompleteTimeAxis, ExpectedCells, Fresh, NightIsZero, NoGapsInSeries

HOURS = 5
"""From that in which the image is out at the earliest: four from any moment until the version expires."""
LOWEST_SUN_DEG = 5.0
"""Where the sun is lower, an image says nothing of cloud."""
_SCANNED_AFTER_S = 720
"""How long after the time that names an image its scan passes the country: by then the evening's sun is lower."""
# How far north the satellite sees, within 0.2 degrees: to 69.5 N at 4 E, 67.3 N at 24 E, 65.6 N at 32 E.
_SEEN_TO, _SEEN_LESS = 69.53, 0.0038

_HOUR = "Mean over the hour that starts at `time` (UTC)."
_MISSING = "Missing (65535) where the weather model does not reach; never missing for part of a series."


def is_daylight(moment: datetime) -> bool:
    """Return whether the image that a moment names can say anything of any place of the grid, when it is scanned."""
    lat, lon = (a.ravel() for a in np.meshgrid(FORECAST.lats[::10], FORECAST.lons[::20], indexing="ij"))
    seen = lat <= _SEEN_TO - _SEEN_LESS * lon**2
    scanned = int(moment.timestamp()) + _SCANNED_AFTER_S
    return bool((sun.elevation(lat[seen], lon[seen], scanned) > LOWEST_SUN_DEG).any())


PRODUCT = Product(
    name="nowcast",
    title="Satellite nowcast for Norway, every quarter of an hour",
    description=(
        "Global horizontal irradiance of the coming hours: the clear-sky index of the last satellite images, carried "
        "along its own motion, and blended into the v2.3b forecast the more the farther ahead."
    ),
    grid=FORECAST,
    dimensions=(hours(HOURS, HOURS),),
    variables=(
        GHI(
            "ghi",
            long_name="global horizontal irradiance, satellite blended with v2.3b",
            comment=f"{_HOUR} v2.3b alone where `satellite` is 0. {_MISSING}",
        ),
        GHI(
            "clearsky",
            standard_name="surface_downwelling_shortwave_flux_in_air_assuming_clear_sky",
            long_name="global horizontal irradiance under a cloudless sky",
            comment=f"{_HOUR} Ineichen & Perez 2002. {_MISSING}",
        ),
        Variable(
            "kt",
            long_name="clearness index",
            cell_methods="time: mean",
            scale=0.0001,
            valid_max=1.2,
            comment=f"`ghi` over the hour's irradiance outside the atmosphere, at most 1.2; 0 at night. {_MISSING}",
        ),
        Variable(
            "satellite",
            long_name="weight of the satellite in ghi",
            cell_methods="time: mean",
            scale=0.0001,
            valid_max=1,
            comment=(
                "0: nothing of that hour is known from the satellite (edge of the disc, low sun, missing pixels, or "
                f"too far ahead), or it is night. {_MISSING}"
            ),
        ),
    ),
    chunk=(HOURS, 16, 16),
    shard=(HOURS, 128, 128),
    read="hydrated",
    stale_after=timedelta(minutes=45),
    expires_after=timedelta(minutes=85),
    keep=timedelta(days=2),
    version_rule="the image's nominal time, such as 2026-06-21T10:15",
    due=is_daylight,
    validators=(
        CompleteTimeAxis(ahead_seconds=int(IMAGE_OUT_AFTER.total_seconds())),
        Fresh(every_min=IMAGE_EVERY_MIN),
        ExpectedCells(max_missing=0.0),
        NoGapsInSeries(),
        NightIsZero(("ghi", "clearsky", "kt")),
    ),
)
