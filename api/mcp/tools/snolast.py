"""`snolast`: characteristic snow load on the ground."""

from api.mcp.texts import SIMULATED, first, joined, number, short, text
from api.mcp.tool import Api, Fields, Tool, ToolError

CALC = "GET /api/snowload/calc"
OFF_M = 50.0
"""A plot that lies so much higher or lower than the cells has other snow, m; as in the API's own warning."""


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    try:
        return {"": await api.get("/api/snowload/calc", arguments)}
    except ToolError as error:
        if reasons := error.content.get("cell_errors"):
            raise ToolError(text("errors", "no_cells", error=error, reason=reasons[0]["error"])) from error
        raise


def _summary(parts: dict[str, Fields]) -> str:
    answer = parts[""]
    inputs, result, table = answer["inputs"], answer["aggregate"], answer["eurocode_comparison"]
    heights = result["altitude_range_m"]
    where = "." if heights is None else f", for celler på {_range(heights)} moh."
    spread = result["sd_cv_pct"]
    return joined(
        f"Karakteristisk snølast på mark er {number(result['characteristic_snow_load_kn_m2'], 1)} kN/m² "
        f"for {inputs['return_period_yr']} års returperiode{where}",
        f"Det er {_of_cells(result['n_cells'])} ganger variasjonsfaktoren {short(inputs['variability_factor'])}"
        + (f"; variasjonskoeffisienten mellom cellene er {short(spread)} %." if spread is not None else "."),
        _table(table),
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            *_higher(table["site_elevation_m"], heights),
            (True, "Beslutningsstøtte: ansvarlig prosjekterende kontrollerer, og formfaktor kommer i tillegg."),
        ),
        f"Kilde: NVE seNorge, vintre fra {inputs['series_start'][:4]}.",
    )


def _of_cells(count: int) -> str:
    return "verdien i én celle på 1 km" if count == 1 else f"medianen av {count} celler på 1 km"


def _range(heights: list[float]) -> str:
    low, high = map(number, heights)
    return low if low == high else f"{low}\u2013{high}"


def _higher(site: float | None, heights: list[float] | None) -> list[tuple[bool, str]]:
    """Return the warning of a plot that lies apart from the cells."""
    if site is None or heights is None:
        return []
    low, high = heights
    more = f"Tomten ligger på {number(site)} moh., høyere enn cellene: vent mer snø enn dette."
    less = f"Tomten ligger på {number(site)} moh., lavere enn cellene: vent mindre snø enn dette."
    return [(site > high + OFF_M, more), (site < low - OFF_M, less)]


def _table(table: Fields) -> str:
    if table["sk_kn_m2"] is None:
        return "Tabell NA.4.1(901) er ikke lagt inn her: sammenlikn selv med kommunens verdi."
    return f"Standardens tabell gir {number(table['sk_kn_m2'], 1)} kN/m² for {table['kommune']}."


TOOL = Tool(
    name="snolast",
    answers={"": CALC},
    fetch=_fetch,
    summarise=_summary,
    takes={CALC: ("lat", "lon", "returnperiod", "grid", "variability", "elev")},
)
