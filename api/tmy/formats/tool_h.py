"""`tool_h`: hourly climate as XML, by the schema `weather.xsd` beside this file."""

import html
from pathlib import Path

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.formats.common.words import licence, months, plain, sources
from api.tmy.year import TypicalYear

SCHEMA = Path(__file__).with_name("weather.xsd")
"""The schema that a file keeps."""

_UNVERIFIED = (
    "a layout of our own by the schema api/tmy/formats/weather.xsd in the source of this service, "
    "no design tool is known to read it: public hourly XML of one was not found"
)
_STAMP = '  <Hour n="{n}" month="{day.month}" day="{day.day}" hour="{hour}" ghi="'


def _element(name: str, said: dict[str, object]) -> str:
    return f"  <{name} " + " ".join(f'{key}="{html.escape(str(value))}"' for key, value in said.items()) + "/>\n"


def _header(year: TypicalYear) -> bytes:
    place = {"lat": f"{year.lat:.5f}", "lon": f"{year.lon:.5f}", "elevation": f"{year.elevation_m:z.1f}"}
    provenance = {
        "generator": plain(year.generator),
        "product": year.product,
        "confidence": year.confidence,
        "dataOrigin": year.data_origin,
        "scaleFactor": f"{year.scale_factor:.6f}",
        "firstYear": year.product_years[0],
        "lastYear": year.product_years[1],
        "months": months(year),
        "method": plain(year.method),
        "sources": sources(year),
        "licenceVersion": plain(year.license_version),
        "licence": licence(year),
        "licenceLastDay": year.license_last_day,
        "licenceExpired": str(year.license_expired).lower(),
        "unverified": _UNVERIFIED,
    }
    simulated = "  <!-- SIMULATED: invented weather, not for design -->\n" if year.data_origin == "simulated" else ""
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<ClimateData version="1">\n{simulated}'
    location = _element("Location", {"name": plain(year.cell_id), **place, "timezone": "1"})
    return (start + location + _element("Provenance", provenance)).encode()


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    local = year.at_hour_ends()
    columns = [
        Column(local.ghi, 1, b'" dni="'),
        Column(local.dni, 1, b'" dhi="'),
        Column(local.dhi, 1, b'" ta="'),
        Column(local.temp_air, 2, b'" rh="'),
        Column(local.rel_hum, 1, b'" ws="'),
        Column(local.wind_speed, 2, b'" p="'),
        Column(local.pressure, 1, b'"/>\n'),
    ]
    return _header(year) + table(stamps(_STAMP, HOUR_END), columns) + b"</ClimateData>\n"


FORMAT = Format(
    value="tool_h",
    extension=".xml",
    media_type="application/xml",
    convention=LOCAL_END,
    write=write,
    unverified=_UNVERIFIED,
)
