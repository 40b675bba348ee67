"""Metadata of a typical year, for formats that carry names and values: JSON, Parquet, Arrow."""

from dataclasses import fields
from typing import Any

import numpy as np

from api.core.tables import TABLE_FORMATS, Table
from api.tmy.formats.common.declaration import UTC_START, FileFormat
from api.tmy.formats.common.rows import PLACEHOLDER
from api.tmy.year import HOURS, MEANS, QUANTITIES, TypicalYear

UNITS = dict.fromkeys(MEANS, "W/m2") | {"temp_air": "degC", "rel_hum": "%", "wind_speed": "m/s", "mslp": "hPa"}
_MEANING = "irradiance is the mean over [t, t+1h); temperature, humidity, wind and pressure are instantaneous at t"
_ZONES = {"utc": "UTC", "local": "UTC+1 without daylight saving"}


def metadata(year: TypicalYear, zone: str = "") -> dict[str, Any]:
    """Return the fields of `meta` in the contract, and the licence's last day and state where there is a licence."""
    known: dict[str, Any] = {}
    for name in (one.name for one in fields(year) if one.name not in QUANTITIES):
        if name == "tz":
            clock = _ZONES[zone or year.tz]
            known["time_convention"] = f"{clock}, hour-start: {_MEANING}; the year 2001 stands for a typical one"
        elif name == "licence":
            held = year.licence
            known |= {
                "license": held and held.sentence,
                "license_version": held and held.version,
                "license_last_day": held and held.last_day,
                "license_expired": held and held.expired,
            }
        else:
            known[name] = getattr(year, name)
    return known


def table_of(year: TypicalYear) -> Table:
    """Return the year in UTC as columns of numbers, to three decimals."""
    time = np.datetime64(PLACEHOLDER.replace(tzinfo=None), "s") + np.arange(HOURS) * np.timedelta64(3600, "s")
    columns = {f"{name}_{_SUFFIX[UNITS[name]]}": getattr(year, name).round(3) for name in QUANTITIES}
    return Table({"time": time, **columns}, metadata(year, "utc"))


_SUFFIX = {"W/m2": "wm2", "degC": "degc", "%": "pct", "m/s": "ms", "hPa": "hpa"}


def table_format(value: str) -> FileFormat:
    """Return a format of `api.core.tables` as one of typical years."""
    made = TABLE_FORMATS[value]
    return FileFormat(
        value=value,
        extension=made.extension,
        media_type=made.media_type,
        convention=UTC_START,
        write=lambda year: made.write(table_of(year)),
    )
