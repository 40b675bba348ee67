"""`pv_produksjon`: production of a plant in a typical year."""

from api.mcp.texts import MONTHS, SIMULATED, facing, first, joined, number, short
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
        f"Anlegget på {short(kwp)} kWp ({_surfaces(answer)}) gir om lag {number(year['e_kwh'])} kWh i "
        f"{_year(answer['inputs'])}, {number(year['specific_yield_kwh_kwp'])} kWh per kWp:",
        f"mest i {MONTHS[best['month'] - 1]} ({number(best['e_kwh'])} kWh), "
        f"minst i {MONTHS[worst['month'] - 1]} ({number(worst['e_kwh'])} kWh).",
        _uncertainty(answer),
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (year["clipped_kwh"] > 0, f"Effektgrensen kapper {number(year['clipped_kwh'])} kWh."),
            (year["losses_pct"]["horizon"] == 0, "Skygge fra terrenget er ikke funnet eller ikke med."),
            (answer["inputs"]["snowloss"] == 0, "Snø på modulene er ikke med; bruk snowloss eller snotap."),
        ),
        f"Kilde: Solflis, typisk år av {tmy['product_years'][0]}\u2013{tmy['product_years'][1]}.",
    )


def _surfaces(answer: Fields) -> str:
    arrays: list[Fields] = answer["arrays"]
    if len(arrays) > 1:
        return f"{len(arrays)} flater"
    best = "beste vinkler: " if "optimum" in answer else ""
    return f"{best}helning {short(arrays[0]['angle'])}°, {facing(arrays[0]['aspect'])}"


def _year(inputs: Fields) -> str:
    """Return which year the figures are of."""
    which = inputs["confidence"]
    return "et middels år" if which == "p50" else f"et dårlig solår, som overgås i {which[1:]} av 100 år"


def _uncertainty(answer: Fields) -> str:
    percentiles = answer["annual"]["percentiles_kwh"]
    p50, p90 = percentiles["p50"], percentiles["p90"]
    if p50 is None or p90 is None:
        return "Variasjonen mellom år er ikke kjent her."
    if answer["inputs"]["confidence"] == "p50":
        return f"I ni av ti solår gir det mer enn {number(p90)} kWh (P90, bare variasjon i sol)."
    return f"I et middels år gir det {number(p50)} kWh (P50)."


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
