"""`snotap`: what snow takes of each month, or snow on the panel in the days ahead."""

from api.mcp.texts import MONTHS, SIMULATED, day, first, joined, number
from api.mcp.tool import Api, Fields, Tool

MONTHLY, DAILY = "GET /api/snowsoiling/calc", "GET /api/snow/outlook"
_PLANE = ("lat", "lon", "angle", "aspect", "mounting")


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    query = dict(arguments)
    if query.pop("visning", "maaneder") == "dager":
        return {"dager": await api.get("/api/snow/outlook", query)}
    return {"maaneder": await api.get("/api/snowsoiling/calc", query)}


def _summary(parts: dict[str, Fields]) -> str:
    return _days(parts["dager"]) if "dager" in parts else _months(parts["maaneder"])


def _months(answer: Fields) -> str:
    year, inputs = answer["annual"], answer["inputs"]
    known = [one for one in answer["monthly"] if one["loss_pct_incl_soiling"] is not None]
    worst = max(known, key=lambda one: one["loss_pct_incl_soiling"], default=None)
    if worst is None or year["loss_pct_incl_soiling"] is None:
        return "Ingen vintre i serien har nok data til å si noe om snøtapet her. Velg et tidligere år i start."
    return joined(
        f"Snø og tilsmussing tar i middel {number(year['loss_pct_incl_soiling'], 1)} % av årets innstråling på en "
        f"flate med {number(inputs['angle_deg'])}° helning.",
        f"Verst er {MONTHS[worst['month'] - 1]} med {number(worst['loss_pct_incl_soiling'])} %; i åtte av ti år "
        f"ligger snøtapet der mellom {number(worst['snow_loss_pct_p10'])} og {number(worst['snow_loss_pct_p90'])} %.",
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (True, "Modellen er ikke kalibrert mot målte anlegg."),
        ),
        f"Kilde: NVE seNorge fra {inputs['series_start']} og typisk år.",
    )


def _days(answer: Fields) -> str:
    summary, days = answer["summary"], answer["days"]
    today = summary["snow_on_panel_today"]
    clear = summary["clears_on"]
    on_panel = "Det ligger snø på panelet i dag." if today else "Det ligger ikke snø på panelet i dag."
    return joined(
        on_panel,
        f"De neste {len(days)} dagene: {summary['days_with_snow']} dager med snø, høyeste tap "
        f"{number(summary['max_loss_pct'] or 0)} %.",
        f"Panelet ventes snøfritt {day(clear)}." if clear else "",
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (True, "Varselet er mer usikkert for hver dag, og modellen er ukalibrert."),
        ),
        f"Kilde: NVE seNorge, utstedt {day(answer['issued_utc'])}.",
    )


TOOL = Tool(
    name="snotap",
    answers={"maaneder": MONTHLY, "dager": DAILY},
    fetch=_fetch,
    summarise=_summary,
    own={"visning": {"type": "string", "enum": ["maaneder", "dager"], "default": "maaneder"}},
    takes={MONTHLY: (*_PLANE, "start", "soiling"), DAILY: ("burial_mm", "days")},
    optional_parts=("maaneder", "dager"),
)
