"""What answers say in words: how they were made, and what the reader must know of them."""

from api.horizons import why_none
from api.snow.choice import Chosen
from api.snow.current import date_of
from api.snow.query import SoilingQuery
from api.snow.series import Series
from api.tmy.choice import ENSEMBLE
from tiles.products.tmy import MADE_OF

SIMULATED = "The data are simulated: invented, and of no use for a real plant."
FEW_YEARS = 10
OTHER_ALTITUDE_M = 100.0
STEEP_DEG = 60.0

_MODEL = (
    "a daily model of the snow on the modules: from 10 mm of new snow (20 mm above 60 degrees of tilt) the plane is "
    "covered; on days without such snow it slides by 0.197 sin(tilt) of the plane in every hour with light that is "
    "warmer than -G/80 degrees C (G on the plane, W/m2), times 1 (rack), 0.55 (roof) or 0.35 (flat); it melts by 3 mm "
    "of water for each degree of the day's mean above 0.5 and 0.6 mm for each kWh/m2; it is gone where less than 1 "
    "mm of water is left on the modules, or less than 10 mm of snow on the ground"
)
_LIGHT = (
    "irradiation on the plane: mean day of each month in the typical year {product} (typical months of "
    "{first}-{last}), as they were, {horizon}"
)
REFERENCE = (
    "Marion et al. 2013, Solar Energy 97, 112-121 (sliding); Ryberg & Freeman 2017, NREL/TP-6A20-68705 (no snow on "
    "the ground, none on the modules). ns3031_style_pct is only written in the manner of the monthly table of NS "
    "3031, in steps of 5 %: the model is not fitted to it, and says other values"
)
_NOTE = (
    "Proposals, to be calibrated on plants with snow: the depth that covers, the factors of mountings, melting, and "
    "hours made of days by a swing of 4 degrees, warmest at 14 h solar time. A day of the model runs from 06 to 06 "
    "UTC and counts to the month of its date. A month's loss is that of its days, which weigh the same: of a month "
    "the irradiation of one mean day is known. A month of a year counts with 90 % of its days. p90 is exceeded in 10 "
    "% of the years, p10 in 90 %. loss_pct_incl_soiling = 100 (1 - (1 - s)(1 - f (1 - v))), with s the mean loss by "
    "snow, f the soiling and v the part of the days with more than 10 % of the modules covered. Nobody clears the "
    "modules"
)
_DAY = "A date names the day that runs from 06 UTC of that date to 06 UTC of the next; depth is that at its end"
CAVEAT = (
    "What lies on the modules, no production numbers: loss_pct is of what the day could give without snow, 0 where it "
    "gives nothing. On a day with data_missing nothing changes on the modules. snow_on_panel_today and "
    "days_with_snow speak of any coverage, clears_on of none. Parameters are proposals and not calibrated; the "
    "forecast of snow is less certain with each day; nobody clears the modules"
)
_BURIAL = "modules are wholly covered under snow deeper than burial_mm"
_FLAT = "on a flat roof lies 0.8 of the snow on the ground, which buries modules from height_mm up"
_STRINGS = "a string that is partly covered gives nothing ({strings} in height)"


def model(mounting: str, loss_mode: str, strings: int, burial_mm: float | None = None) -> str:
    """Return the model in words, with what the plane adds to it."""
    more = [_FLAT] if mounting == "flat" else []
    more += [_BURIAL] if burial_mm is not None else []
    more += [_STRINGS.format(strings=strings)] if loss_mode == "strings" else []
    return "; ".join([_MODEL, *more])


def soiling_method(asked: SoilingQuery, chosen: Chosen) -> dict[str, str]:
    """Return how an answer of months was made."""
    return {
        "model": model(asked.mounting, asked.lossmode, asked.strings),
        "reference": REFERENCE,
        "data": f"{data(chosen.series)}; {light(chosen)}",
        "note": _NOTE,
    }


def data(series: Series) -> str:
    """Return where days of snow come from."""
    where = f"the snow authority's 1 km cell at {series.point[0]} E, {series.point[1]} N (UTM 33)"
    days = f"{date_of(series.days[0])} to {date_of(series.days[-1])}"
    named = "; ".join(f"{one['name']} ({one['licence']}; {one['attribution']})" for one in series.sources)
    how = "fetched for this cell on demand" if series.on_demand else f"published as {series.version.split('/')[0]}"
    return (
        f"daily new snow, snow depth and temperature of {where}, {days}, {how}, {series.data_origin}: {named}. {_DAY}"
    )


def light(chosen: Chosen) -> str:
    """Return where the irradiation on the plane comes from."""
    _, first, last = MADE_OF[ENSEMBLE]
    shade = "without the shade of terrain" if chosen.horizon is None else "with the terrain's shade at the position"
    return _LIGHT.format(product=ENSEMBLE, first=first, last=last, horizon=shade)


def horizon(chosen: Chosen) -> str:
    """Return whether the terrain's shade is in the irradiation."""
    if chosen.horizon is None:
        return f"not applied: {why_none(chosen.horizons)}"
    entry = chosen.horizon.entry
    return f"applied: {entry.product} {entry.version} ({entry.data_origin}), tile {chosen.horizon.tile_key}"


def warnings(chosen: Chosen, ignored: tuple[str, ...], angle: float) -> list[str]:
    """Return what readers of both answers must know, in sentences; what is said of data alone comes last."""
    told = []
    if ignored:
        told.append(f"Unknown parameters were ignored: {', '.join(ignored)}.")
    if chosen.horizon is None:
        told.append(f"The irradiation is unshaded: {why_none(chosen.horizons)}, so no terrain was taken into account.")
    if angle > STEEP_DEG:
        told.append(
            f"Above {STEEP_DEG:g} degrees the model is least sure: hardly any snow stays on a wall, and here 20 mm of "
            "new snow still cover one."
        )
    told += of_series(chosen.series)
    snow_m, weather_m = chosen.series.altitude, chosen.found.known.elevation
    if abs(snow_m - weather_m) > OTHER_ALTITUDE_M:  # NaN is not
        told.append(
            f"The snow is that of {snow_m:.0f} m above the sea, the typical year's weather that of {weather_m:.0f} m: "
            "modules that stand higher than the snow's cell see more snow, and lower ones less."
        )
    return told


def of_series(series: Series) -> list[str]:
    """Return what readers must know of where the snow comes from, in sentences."""
    told = []
    if series.on_demand:
        told.append("The snow of this cell is not published: it was fetched from the snow authority on demand.")
    if series.behind:
        told.append(f"The snow series ends on {date_of(series.days[-1])}: newer years cannot be fetched now.")
    return told


def of_years(asked: SoilingQuery, first: int, n_years: list[int]) -> list[str]:
    """Return what must be known of months that few years have.

    Parameters
    ----------
    asked : SoilingQuery
    first : int
        Year of the first day that there is.
    n_years : list of int
        By month.
    """
    told = []
    none = [str(month) for month, n in enumerate(n_years, 1) if n == 0]
    few = [str(month) for month, n in enumerate(n_years, 1) if 0 < n < FEW_YEARS]
    if first >= asked.start:
        told.append(f"The series begins in {first}, and months before its first day are missing from the first year.")
    if none:
        told.append(f"No year has 90 % of the days of month {', '.join(none)}: nothing is said of it, nor of the year.")
    if few:
        told.append(f"Fewer than {FEW_YEARS} years have month {', '.join(few)}: its statistics are of little weight.")
    return told
