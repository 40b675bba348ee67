"""The stitched day: hourly from 00 UTC of a cycle's day to the cycle's end."""

from dataclasses import replace
from datetime import timedelta

from tiles.products import forecast
from tiles.validators import ExpectedCells, Fresh, NightIsZero, NoGapsInSeries, WholeDay

_STITCHED = "Hours before the cycle are of the newest cycle that forecast them (attribute `hours_from`)."

PRODUCT = replace(
    forecast.PRODUCT,
    name="day",
    title="Solar forecast for Norway, the whole day",
    description=(
        "Global horizontal irradiance (model production_v2_3b), air temperature and wind from 00 UTC of the day of a "
        "cycle to the cycle's end: each past hour as the best earlier cycle forecast it, the others as this cycle does."
    ),
    dimensions=(replace(forecast.PRODUCT.dimensions[0], size=90),),
    variables=tuple(
        replace(forecast.PRODUCT.variable(name), comment=f"{forecast.PRODUCT.variable(name).comment} {_STITCHED}")
        for name in ("ghi", "temp_air", "wind_speed")
    ),
    chunk=(90, 16, 16),
    shard=(90, 128, 128),
    keep=timedelta(days=3),
    validators=(WholeDay(), Fresh(), ExpectedCells(), NoGapsInSeries(), NightIsZero(("ghi",))),
)
