"""Readers of weather files that others wrote, and plain ones by the vendors' own words where nobody published one.

Each says of every row where its mean begins and when its instants are, by the reader's documentation, not by ours.
"""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pvlib.iotools
import pyarrow as pa
from lxml import etree

from api.tmy.formats.climate_xml import SCHEMA
from api.tmy.year import HOURS

LOCAL_H = 1.0
"""UTC+1."""


class Read(NamedTuple):
    """What a file says.

    Parameters
    ----------
    starts : float64 (8760,)
        Where each row's mean begins, hours of the year in UTC.
    moments : float64 (8760,)
        When its instants are.
    values : dict of float64 (8760,)
        By our names, in our units; `pressure` and `temp_dew` too where the format has them.
    """

    starts: Any
    moments: Any
    values: dict[str, Any]


class Reader(NamedTuple):
    """A reader of one format."""

    name: str
    value: str
    read: Callable[[Path], Read]


def _read(starts: Any, instants_later: float, values: dict[str, Any]) -> Read:
    starts = np.asarray(starts, float)
    numbers = {name: np.asarray(column, float) for name, column in values.items()}
    return Read(starts % HOURS, (starts + instants_later) % HOURS, numbers)


def _hours(index: pd.DatetimeIndex) -> Any:
    """Return hours of the year 2001 in UTC."""
    return (index.tz_convert("UTC") - pd.Timestamp("2001-01-01", tz="UTC")) / pd.Timedelta("1h")


def _picked(frame: pd.DataFrame, *names: str, **renamed: str) -> dict[str, Any]:
    return {name: frame[name] for name in names} | {ours: frame[theirs] for ours, theirs in renamed.items()}


LIGHT = ("ghi", "dni", "dhi")


def pvlib_epw(path: Path) -> Read:
    frame, meta = pvlib.iotools.read_epw(path)
    assert meta["TZ"] == 1.0
    named = {"rel_hum": "relative_humidity", "temp_dew": "temp_dew"}
    values = _picked(frame, *LIGHT, "temp_air", "wind_speed", **named)
    return _read(_hours(frame.index), 1.0, values | {"pressure": frame["atmospheric_pressure"] / 100.0})


def ladybug_epw(path: Path) -> Read:
    from ladybug.epw import EPW

    epw = EPW(str(path))
    assert epw.location.time_zone == 1.0
    # Ladybug puts an hour's mean at its start, and moves what is instantaneous to the hour it is of.
    named = {
        "ghi": epw.global_horizontal_radiation,
        "dni": epw.direct_normal_radiation,
        "dhi": epw.diffuse_horizontal_radiation,
        "temp_air": epw.dry_bulb_temperature,
        "temp_dew": epw.dew_point_temperature,
        "rel_hum": epw.relative_humidity,
        "wind_speed": epw.wind_speed,
    }
    values = {name: collection.values for name, collection in named.items()}
    # TRAP: the pressure alone it leaves in its row, as if it were a mean; the format has it at the row's end.
    values["pressure"] = np.roll(epw.atmospheric_station_pressure.values, 1) / 100.0
    return _read(np.arange(HOURS) - LOCAL_H, 0.0, values)


def sam(path: Path) -> Read:
    """SAM's own library; it gives rows the middle of their hour, and instants to the end of it as the formats do."""
    import PySAM.Wfreader

    reader = PySAM.Wfreader.new()
    reader.WeatherReader.file_name, reader.WeatherReader.header_only = str(path), 0
    reader.execute(0)
    out = reader.Outputs
    assert (out.tz, out.step, out.start, out.nrecords) == (1.0, 3600.0, 1800.0, HOURS)
    day = pd.to_datetime({"year": out.year, "month": out.month, "day": out.day, "hour": out.hour, "minute": out.minute})
    starts = (day - pd.Timestamp("2001-01-01")) / pd.Timedelta("1h") - 0.5 - LOCAL_H
    named = {"ghi": out.glob, "dni": out.beam, "dhi": out.diff, "temp_air": out.tdry, "temp_dew": out.tdew}
    return _read(starts, 1.0, named | {"rel_hum": out.rhum, "wind_speed": out.wspd, "pressure": out.pres})


def pvlib_tmy3(path: Path) -> Read:
    frame, meta = pvlib.iotools.read_tmy3(path, map_variables=True)
    assert meta["TZ"] == 1.0
    named = {"rel_hum": "relative_humidity"}
    return _read(
        _hours(frame.index) - 1.0,
        1.0,
        _picked(frame, *LIGHT, "temp_air", "temp_dew", "wind_speed", "pressure", **named),
    )


def pvlib_pvgis(path: Path) -> Read:
    frame, meta = pvlib.iotools.read_pvgis_tmy(path, pvgis_format="csv")
    assert meta["inputs"]["irradiance time offset"] == 0.5
    same_year = pd.DatetimeIndex([moment.replace(year=2001) for moment in frame.index])
    values = _picked(frame, *LIGHT, "temp_air", "wind_speed", rel_hum="relative_humidity")
    return _read(_hours(same_year), 0.0, values | {"pressure": frame["pressure"] / 100.0})


def pvlib_nsrdb(path: Path) -> Read:
    """pvlib wants the column that SAM does not; it is added here."""
    lines = path.read_text().splitlines()
    split = [line.split(",", 4) for line in lines[2:]]
    rows = [",".join([*row[:4], "30", row[4]]) for row in split[1:]]
    names = ",".join([*split[0][:4], "Minute", split[0][4]])
    frame, meta = pvlib.iotools.read_nsrdb_psm4(
        io.StringIO("\n".join([*lines[:2], names, *rows, ""])), map_variables=False
    )
    assert meta["Time Zone"] == 1
    theirs = {"ghi": "GHI", "dni": "DNI", "dhi": "DHI", "temp_air": "Tdry", "temp_dew": "Tdew", "rel_hum": "RH"}
    return _read(_hours(frame.index) - 0.5, 1.0, _picked(frame, **theirs, wind_speed="Wspd", pressure="Pres"))


def pvlib_solaranywhere(path: Path) -> Read:
    frame, meta = pvlib.iotools.read_solaranywhere(path)
    assert (meta["TZ"], meta["Averaging Method"]) == (1.0, "End of Period")
    return _read(
        _hours(frame.index) - 1.0, 1.0, _picked(frame, *LIGHT, "temp_air", "wind_speed", rel_hum="relative_humidity")
    )


def pvsyst(path: Path) -> Read:
    lines = path.read_text().splitlines()
    head = dict(line[1:].split(";", 2)[:2] for line in lines if line.startswith("#") and ";" in line)
    assert lines[0] == "#TMY hourly data"
    assert (head["Time Zone"], head["Time step"]) == ("1", "60")
    body = [line for line in lines if not line.startswith("#")]
    frame = pd.read_csv(io.StringIO("\n".join([body[0], *body[2:]])), sep=";")
    label = pd.to_datetime(frame[["Year", "Month", "Day", "Hour", "Minute"]])
    hour_end = (label - pd.Timestamp("2001-01-01")) / pd.Timedelta("1h") - LOCAL_H
    theirs = {
        "ghi": "GHI",
        "dni": "DNI",
        "dhi": "DHI",
        "temp_air": "Tamb",
        "wind_speed": "WindVel",
        "rel_hum": "RelHum",
    }
    return _read(hour_end - 1.0, 1.0, _picked(frame, **theirs))


def pvsol(path: Path) -> Read:
    """By the vendor: the value at the full hour is of the hour before it (-30 minutes), the first is of 01:00."""
    name, place, empty, names, *rows = path.read_text().splitlines()
    assert name.startswith('"')
    assert empty == ""
    assert place.split(",")[3:] == ["-1", "-30"]
    frame = pd.read_csv(io.StringIO("\n".join([names, *rows])), sep="\t")
    hour_end = np.arange(1, HOURS + 1) - LOCAL_H
    return _read(hour_end - 1.0, 1.0, _picked(frame, ghi="Gh", temp_air="Ta", wind_speed="FF", rel_hum="RH"))


def meteonorm(path: Path) -> Read:
    """By the public sample: 8766 lines, the first row is the hour that ends at 01:00."""
    lines = path.read_text().splitlines()
    assert (len(lines), lines[2]) == (8766, "")
    assert lines[1].split(",")[3:] == ["-1", "-30", "1", "1", '"SYN"']
    frame = pd.read_csv(io.StringIO("\n".join(lines[6:])), sep="\t", names=["ghi", "dhi", "temp_air", "wind_speed"])
    hour_end = np.arange(1, HOURS + 1) - LOCAL_H
    return _read(hour_end - 1.0, 1.0, {name: frame[name] for name in frame})


def solargis(path: Path) -> Read:
    frame = pd.read_csv(path, sep=";", comment="#")
    centre = 24.0 * (frame["Day"] - 1) + pd.to_timedelta(frame["Time"] + ":00") / pd.Timedelta("1h")
    theirs = {"ghi": "GHI", "dni": "DNI", "dhi": "DIF", "temp_air": "TEMP", "rel_hum": "RH", "pressure": "AP"}
    return _read(centre - 0.5, 0.5, _picked(frame, **theirs, wind_speed="WS"))


def xml(path: Path) -> Read:
    document = etree.parse(path)
    etree.XMLSchema(etree.parse(SCHEMA)).assertValid(document)
    rows = [element.attrib for element in document.getroot().iter("Hour")]
    frame = pd.DataFrame(rows).astype(float)
    day = pd.to_datetime({"year": 2001, "month": frame["month"], "day": frame["day"]})
    starts = (day - pd.Timestamp("2001-01-01")) / pd.Timedelta("1h") + frame["hour"] - 1.0 - LOCAL_H
    theirs = {"temp_air": "ta", "rel_hum": "rh", "wind_speed": "ws", "pressure": "p"}
    return _read(starts, 1.0, _picked(frame, *LIGHT, **theirs))


def _unitless(frame: pd.DataFrame) -> dict[str, Any]:
    ends = ("_wm2", "_degc", "_pct", "_ms", "_hpa", "_c")
    short = {next((name[: -len(end)] for end in ends if name.endswith(end)), name): name for name in frame}
    renamed = {"temp": "temp_air", "wind": "wind_speed"}
    return {renamed.get(ours, ours): frame[theirs] for ours, theirs in short.items() if frame[theirs].dtype == float}


def hour_start_csv(path: Path) -> Read:
    frame = pd.read_csv(path, index_col=0, parse_dates=True)
    return _read(_hours(frame.index), 0.0, _unitless(frame))


def hour_end_csv(path: Path) -> Read:
    frame = pd.read_csv(path, index_col=0, parse_dates=True)
    return _read(_hours(frame.index) - 1.0, 1.0, _unitless(frame))


def parquet(path: Path) -> Read:
    frame = pd.read_parquet(path).set_index("time")
    return _read(_hours(frame.index), 0.0, _unitless(frame))


def arrow(path: Path) -> Read:
    frame = pa.ipc.open_file(path).read_pandas().set_index("time")
    return _read(_hours(frame.index), 0.0, _unitless(frame))


def json_file(path: Path) -> Read:
    hourly = json.loads(path.read_bytes())["hourly"]
    return _read(_hours(pd.to_datetime(hourly.pop("time"))), 0.0, hourly)


def wbv(path: Path) -> Read:
    frame = pd.read_csv(path, sep="\t", comment="#")
    day = pd.to_datetime({"year": 2001, "month": frame["month"], "day": frame["day"]})
    starts = (day - pd.Timestamp("2001-01-01")) / pd.Timedelta("1h") + frame["hour"] - 1.0 - LOCAL_H
    return _read(starts, 1.0, _picked(frame, *LIGHT, "temp_air", "rel_hum", "wind_speed", "pressure"))


READERS = [
    Reader("pvlib", "epw", pvlib_epw),
    Reader("ladybug", "epw", ladybug_epw),
    Reader("SAM", "epw", sam),
    Reader("pvlib", "tmy3", pvlib_tmy3),
    Reader("SAM", "tmy3", sam),
    Reader("by its header", "tool_a", pvsyst),
    Reader("by the vendor", "tool_b", pvsol),
    Reader("pvlib", "tool_c", pvlib_pvgis),
    Reader("SAM", "tool_d", sam),
    Reader("pvlib", "tool_d", pvlib_nsrdb),
    Reader("by its header", "tool_e", solargis),
    Reader("pvlib", "tool_f", pvlib_solaranywhere),
    Reader("by the sample", "tool_g", meteonorm),
    Reader("lxml", "tool_h", xml),
    Reader("pandas", "csv", hour_start_csv),
    Reader("json", "json", json_file),
    Reader("pandas", "parquet", parquet),
    Reader("pyarrow", "arrow", arrow),
    Reader("pandas", "custom", hour_end_csv),
    Reader("pandas", "wbv", wbv),
    Reader("pandas", "measurement", hour_start_csv),
]
