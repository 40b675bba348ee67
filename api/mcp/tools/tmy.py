"""`tmy`: statistics of the typical year, its sources, and links to its files; never the 8760 hours."""

import asyncio
from urllib.parse import urlencode

from api.mcp.texts import SIMULATED, first, joined, number
from api.mcp.tool import Api, Fields, Link, Tool

YEAR, STATS, SOURCES = "GET /api/tmy", "GET /api/tmy/stats", "GET /api/tmy/sources"
_MAIN = "ens_tmy30"
_CHOICE = ("format", "confidence")
_TEXT, _TABLE = "text/plain", "text/csv"
_FORMATS = {
    "epw": _TEXT,
    "tmy3": _TABLE,
    "pvsyst": _TABLE,
    "pvsol": _TEXT,
    "pvgis": _TABLE,
    "sam": _TABLE,
    "solargis": _TABLE,
    "solaranywhere": _TABLE,
    "meteonorm": _TEXT,
    "wbv": _TEXT,
    "csv": _TABLE,
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
}
"""Media types of the files; a test holds them to what the API sends."""


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    point = {name: arguments[name] for name in ("lat", "lon")}
    try:
        async with asyncio.TaskGroup() as group:
            stats = group.create_task(api.get("/api/tmy/stats", point))
            sources = group.create_task(api.get("/api/tmy/sources", point))
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return {"statistikk": stats.result(), "kilder": sources.result()}


def _summary(parts: dict[str, Fields]) -> str:
    stats = parts["statistikk"]
    name = _MAIN if _MAIN in stats["products"] else next(iter(stats["products"]))
    product = stats["products"][name]
    year = product["annual_ghi_kwh_m2"]
    total = "ukjent" if year["tmy"] is None else f"{number(year['tmy'])} kWh/m²"
    low, lower = year["p90"], year["p95"]
    return joined(
        f"Global innstråling på horisontal flate i det typiske året er {total}.",
        f"I ni av ti år er den over {number(low)} (P90), i 19 av 20 over {number(lower)} (P95)."
        if low is not None and lower is not None
        else "Variasjonen mellom år er ikke kjent her.",
        f"Månedene er valgt fra {product['years'][0]}\u2013{product['years'][1]}, korrigert med "
        f"{stats['bias_correction']['n_stations']} målestasjoner.",
        f"Stedets celle ligger {number(stats['query']['cell_distance_km'], 1)} km unna.",
        first((stats["data_origin"] == "simulated", SIMULATED)),
        "De 8760 timene lastes ned som fil fra lenken i svaret.",
        f"Kilde: Solflis, {name}.",
    )


def _links(api: Api, arguments: Fields) -> list[Link]:
    query = {name: arguments[name] for name in ("lat", "lon", *_CHOICE) if name in arguments}
    kind, year = arguments.get("format", "epw"), arguments.get("confidence", "tmy")
    return [
        Link(f"{api.base_url}/api/tmy?{urlencode(query)}", f"Typisk år ({kind}, {year}), 8760 timer", _FORMATS[kind])
    ]


TOOL = Tool(
    name="tmy",
    answers={"statistikk": STATS, "kilder": SOURCES},
    fetch=_fetch,
    summarise=_summary,
    takes={YEAR: ("lat", "lon", "confidence")},
    own={"format": {"type": "string", "enum": list(_FORMATS), "default": "epw"}},
    links=_links,
)
