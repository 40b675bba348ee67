"""`pv_produksjon`: production of a plant in a typical year."""

from typing import Any

from api.mcp.texts import MONTHS, SIMULATED, first, joined, number
from api.mcp.tool import Api, Fields, Tool
from api.mcp.tools.surfaces import ARRAYS, angles

CALC = "GET /api/pv/calc"


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    query = dict(arguments)
    if "arrays" in query:
        surfaces = ((one["peakpower"], *angles(one)) for one in query["arrays"])
        query["arrays"] = ",".join(":".join(map(str, one)) for one in surfaces)
    return {"": await api.get("/api/pv/calc", query)}


def _summary(parts: dict[str, Fields]) -> str:
    answer = parts[""]
    year, tmy, months = answer["annual"], answer["tmy"], answer["monthly"]
    kwp = sum(one["kwp"] for one in answer["arrays"])
    best, worst = (choose(months, key=lambda one: one["e_kwh"]) for choose in (max, min))
    return joined(
        f"Anlegget på {number(kwp, 2)} kWp ({_surfaces(answer['arrays'])}) gir om lag {number(year['e_kwh'])} kWh "
        f"i året, {number(year['specific_yield_kwh_kwp'])} kWh per kWp:",
        f"mest i {MONTHS[best['month'] - 1]} ({number(best['e_kwh'])} kWh), "
        f"minst i {MONTHS[worst['month'] - 1]} ({number(worst['e_kwh'])} kWh).",
        _uncertainty(year),
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (year["clipped_kwh"] > 0, f"Effektgrensen kapper {number(year['clipped_kwh'])} kWh."),
            (year["losses_pct"]["horizon"] == 0, "Skygge fra terrenget er ikke funnet eller ikke med."),
            (answer["inputs"]["snowloss"] == 0, "Snø på modulene er ikke med; bruk snowloss eller snotap."),
        ),
        f"Kilde: Solflis, typisk år av {tmy['product_years'][0]}\u2013{tmy['product_years'][1]}.",
    )


def _surfaces(arrays: list[Any]) -> str:
    if len(arrays) > 1:
        return f"{len(arrays)} flater"
    return f"helning {number(arrays[0]['angle'])}°, {number(arrays[0]['aspect'])}° fra sør"


def _uncertainty(year: Fields) -> str:
    p90 = year["percentiles_kwh"]["p90"]
    if p90 is None:
        return "Variasjonen mellom år er ikke kjent her."
    return f"I ni av ti solår gir det mer enn {number(p90)} kWh (P90)."


TOOL = Tool(
    name="pv_produksjon",
    answers={"": CALC},
    fetch=_fetch,
    summarise=_summary,
    takes={
        CALC: (
            "lat", "lon", "peakpower", "angle", "aspect", "loss", "pvtechchoice", "mountingplace", "optimize",
            "confidence", "maxpower", "horizon", "snowloss", "snowmounting",
        )
    },
    own={"arrays": ARRAYS},
)  # fmt: skip
