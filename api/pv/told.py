"""What an answer says in words: how it was made, and what the reader must know of it. It loads the kernels."""

from api.horizons import why_none
from api.pv.choice import Chosen
from api.pv.query import Asked
from api.pv.snow import FIRST_YEAR, HEIGHT_MM, LOSS_MODE, SOILING_PCT
from api.snow import told as snow_told
from api.tmy.choice import ENSEMBLE
from api.tmy.summary import made_of, named
from kernels.module import FAIMAN
from tiles.products.tmy import MADE_OF

ENGINE = "perez_huld_tmy_v1"
SIMULATED = "The data are simulated: invented, and of no use for a real plant."
_CHAIN = (
    "apparent sun at mid-hour (in hours of sunrise and sunset, and where terrain hides it for a part of the hour: mean "
    "over the 5-minute samples that see it); horizon; Perez 1990 (allsitescomposite1990); reflection by "
    "Martin & Ruiz (a_r 0.16), circumsolar as beam; spectral factor of First Solar (crystSi as multisi, CIS as cigs, "
    "CdTe as cdte), with water from temperature and humidity by Gueymard; air and wind of mid-hour; module temperature "
    "by Faiman, of 0.67 times the wind at 10 m; Huld; system loss; limit (maxpower) of the hour's "
    "mean power; snow"
)
_COEFFICIENTS = (
    "of Huld's model and of Faiman's (u0 {0:g} W/m2/K, u1 {1:g} W s/m3/K) as in PVGIS 5 (pvgis5), so that results can "
    "be laid beside PVGIS"
)
_LOSSES = (
    "each in % of what the stage before leaves, positive where energy is lost, negative where it is gained, weighted "
    "by kWp; total = 100 (1 - product of (1 - loss / 100)), of kWp times the irradiation of the unshaded planes. "
    "horizon can be some hundredths below 0, which is no error: an hour that terrain half hides is reckoned with the "
    "mean of the sun's free five minutes"
)
_POA = "on the planes with the horizon's shade; of several surfaces the mean weighted by kWp"
_PERCENTILES = (
    "the whole chain anew with all irradiance of the year times one factor, so that its GHI is the long-term value "
    "exceeded in 50, 75, 90 or 95 % of the years: they speak of the sun's change from year to year alone. What is not "
    "known of the climate data, the chain, the plant and its ageing comes on top, and is for the reader to add"
)
_STD = "difference of production between the p50 year and the year scaled to one standard deviation of annual GHI less"
_SIDE_BY_SIDE = (
    "the year's energy after system loss and limit: without horizon; with it; and with snow. Where no horizon or no "
    "snow is applied, it is the same as before"
)
_SNOW = (
    "applied to what each surface gives in a month after the limit: loss_pct_incl_soiling of /api/snowsoiling/calc for "
    "its plane (mounting={mounting}{assumed}, height_mm={height:g}, lossmode={mode}, start={start}, "
    "soiling={soiling:g}){light}, in all percentiles alike. The model is not calibrated. Soiling is taken "
    "beside the system's loss: leave it out of `loss`. {data}"
)


def method(asked: Asked, chosen: Chosen) -> dict[str, str]:
    """Return how an answer was made."""
    entry = chosen.version.entry
    _, first, last = MADE_OF[ENSEMBLE]
    return {
        "engine": ENGINE,
        "chain": _CHAIN,
        "coefficients": _COEFFICIENTS.format(*FAIMAN[asked.mounting][asked.technology]),
        "horizon": _horizon(asked, chosen),
        "albedo": chosen.ground.told,
        "snow": _snow(asked, chosen),
        "year": "typical months in UTC; the sun is that of the cell's centre, the horizon that of the position",
        "sources": f"{made_of(ENSEMBLE, chosen.found.known)}: {named(chosen.version)}",
        "tmy": f"{entry.product}, typical months of {first}-{last} (archive {entry.version}): {chosen.version.method}",
        "generator": chosen.version.generator,
        "poa": _POA,
        "losses": _LOSSES,
        "percentiles": _PERCENTILES,
        "e_std": _STD,
        "side_by_side": _SIDE_BY_SIDE,
    }


def _horizon(asked: Asked, chosen: Chosen) -> str:
    if not asked.horizon:
        return "turned off: horizon=0"
    if chosen.horizon is None:
        return f"not applied: {why_none(chosen.horizons)}"
    horizon = chosen.horizon
    entry = horizon.entry
    which = f"{entry.product} {entry.version} ({entry.data_origin}), tile {horizon.tile_key}"
    terrain = "" if horizon.dtm_year is None else f", terrain data of {horizon.dtm_year}"
    return f"applied to beam, circumsolar and sky: {which}{terrain}"


def _snow(asked: Asked, chosen: Chosen) -> str:
    if chosen.snow is None:
        return "not applied: snowloss=0"
    return _SNOW.format(
        mounting=asked.snowmounting,
        assumed=f" by mountingplace={asked.mounting}" if asked.assumed_snowmounting else "",
        height=HEIGHT_MM,
        mode=LOSS_MODE,
        start=FIRST_YEAR,
        soiling=SOILING_PCT,
        light="" if asked.horizon else ", with the terrain's horizon left out here (horizon=0)",
        data=snow_told.data(chosen.snow),
    )


def warnings(asked: Asked, chosen: Chosen, hidden_kwh: float, e_kwh: float, snow_years: int | None = None) -> list[str]:
    """Return what the reader must know, in sentences.

    Parameters
    ----------
    asked : Asked
    chosen : Chosen
    hidden_kwh : float
        What the limit would take at most beyond what is said.
    e_kwh : float
        Of the year, before snow.
    snow_years : int or None
        Years that the loss by snow rests on, in the month that fewest have; None where it is not applied.
    """
    told = []
    if asked.ignored:
        told.append(f"Unknown parameters were ignored: {', '.join(asked.ignored)}. What was understood is in inputs.")
    if asked.horizon and chosen.horizon is None:
        told.append(f"The production is unshaded: {why_none(chosen.horizons)}, so no terrain was taken into account.")
    if chosen.snow is not None:
        told += snow_told.of_series(chosen.snow)
    if snow_years is not None and snow_years < snow_told.FEW_YEARS:
        told.append(f"The loss by snow rests on {snow_years} years in some months: it is of little weight.")
    if asked.maxpower is not None:
        part = 100 * hidden_kwh / e_kwh if e_kwh > 0 else 0.0
        told.append(
            "Hourly means hide shorter peaks: under a sky that is now clear, now dull, the limit would take up to "
            f"{_shown(hidden_kwh)} kWh a year more ({part:.1f} % of the production)."
        )
    if chosen.origin != "live":
        told.append(SIMULATED)
    return told


def _shown(kwh: float) -> str:
    return f"{kwh:.3f}" if kwh < 10 else f"{kwh:.1f}"
