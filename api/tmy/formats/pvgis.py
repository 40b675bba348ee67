"""`tool_c`: PVGIS' typical year. Layout: files of PVGIS 5.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from api.tmy.formats.common.declaration import UTC_START, FileFormat
from api.tmy.formats.common.rows import HOUR_START, MONTH, stamps, table
from api.tmy.formats.common.words import remarks
from api.tmy.year import HOURS, TypicalYear

if TYPE_CHECKING:
    from kernels.text_rows import Texts

_NAMES = "time(UTC),T2m,RH,G(h),Gb(n),Gd(h),IR(h),WS10m,WD10m,SP"
_LEGEND = (
    "T2m: 2-m air temperature (degree Celsius)",
    "RH: relative humidity (%)",
    "G(h): Global irradiance on the horizontal plane (W/m2)",
    "Gb(n): Beam/direct irradiance on a plane always normal to sun rays (W/m2)",
    "Gd(h): Diffuse irradiance on the horizontal plane (W/m2)",
    "IR(h): Not known, written as 0",
    "WS10m: 10-m total wind speed (m/s)",
    "WD10m: Not known, written as 0",
    "SP: Surface (air) pressure (Pa)",
)
_DATES = (
    "Years of the dates: those the months are of, while Gb(n) was split from G(h) with the sun of 2001, in hours of "
    "sunrise and sunset with that of their sunlit part; with the sun of the dates in the middle of each hour "
    "G(h) - Gb(n) x cos(zenith) - Gd(h) is up to 4 W/m2"
)
_END = "\r\n"
_STAMP = "{t:%Y%m%d:%H%M},"
_YEAR_DIGITS = 4
_ROW = (
    _STAMP + "{temp_air:.2f},{rel_hum:.1f},{ghi:.1f},{dni:.1f},{dhi:.1f},0.0,{wind_speed:.2f},0.0,{pressure_pa:.1f}\r\n"
)


def _head(year: TypicalYear) -> list[str]:
    return [
        f"Latitude (decimal degrees): {year.lat:.5f}",
        f"Longitude (decimal degrees): {year.lon:.5f}",
        f"Elevation (m): {year.elevation_m:z.1f}",
        "Irradiance Time Offset (h): 0.5",  # from a label to the middle of its mean
        "month,year",
        *(f"{month + 1},{selected}" for month, selected in enumerate(year.selected_years)),
        _NAMES,
    ]


def _stamps(year: TypicalYear) -> Texts:
    """Return the stamps with the year that each month was selected from, as PVGIS writes them."""
    placeholder = stamps(_STAMP, HOUR_START)
    text = placeholder.text.reshape(HOURS, -1).copy()
    digits = np.frombuffer("".join(f"{selected:04d}" for selected in year.selected_years).encode(), np.uint8)
    text[:, :_YEAR_DIGITS] = digits.reshape(12, _YEAR_DIGITS)[MONTH]
    return placeholder._replace(text=text.ravel())


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    # No colon but the first: readers split there.
    said = [f"Remark {n}: {remark.replace(':', ' -')}" for n, remark in enumerate(remarks(year), 1)]
    head, foot = (_END.join(lines).encode() for lines in ((*_head(year), ""), ("", *_LEGEND, _DATES, "", *said, "")))
    return head + table(year, _ROW, HOUR_START, _stamps(year)) + foot


FORMAT = FileFormat(
    value="tool_c",
    convention=UTC_START,
    write=write,
    tool="PVGIS",
    aliases=("pvgis",),
)
