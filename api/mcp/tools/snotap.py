"""`snotap`: what snow takes of each month, or snow on the panel in the days ahead."""

from api.mcp.texts import MONTHS, SIMULATED, day, first, joined, number, short
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
    year, inputs = answer["annual"]["loss_pct_incl_soiling"], answer["inputs"]
    known = [one for one in answer["monthly"] if one["loss_pct_incl_soiling"] is not None]
    worst = max(known, key=lambda one: one["loss_pct_incl_soiling"], default=None)
    plane = f"på en flate med {short(inputs['angle_deg'])}° helning"
    return joined(
        f"Snø og tilsmussing tar i middel {number(year, 1)} % av årets innstråling {plane}."
        if year is not None
        else f"Årets tap {plane} er ikke kjent: {12 - len(known)} måneder mangler data.",
        _worst(worst) if worst else "",
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (True, "Modellen er ikke kalibrert mot målte anlegg."),
        ),
        f"Kilde: NVE seNorge fra {inputs['series_start']} og typisk år.",
    )


def _worst(month: Fields) -> str:
    low, high = month["snow_loss_pct_p10"], month["snow_loss_pct_p90"]
    return (
        f"Verst er {MONTHS[month['month'] - 1]} med {number(month['loss_pct_incl_soiling'])} %; i åtte av ti år "
        f"ligger snøtapet der mellom {number(low)} og {number(high)} %."
    )


def _days(answer: Fields) -> str:
    summary, days = answer["summary"], answer["days"]
    missing = sum(one["data_missing"] for one in days)
    return joined(
        _panel_today(summary),
        _loss_ahead(summary, len(days)),
        "Varselet blir mer usikkert for hver dag.",
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (missing > 0, f"For {missing} av dagene mangler snødata."),
            (True, "Modellen er ikke kalibrert mot målte anlegg."),
        ),
        f"Kilde: NVE seNorge, utstedt {day(answer['issued_utc'])}.",
    )


def _panel_today(summary: Fields) -> str:
    if not summary["snow_on_panel_today"]:
        return "Det ligger ikke snø på panelet i dag."
    if summary["clears_on"] is None:
        return "Det ligger snø på panelet i dag, og fortsatt eller igjen senere i perioden."
    return f"Det ligger snø på panelet i dag; det ventes snøfritt {day(summary['clears_on'])}."


def _loss_ahead(summary: Fields, days: int) -> str:
    most = summary["max_loss_pct"]
    if days == 1:
        return "Det er ingen sol å tape i dag." if most is None else f"Snøen tar {number(most)} % av dagens sol."
    loss = "ingen sol å tape" if most is None else f"høyeste tap {number(most)} % på en dag"
    covered = summary["days_with_snow"]
    return f"I dag og de neste {days - 1} dagene: snø på panelet {covered} av {days} dager, {loss}."


TOOL = Tool(
    name="snotap",
    answers={"maaneder": MONTHLY, "dager": DAILY},
    fetch=_fetch,
    summarise=_summary,
    own={"visning": {"type": "string", "enum": ["maaneder", "dager"], "default": "maaneder"}},
    takes={MONTHLY: (*_PLANE, "start", "soiling"), DAILY: ("burial_mm", "days")},
    optional_parts=("maaneder", "dager"),
)
