"""The words of answers: `method` and `warnings`."""

from collections.abc import Iterable, Iterator, Sequence

from api.core.pipeline import origin_of
from api.core.prose import prose
from api.data.horizons import why_none
from api.data.location import SIMULATED, Location
from api.data.snow.series import FEW_YEARS, Series, date_of, method_of, warnings_of
from api.data.tmy_products import ENSEMBLE
from api.snow.schemas import PlaneQuery, SoilingQuery
from kernels.snow.panel import Panel
from tiles.products.tmy import MADE_OF

OTHER_ALTITUDE_M = 100.0
STEEP_DEG = 45.0
PROSE = {detail: prose(__file__, detail) for detail in ("short", "full")}
WARNINGS = prose(__file__, "warnings")


def model_of(query: PlaneQuery, panel: Panel) -> str:
    """Return the model, with what the plane adds to it."""
    parts = [PROSE[query.method]["model"]]
    if panel.mounting == "flat":
        parts.append("on a flat roof lies 0.8 of the snow on the ground, which buries modules from height_mm up")
    if panel.burial_mm is not None:
        parts.append("modules are wholly covered under snow deeper than burial_mm")
    if panel.loss_mode == "strings":
        parts.append(f"a string that is partly covered gives nothing ({panel.strings} in height)")
    return "; ".join(parts)


def data_of(location: Location, series: Series) -> str:
    """Return where snow and irradiation come from."""
    _, first, last = MADE_OF[ENSEMBLE]
    shade = "without the shade of terrain" if location.horizon is None else "with the terrain's shade at the position"
    return (
        f"{method_of(series)}; irradiation on the plane: mean day of each month in the typical year {ENSEMBLE} "
        f"(typical months of {first}-{last}), as they were, {shade}"
    )


def texts_of(query: PlaneQuery, *names: str) -> dict[str, str]:
    """Return texts of `method`, as short or as full as they are asked for."""
    return {name: PROSE[query.method][name] for name in names}


def warnings(query: PlaneQuery, location: Location, series: Series, more: Iterable[str]) -> list[str]:
    """Return what readers of both answers must know; `more` is of one of them."""
    found = []
    if location.horizon is None:
        why = why_none(location.horizons)
        found.append(f"The irradiation is unshaded: {why}, so no terrain was taken into account.")
    if query.angle > STEEP_DEG:
        found.append(WARNINGS["steep"].format(degrees=STEEP_DEG))
    found += warnings_of(series)
    snow_m, weather_m = series.altitude, location.found.known.elevation
    if abs(snow_m - weather_m) > OTHER_ALTITUDE_M:  # NaN is not
        found.append(WARNINGS["altitude"].format(snow_m=snow_m, weather_m=weather_m))
    found += more
    return found if origin_of(location.data_origin, series.data_origin) == "live" else [*found, SIMULATED]


def warnings_of_years(query: SoilingQuery, series: Series, n_years: Sequence[int]) -> Iterator[str]:
    """Yield what must be known of months that few years have; `n_years` is by month."""
    first = date_of(series.days[0]).year
    if first >= query.start:
        yield f"The series begins in {first}, and months before its first day are missing from the first year."
    none, few = (
        ", ".join(str(month) for month, n in enumerate(n_years, 1) if n in years)
        for years in (range(1), range(1, FEW_YEARS))
    )
    if none:
        yield f"No year has 90 % of the days of month {none}: it has no figures, nor has the year."
    if few:
        yield f"Fewer than {FEW_YEARS} years have month {few}: its statistics are of little weight."
