"""`snolast`: characteristic snow load on the ground."""

from api.mcp.texts import SIMULATED, first, joined, number
from api.mcp.tool import Api, Fields, Tool

CALC = "GET /api/snowload/calc"


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    return {"": await api.get("/api/snowload/calc", arguments)}


def _summary(parts: dict[str, Fields]) -> str:
    answer = parts[""]
    inputs, result, table = answer["inputs"], answer["aggregate"], answer["eurocode_comparison"]
    altitude = inputs["center_cell"]["altitude_m"]
    where = f" ved {number(altitude)} moh." if altitude is not None else "."
    spread = result["sd_cv_pct"]
    return joined(
        f"Karakteristisk snølast på mark er {number(result['characteristic_snow_load_kn_m2'], 1)} kN/m² "
        f"for {inputs['return_period_yr']} års returperiode{where}",
        f"Det er medianen av {result['n_cells']} celler på 1 km ganger variasjonsfaktoren "
        f"{number(inputs['variability_factor'], 1)}"
        + (f"; cellene spriker {number(spread, 1)} %." if spread is not None else "."),
        _table(table),
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (True, "Beslutningsstøtte: ansvarlig prosjekterende kontrollerer, og formfaktor kommer i tillegg."),
        ),
        f"Kilde: NVE seNorge, vintre fra {inputs['series_start'][:4]}.",
    )


def _table(table: Fields) -> str:
    if table["sk_kn_m2"] is None:
        return "Kommunetabellen i standarden er ikke tilgjengelig til sammenlikning."
    return f"Standardens tabell gir {number(table['sk_kn_m2'], 1)} kN/m² for {table['kommune']}."


TOOL = Tool(
    name="snolast",
    answers={"": CALC},
    fetch=_fetch,
    summarise=_summary,
    takes={CALC: ("lat", "lon", "returnperiod", "grid", "variability", "elev")},
)
