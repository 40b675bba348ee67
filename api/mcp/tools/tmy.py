"""`tmy`: statistics of the typical year, its sources, and links to its files; never the 8760 hours."""

import asyncio
from urllib.parse import urlencode

from api.mcp.texts import SIMULATED, first, joined, number
from api.mcp.tool import Api, Fields, Link, Tool

YEAR, STATS, SOURCES = "GET /api/tmy", "GET /api/tmy/stats", "GET /api/tmy/sources"
_MAIN = "ens_tmy30"
_CHOICE = ("format", "confidence")
_FORMATS = (
    "epw", "tmy3", "pvsyst", "pvsol", "pvgis", "sam", "solargis", "solaranywhere", "meteonorm", "wbv", "csv", "json",
    "parquet", "arrow",
)  # fmt: skip


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    point = {name: arguments[name] for name in ("lat", "lon")}
    stats, sources = await asyncio.gather(api.get("/api/tmy/stats", point), api.get("/api/tmy/sources", point))
    return {"statistikk": stats, "kilder": sources}


def _summary(parts: dict[str, Fields]) -> str:
    stats = parts["statistikk"]
    name = _MAIN if _MAIN in stats["products"] else next(iter(stats["products"]))
    product = stats["products"][name]
    year = product["annual_ghi_kwh_m2"]
    spread = "; ".join(
        f"{label} {number(year[key])}" for key, label in (("p90", "P90"), ("p95", "P95")) if year[key] is not None
    )
    return joined(
        f"Det typiske året har {number(year['tmy'] or 0)} kWh/m² global innstråling på horisontal flate"
        + (f" (overgås i 90 og 95 % av årene: {spread})." if spread else "."),
        f"Månedene er valgt fra {product['years'][0]}\u2013{product['years'][1]}, korrigert med "
        f"{stats['bias_correction']['n_stations']} målestasjoner.",
        f"Stedets celle ligger {number(stats['query']['cell_distance_km'], 1)} km unna.",
        first((stats["data_origin"] == "simulated", SIMULATED)),
        "De 8760 timene lastes ned som fil fra lenken i svaret.",
        f"Kilde: Solflis, {name}.",
    )


def _links(api: Api, arguments: Fields) -> list[Link]:
    query = {name: arguments[name] for name in ("lat", "lon", *_CHOICE) if name in arguments}
    return [Link(f"{api.base_url}/api/tmy?{urlencode(query)}", "Typisk år, 8760 timer", "application/octet-stream")]


TOOL = Tool(
    name="tmy",
    answers={"statistikk": STATS, "kilder": SOURCES},
    fetch=_fetch,
    summarise=_summary,
    takes={YEAR: ("lat", "lon", "confidence")},
    own={"format": {"type": "string", "enum": list(_FORMATS), "default": "epw"}},
    links=_links,
)
