"""Measurements in the fixed format as hours of energy, and what of them cannot be true."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from api.core.prose import prose
from api.data.plants.measurements import HOUR_S, Hours, Longs
from api.data.plants.plant import Plant
from api.plants import problems
from api.plants.interpretation.zones import to_utc
from api.plants.schemas import Measurements

MOST_OF_KWP = 1.15
"""So much of its nominal power a plant may give as the mean of an hour."""

FIRST_YEAR = 1980
_FIRST = int(datetime(FIRST_YEAR, 1, 1, tzinfo=UTC).timestamp())
_SHOWN = 20
_DAY_S = 86_400
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- wall-clock seconds are counted from it
_FACTORS = {"W": 1.0, "kW": 1e3, "MW": 1e6, "Wh": 1.0, "kWh": 1e3, "MWh": 1e6}


class Measured(NamedTuple):
    """Hours that values cover wholly, and how many they cover in part."""

    hours: Hours
    incomplete: int


def measured(plant: Plant, body: Measurements, now: datetime) -> Measured:
    """Return the hours of some measurements.

    Raises
    ------
    ApiError
        `FAILED_CHECKS`: a value cannot be true.
    """
    local, until = _local(body), int(now.timestamp())
    refuse(_problems_of_times(local, until + _DAY_S))  # before zones are looked up, which end somewhere
    starts, wh = _intervals(body, local)
    refuse(chain(_problems_of_values(starts, wh, body.intervall_min * 60), _problems_of_times(starts, until)))
    hours, first = np.unique(starts // HOUR_S, return_index=True)
    sums, counts = np.add.reduceat(wh, first), np.diff(np.append(first, len(starts)))
    refuse(_problems_of_hours(plant, hours * HOUR_S, sums))
    whole = counts == 60 // body.intervall_min
    if not whole.any():
        refuse([_problem("no_whole_hour", int(starts[0]))])
    return Measured(Hours(hours[whole] * HOUR_S, sums[whole]), int((~whole).sum()))


def refuse(found: Iterable[dict[str, Any]]) -> None:
    """Refuse measurements where there is anything wrong with them; of many problems the first are told.

    Raises
    ------
    ApiError
        `FAILED_CHECKS`.
    """
    if listed := list(found):
        more = len(listed) - _SHOWN
        told = (
            listed
            if more <= 0
            else [*listed[:_SHOWN], {"tekst": prose(__file__, "problems")["more"].format(count=more)}]
        )
        raise problems.FAILED_CHECKS(fields={"problemer": told})


def _local(body: Measurements) -> Longs:
    """Return the times as a clock shows them, seconds since 1970."""
    return np.array([round((moment.replace(tzinfo=None) - _EPOCH).total_seconds()) for moment, _ in body.verdier])


def _intervals(body: Measurements, local: Longs) -> tuple[Longs, npt.NDArray[np.float64]]:
    """Return the starts of the intervals, ascending, unix seconds, and the energy of each, Wh.

    Of an interval that comes twice the later value counts.
    """
    offsets = np.array([_minutes(moment) for moment, _ in body.verdier])
    step = body.intervall_min * 60
    starts = to_utc(local, offsets, body.tidssone) - step * (body.stempel == "slutt")
    with np.errstate(over="ignore"):
        wh = np.array([value for _, value in body.verdier]) * _FACTORS[body.enhet]
    if not body.is_energy_unit:
        wh *= step / HOUR_S
    ascending, last = np.unique(starts[::-1], return_index=True)
    return ascending, wh[::-1][last]


def _minutes(moment: datetime) -> float:
    offset = moment.utcoffset()
    return float("nan") if offset is None else offset.total_seconds() / 60


def _problems_of_times(starts: Longs, until: int) -> Iterator[dict[str, Any]]:
    for name, wrong in (("future", starts > until), ("too_early", starts < _FIRST)):
        for start in starts[wrong].tolist():
            yield _problem(name, start, year=FIRST_YEAR)


def _problems_of_values(starts: Longs, wh: npt.NDArray[np.float64], step: int) -> Iterator[dict[str, Any]]:
    for name, wrong in (("negative", wh < 0), ("shifted", starts % step != 0)):
        for start in starts[wrong].tolist():
            yield _problem(name, start)


def _problems_of_hours(plant: Plant, starts: Longs, wh: npt.NDArray[np.float64]) -> Iterator[dict[str, Any]]:
    most = MOST_OF_KWP * plant.kwp
    for index in np.flatnonzero(~(wh / 1000 <= most + 1e-9)).tolist():
        kwh = float(min(wh[index] / 1000, np.finfo(np.float64).max))
        yield _problem("too_much", int(starts[index]), kwh, limit=most, kwp=plant.kwp)


def _problem(name: str, start: int, kwh: float | None = None, **values: float) -> dict[str, Any]:
    text = prose(__file__, "problems")[name].format(**values)
    return {"tekst": text, "tid": f"{np.datetime64(start, 's')}Z"} | ({} if kwh is None else {"verdi_kwh": kwh})


def findings(check: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the errors of a check as problems."""
    if check["status"] == "feil":
        for one in check["funn"]:
            if one["alvor"] == "feil":
                yield {"tekst": one["tekst"], "kode": one["kode"]}
