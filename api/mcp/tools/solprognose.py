"""`solprognose`: irradiance and production hour by hour, some 60 hours ahead."""

from api.mcp.texts import SIMULATED, clock, day, first, joined, number, short, text
from api.mcp.tool import Api, Fields, Tool, ToolError
from api.mcp.tools.surfaces import ARRAYS, AZIMUTH, POWER, TILT, angles

FORECAST = "POST /api/forecast"
# How errors begin that the contract quotes in English.
TOO_MUCH = 403
_NO_FORECAST = "No forecast data available"


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    if {"angle", "aspect"} & arguments.keys() and "peakpower" not in arguments:
        raise ToolError(text("errors", "no_peakpower"))
    surfaces = arguments.get("arrays") or ([arguments] if "peakpower" in arguments else [])
    body: Fields = {
        "latitude": arguments["lat"],
        "longitude": arguments["lon"],
        "arrays": [_array(number, surface) for number, surface in enumerate(surfaces, 1)],
        "timezone": "Europe/Oslo",
        **{name: arguments[name] for name in ("precise", "snow") if name in arguments},
    }
    try:
        answer = await api.post("/api/forecast", body)
    except ToolError as error:
        if str(error).startswith(_NO_FORECAST):
            raise ToolError(text("errors", "no_forecast")) from error
        if error.status == TOO_MUCH:
            raise ToolError(text("errors", "less_power", error=error)) from error
        raise
    irradiance = answer.pop("ghi_timeseries")  # hours with production say it too
    answer.setdefault("pv_timeseries", irradiance)
    return {"": answer}


def _array(number: int, surface: Fields) -> Fields:
    """Return a surface as the forecast takes it: azimuth from north."""
    angle, aspect = angles(surface)
    azimuth = (aspect + 180) % 360
    return {"name": f"flate_{number}", "kwp": surface["peakpower"], "tilt_deg": angle, "azimuth_deg": azimuth}


def _summary(parts: dict[str, Fields]) -> str:
    answer = parts[""]
    plant = answer.get("pv_system")
    hours = answer["pv_timeseries"]
    quantity, unit = ("total_W", "W") if plant else ("ghi_wm2", "W/m²")
    best = max(hours, key=lambda one: one[quantity])
    days = [
        f"{day(one['date'])}{'' if one['complete'] else ' (ikke hele dagen)'}: "
        f"{number(one['production_kwh'] if plant else one['ghi_kwh_m2'], 1)}"
        for one in answer["days"]
    ]
    what = f"Produksjon i kWh fra {short(plant['total_kwp'])} kWp" if plant else "Innstråling (GHI) i kWh/m²"
    return joined(
        f"{what}: {'; '.join(days)}.",
        f"Mest {clock(best['timestamp'])} norsk tid: {number(best[quantity])} {unit} i timemiddel."
        if best[quantity]
        else "Det er ingen sol i varselperioden.",
        "Skyer gjør enkelttimer usikre, mer jo lenger fram.",
        first(
            (answer["data_origin"] == "simulated", SIMULATED),
            (answer["cycle_age_hours"] > 6, f"Varselet er {number(answer['cycle_age_hours'])} timer gammelt."),
            ("snow" in answer and not answer["snow"]["snow_applied"], "Snø er ikke trukket fra: ingen snøfaktor her."),
            (plant is not None and "no_horizon" in plant, "Terrengskygge er ikke med: horisonten er ikke bygd her."),
        ),
        f"Kilde: Solflis, varsel {clock(answer['cycle_time'])}, modell {answer['data_mode']}.",
    )


TOOL = Tool(
    name="solprognose",
    answers={"": FORECAST},
    fetch=_fetch,
    summarise=_summary,
    takes={"GET /api/forecast": ("lat", "lon", "precise", "snow")},
    own={"peakpower": POWER, "angle": TILT, "aspect": AZIMUTH, "arrays": ARRAYS},
    needs_key=True,
)
