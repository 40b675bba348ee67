"""`tool_h`: hourly climate as XML, by the schema `weather.xsd` beside this file."""

import html
from pathlib import Path

from api.core.printing import plain
from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
from api.tmy.formats.common.words import licence, months, sources
from api.tmy.year import TypicalYear

SCHEMA = Path(__file__).with_name("weather.xsd")
"""The schema that a file keeps."""

_UNVERIFIED = (
    "a layout of our own by the schema api/tmy/formats/weather.xsd in the source of this service, "
    "no design tool is known to read it: public hourly XML of one was not found"
)
_ROW = (
    '  <Hour n="{n}" month="{day.month}" day="{day.day}" hour="{hour}" ghi="{ghi:.1f}" dni="{dni:.1f}" dhi="{dhi:.1f}" '
    'ta="{temp_air:.2f}" rh="{rel_hum:.1f}" ws="{wind_speed:.2f}" p="{pressure:.1f}"/>\n'
)


def _element(name: str, said: dict[str, object]) -> str:
    return f"  <{name} " + " ".join(f'{key}="{html.escape(str(value))}"' for key, value in said.items()) + "/>"


def _head(year: TypicalYear) -> list[str]:
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
        "unverified": _UNVERIFIED,
    }
    if (held := year.licence) is not None:
        provenance |= {
            "licenceVersion": plain(held.version),
            "licence": licence(year),
            "licenceLastDay": held.last_day,
            "licenceExpired": str(held.expired).lower(),
        }
    simulated = ["  <!-- SIMULATED: invented weather, not for design -->"] if year.data_origin == "simulated" else []
    return [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<ClimateData version="1">',
        *simulated,
        _element("Location", {"name": plain(year.cell_id), **place, "timezone": "1"}),
        _element("Provenance", provenance),
    ]


FORMAT = FileFormat(
    value="tool_h",
    extension=".xml",
    media_type="application/xml",
    convention=LOCAL_END,
    write=writer(_head, _ROW, HOUR_END, "</ClimateData>\n"),
    unverified=_UNVERIFIED,
)
