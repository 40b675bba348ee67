"""`json`: the service's own, with everything that is known of the year."""

from collections.abc import Iterator

import orjson

from api.tmy.formats.common.declaration import UTC_START, Format
from api.tmy.formats.common.rows import HOUR_END, HOUR_START, Column, stamps, table
from api.tmy.year import QUANTITIES, TypicalYear

_DECIMALS = {"temp_air": 2, "wind_speed": 2}
_UNITS = {"temp_air": "degC", "rel_hum": "%", "wind_speed": "m/s", "mslp": "hPa"}
_MEANING = "irradiance is the mean over [t, t+1h); temperature, humidity, wind and pressure are instantaneous at t"
_TIMES = {
    "utc": ('"{t:%Y-%m-%dT%H:%M:%SZ}",', HOUR_START, "UTC"),
    "local": ('"{t:%Y-%m-%dT%H:%M:%S}+01:00",', HOUR_END, "UTC+1 without daylight saving"),
}
"""The stamp of an hour's start in local time reads as that of its end in UTC."""


def _meta(year: TypicalYear, zone: str) -> dict[str, object]:
    return {
        "cell_id": year.cell_id,
        "lat": year.lat,
        "lon": year.lon,
        "elevation_m": year.elevation_m,
        "product": year.product,
        "product_years": year.product_years,
        "selected_years": year.selected_years,
        "confidence": year.confidence,
        "scale_factor": year.scale_factor,
        "annual_ghi_kwh_m2": year.annual,
        "annual_dni_kwh_m2_tmy": year.annual_dni_kwh_m2_tmy,
        "bias_correction_wm2": year.bias_correction_wm2,
        "n_stations_bias": year.n_stations_bias,
        "ensemble_weights": year.ensemble_weights,
        "time_convention": f"{zone}, hour-start: {_MEANING}; the year 2001 stands for a typical one",
        "sources": year.sources,
        "method": year.method,
        "license": year.license,
        "license_version": year.license_version,
        "license_last_day": year.license_last_day,
        "license_expired": year.license_expired,
        "generator": year.generator,
        "data_origin": year.data_origin,
    }


def _lists(year: TypicalYear) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the elements of each list, a comma after each of them."""
    pattern, minutes, _ = _TIMES[year.tz]
    yield "time", stamps(pattern, minutes).text.tobytes()
    for name in QUANTITIES:
        yield name, table(None, [Column(getattr(year, name), _DECIMALS.get(name, 1))])


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    units = {name: _UNITS.get(name, "W/m2") for name in QUANTITIES}
    # Joined here: orjson would take half as long again for copying what is printed already.
    parts: list[bytes | memoryview] = [b'{"meta":', orjson.dumps(_meta(year, _TIMES[year.tz][2])), b',"hourly":']
    for number, (name, elements) in enumerate(_lists(year)):
        parts += [b"," if number else b"{", orjson.dumps(name), b":[", memoryview(elements)[:-1], b"]"]
    return b"".join([*parts, b'},"units":', orjson.dumps(units), b"}"])


FORMAT = Format(
    value="json",
    extension=".json",
    media_type="application/json",
    convention=f"{UTC_START} (with `tz=local` UTC+1, hour-start)",
    write=write,
    inline=True,
)
