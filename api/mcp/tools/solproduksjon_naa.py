"""`solproduksjon_naa`: solar production in Norway now, by county."""

from datetime import datetime

from api.mcp.names import local_time
from api.mcp.texts import SIMULATED, first, joined, number
from api.mcp.tool import Api, Fields, Tool

NOW = "GET /api/production/now"


async def _fetch(api: Api, _: Fields) -> dict[str, Fields]:
    return {"": await api.get("/api/production/now", {})}


def _summary(parts: dict[str, Fields]) -> str:
    answer = parts[""]
    now, today = answer["now"], answer["today"]
    largest = max(answer["counties"], key=lambda one: one["power_mw"])
    local = datetime.fromisoformat(local_time(answer["time"]))
    return joined(
        f"Solkraft i Norge gir nå (timen fra kl. {local:%H.%M}) anslagsvis {number(now['power_mw'], 1)} MW, "
        f"{number(now['share_pct'], 1)} % av {number(now['installed_mw'])} MW installert.",
        f"I dag ventes {number(today['energy_mwh'])} MWh, hvorav {number(today['energy_so_far_mwh'])} MWh hittil.",
        f"Mest i {largest['name']}: {number(largest['power_mw'], 1)} MW." if largest["power_mw"] else "",
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (answer["installed"]["example"], "Installert effekt per fylke er et eksempel, ikke statistikk."),
            (True, "Tallet er beregnet av værvarsel, ikke målt."),
        ),
        f"Kilde: Solflis, værvarsel; installert effekt: {answer['installed']['source'][:80]} "
        f"({answer['installed']['date']}).",
    )


TOOL = Tool(name="solproduksjon_naa", answers={"": NOW}, fetch=_fetch, summarise=_summary, required=())
