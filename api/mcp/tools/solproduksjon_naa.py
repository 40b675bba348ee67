"""`solproduksjon_naa`: solar production in Norway now, by county."""

from datetime import datetime

from api.mcp.names import local_time
from api.mcp.texts import SIMULATED, day, first, joined, number
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
        f"Døgnet {day(answer['date'])} (UTC) er beregnet til {number(today['energy_mwh'])} MWh, "
        f"{number(today['energy_so_far_mwh'])} av dem hittil.",
        f"Mest i {largest['name']}: {number(largest['power_mw'], 1)} MW." if largest["power_mw"] else "",
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (answer["installed"]["example"], "Installert effekt per fylke er et eksempel, ikke statistikk."),
        ),
        "Tallet er beregnet av værvarsel, ikke målt.",
        f"Kilde: Solflis, værvarsel{_table(answer['installed'])}.",
    )


def _table(installed: Fields) -> str:
    """Return where the installed power is from; an example is from nowhere."""
    return "" if installed["example"] else f"; installert effekt: {installed['source'][:80]} ({installed['date']})"


TOOL = Tool(name="solproduksjon_naa", answers={"": NOW}, fetch=_fetch, summarise=_summary, required=())
