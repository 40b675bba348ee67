"""The words of an answer: `method` and `warnings`. It loads the kernels."""

from api.core.prose import prose
from api.data.horizons import why_none
from api.data.location import SIMULATED
from api.data.snow.series import FEW_YEARS, Series, method_of, warnings_of
from api.data.tmy_products import ENSEMBLE
from api.data.typical_year import made_of
from api.pv.calculation import FIRST_YEAR, HEIGHT_MM, LOSS_MODE, SOILING_PCT, Result
from api.pv.query import PvQuery
from api.pv.service import Inputs
from kernels.module import FAIMAN
from tiles.products.tmy import MADE_OF

DOCS = "/docs#get_api_pv_calc"
PROSE, WARNINGS = prose(__file__, "method"), prose(__file__, "warnings")
_SNOW = prose(__file__, "snow")["applied"]


def method(inputs: Inputs) -> dict[str, str]:
    """Return how an answer was made: names and a link, or all of it in words."""
    query, location = inputs.query, inputs.location
    version, (_, first, last) = location.year, MADE_OF[ENSEMBLE]
    names = {
        "engine": "perez_huld_tmy_v1",
        "horizon": location.horizon_method,
        "albedo": inputs.ground.method,
        "snow": _snow(query, inputs.snow),
        "sources": f"{made_of(ENSEMBLE, location.found.known)}: {version.credits}",
        "generator": str(version.provenance["generator"]),
    }
    if query.method == "short":
        return {**names, "docs": DOCS}
    u0, u1 = FAIMAN[query.placement][query.technology]
    faiman = f"{PROSE['coefficients']}; Faiman u0 {u0:g} W/m2/K, u1 {u1:g} W s/m3/K"
    tmy = (
        f"{version.entry.product}, typical months of {first}-{last} (archive {version.entry.version}): {version.method}"
    )
    return {**names, **PROSE, "coefficients": faiman, "tmy": tmy, "docs": DOCS}


def _snow(query: PvQuery, snow: Series | None) -> str:
    if snow is None:
        return "not applied: snowloss=0"
    assumed = f" by mountingplace={query.placement}" if query.snowmounting is None else ""
    applied = f"applied, mounting={query.snow_mounting}{assumed}"
    if query.method == "short":
        return f"{applied}; the model is not calibrated"
    light = "" if query.horizon == "1" else ", with the terrain's horizon left out here (horizon=0)"
    how = {"height": HEIGHT_MM, "mode": LOSS_MODE, "start": FIRST_YEAR, "soiling": SOILING_PCT, "light": light}
    return f"{applied}, {_SNOW.format(**how)} {method_of(snow)}"


def warnings(inputs: Inputs, result: Result, e_kwh: float) -> list[str]:
    """Return what the reader must know; `e_kwh` is that of the year, before snow."""
    query, location, snow = inputs.query, inputs.location, inputs.snow
    found = []
    if query.horizon == "1" and location.horizon is None:
        why = why_none(location.horizons)
        found.append(f"The production is unshaded: {why}, so no terrain was taken into account.")
    if snow is not None:
        found += warnings_of(snow)
        if query.optimize != "none":
            found.append("The angles are those that bring most after the loss by snow (snowloss=1).")
    if result.snow is not None and result.snow.years < FEW_YEARS:
        found.append(f"The loss by snow rests on {result.snow.years} years in some months: it is of little weight.")
    if query.maxpower is not None:
        hidden = result.years.hidden_kwh
        part = 100 * hidden / e_kwh if e_kwh > 0 else 0.0
        shown = f"{hidden:.3f}" if hidden < 10 else f"{hidden:.1f}"
        found.append(WARNINGS["hidden"].format(kwh=shown, percent=part))
    return found if inputs.data_origin == "live" else [*found, SIMULATED]
