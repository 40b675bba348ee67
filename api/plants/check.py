"""The check of hours of production: findings with their thresholds in one table, and the summary."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.core.prose import prose
from api.plants.interpretation.apply import Hours
from api.plants.interpretation.scoring import DAY_S, HOUR_S, Timing, level, timing
from api.plants.interpretation.zones import local_moment
from api.plants.model import PlantModel
from api.plants.upload_answers import Severity

Floats = NDArray[np.float64]

SUMMER = (5, 6, 7, 8)
"""Months in which a plant that works comes near its rated power."""
_FEW_DAYS, _AT_NIGHT = 3, 0.03
_WHOLE = 0.95  # of an hour
_GRID_ROLES = {"feed_in": "advarsel", "import": "feil", "consumption": "feil"}


class Figures(NamedTuple):
    """What is compared with thresholds.

    Parameters
    ----------
    night : float
        Part of the energy with the sun more than 3 degrees below the horizon.
    shift : float
        Hours by which the energy is late, less twice its standard error; 0 where too few days are bright.
    peak, summer_peak : float
        Highest hour, kWh for each kWp; of May to August alone, NaN with fewer than 14 days of it.
    best_days : float
        95th percentile of the days' energy against the clear sky's.
    share : float
        Energy in all against the clear sky's.
    negative : float
        Negative energy against the positive.
    covered : float
        Part of the hours with sun that are there, from the first to the last.
    cut : float
        Part of the hours with sun, between two others, of which something is missing.
    correlation : float
        Of the mean energy of the day's hours with the clear sky's; hour by hour where there is energy at night.
    """

    night: float
    shift: float
    peak: float
    summer_peak: float
    best_days: float
    share: float
    negative: float
    covered: float
    cut: float
    correlation: float


class Threshold(NamedTuple):
    """A finding and where it begins.

    Parameters
    ----------
    code : str
    figure : str
        Of `Figures`.
    warning, error : float or None
        From here on; None: never.
    below : bool
        Whether it is found where the figure is lower.
    """

    code: str
    figure: str
    warning: float | None
    error: float | None
    below: bool = False


THRESHOLDS = (
    Threshold("natt", "night", 0.003, 0.01),
    Threshold("tid", "shift", 0.5, 1.5),
    Threshold("topp_hoy", "peak", 1.15, 2.0),
    Threshold("topp_lav", "summer_peak", 0.25, 0.02, below=True),
    Threshold("niva_hoy", "best_days", 1.15, 3.0),
    Threshold("niva_lav", "share", 0.15, 0.0005, below=True),
    Threshold("negative", "negative", 0.001, 0.05),
    Threshold("dekning", "covered", 0.6, 0.1, below=True),
    Threshold("dekning", "cut", 0.05, None),
    Threshold("ikke_produksjon", "correlation", None, 0.5, below=True),
)
"""Science brief, section 11, and where an error begins."""


class Check(NamedTuple):
    """A check.

    Parameters
    ----------
    status : {"ok", "advarsel", "feil"}
    findings : list of dict
        `kode`, `alvor`, `tekst`.
    summary : dict
        As it is answered.
    """

    status: str
    findings: list[dict[str, Any]]
    summary: dict[str, Any]

    def fields(self) -> dict[str, Any]:
        """Return it as it is answered."""
        return {"status": self.status, "funn": self.findings, "oppsummering": self.summary}


def check(hours: Hours, model: PlantModel, role: str = "production") -> Check:
    """Return the check of hours.

    Parameters
    ----------
    hours : Hours
    model : PlantModel
    role : str
        What the columns are by their headings: `feed_in`, `import` and `consumption` are no production.
    """
    found, timed = figures_of(hours, model)
    findings = list(_findings(found, role, timed))
    worst = {one["alvor"] for one in findings}
    status = "feil" if "feil" in worst else "advarsel" if worst else "ok"
    return Check(status, findings, _summary(hours, found, timed))


def figures_of(hours: Hours, model: PlantModel) -> tuple[Figures, Timing]:
    """Return what is compared with thresholds, and when the energy comes."""
    starts, wh = hours.starts, np.nan_to_num(hours.wh)
    clear = model.clear(starts)
    timed, leveled = timing(hours, model), level(hours, model)
    shift = timed.overall
    certain = sum(timed.days) >= _FEW_DAYS and np.isfinite(shift)
    late = float(np.sign(shift) * max(abs(shift) - 2 * timed.error, 0)) if certain else 0.0
    day = (starts + round(model.lon * 240)) // DAY_S
    _, place = np.unique(day, return_inverse=True)
    ideal = np.bincount(place, clear)
    bright = ideal > 0.3 * ideal.max() if ideal.size else np.zeros(0, bool)
    ratio = np.bincount(place, np.maximum(wh, 0))[bright] / ideal[bright] if bright.any() else np.zeros(1)
    months = starts.astype("datetime64[s]").astype("datetime64[M]").astype(int) % 12 + 1
    summer = np.isin(months, SUMMER)
    top = float(wh.max(initial=0)) / 1000 / model.kwp
    whole_summer = np.unique(day[summer]).size >= 14
    return (
        Figures(
            timed.night,
            abs(late),
            top,
            float(wh[summer].max()) / 1000 / model.kwp if whole_summer else float("nan"),
            float(np.percentile(ratio, 95)),
            leveled.share,
            float(-wh[wh < 0].sum() / max(wh[wh > 0].sum(), 1.0)),
            _coverage(hours, model),
            _cut(hours, clear),
            leveled.correlation if timed.night > _AT_NIGHT else _profile_correlation(wh, clear, starts),
        ),
        timed,
    )


def _profile_correlation(wh: Floats, clear: Floats, starts: NDArray[np.int64]) -> float:
    """Return the correlation of the mean energy of each hour of the day with the clear sky's; 1 where there is none."""
    hour = starts // HOUR_S % 24
    count = np.maximum(np.bincount(hour, minlength=24), 1)
    energy, ideal = (np.bincount(hour, values, 24) / count for values in (wh, clear))
    if np.ptp(energy) == 0 or np.ptp(ideal) == 0 or np.unique(hour).size < 6:
        return 1.0
    return float(np.corrcoef(energy, ideal)[0, 1])


def _coverage(hours: Hours, model: PlantModel) -> float:
    """Return the part of the hours with sun that are there; hours at the file's ends may be cut."""
    if not hours.starts.size:
        return 0.0
    span = np.arange(hours.starts[0], hours.starts[-1] + HOUR_S, HOUR_S)
    lit = model.clear(span) > 0.02 * 1000 * model.kwp
    there = np.isin(span, hours.starts[hours.covered > 0.5])
    return float(there[lit].mean()) if lit.any() else 1.0


def _cut(hours: Hours, clear: Floats) -> float:
    """Return the part of sunny hours between two others that are not wholly covered."""
    inside = np.zeros(len(hours.starts), bool)
    inside[1:-1] = hours.starts[2:] - hours.starts[:-2] == 2 * HOUR_S
    inside &= clear > 0.1 * clear.max(initial=0)
    return float((hours.covered[inside] < _WHOLE).mean()) if inside.any() else 0.0


def _findings(found: Figures, role: str, timed: Timing) -> Iterator[dict[str, Any]]:
    texts = prose(__file__, "findings")
    grid = _GRID_ROLES.get(role)
    for one in THRESHOLDS:
        value = getattr(found, one.figure)
        severity = grid if one.code == "ikke_produksjon" and grid else _severity(one, value)
        if severity is not None:
            name = f"{one.code}_{role}" if one.code == "ikke_produksjon" and grid else one.code
            name = "dekning_cut" if one.figure == "cut" else name
            if one.code == "negative" and value > 1:
                name = "negative_all"
            numbers = {"value": f"{value:.2f}", "percent": f"{100 * value:.1f}", "hours": f"{timed.overall:+.1f}"}
            text = texts[name].format(**{key: text.replace(".", ",") for key, text in numbers.items()})
            yield {"kode": one.code, "alvor": severity, "tekst": text}


def _severity(one: Threshold, value: float) -> Severity | None:
    beyond: Callable[[float], bool] = (lambda limit: value < limit) if one.below else (lambda limit: value > limit)
    is_nothing = one.code in ("topp_lav", "niva_lav") and value == 0  # may be snow or an outage
    if one.error is not None and beyond(one.error) and not is_nothing:
        return "feil"
    return "advarsel" if one.warning is not None and beyond(one.warning) else None


def _summary(hours: Hours, found: Figures, timed: Timing) -> dict[str, Any]:
    shift = timed.middle
    return {
        "fra": _iso(hours.starts[0]) if hours.starts.size else None,
        "til": _iso(hours.starts[-1]) if hours.starts.size else None,
        "timer": int(hours.starts.size),
        "kwh_totalt": round(float(np.nansum(hours.wh)) / 1000, 3),
        "andel_av_klarvaer": round(found.share, 3),
        "tyngdepunkt_avvik_timer": round(shift, 2) if np.isfinite(shift) else None,
    }


def _iso(start: np.int64) -> str:
    return f"{np.datetime64(int(start), 's')}Z"


def preview(hours: Hours, model: PlantModel, days: int = 60) -> list[dict[str, Any]]:
    """Return measured and clear-sky energy of the last days, in Norwegian days."""
    if not hours.starts.size:
        return []
    recent = hours.starts >= hours.starts[-1] - (days + 1) * DAY_S
    dates = [local_moment(start).date().isoformat() for start in hours.starts[recent].tolist()]
    clear = model.clear(hours.starts[recent])
    sums: dict[str, list[float]] = {}
    for date, wh, ideal in zip(dates, np.nan_to_num(hours.wh[recent]).tolist(), clear.tolist(), strict=True):
        both = sums.setdefault(date, [0.0, 0.0])
        both[0] += wh / 1000
        both[1] += ideal / 1000
    return [
        {"dato": date, "malt_kwh": round(kwh, 3), "klarvaer_kwh": round(ideal, 3)}
        for date, (kwh, ideal) in list(sums.items())[-days:]
    ]
