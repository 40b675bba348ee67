"""Which tile answers now: the newest cycle of a model, or the stitched day."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from api import texts
from api.errors import Unavailable
from api.forecast.body import RETRY_S, Series
from api.forecast.selection import DAILY, V1, V23B, Asked, Model, choose
from api.published import Followed
from catalog.versions import Entry
from tiles.clock import Clock
from tiles.hydrated import HydratedTile

Prepare = dict[str, Callable[[Entry, HydratedTile], Any]]


def preparations(code_version: str) -> dict[str, Prepare]:
    """Return what is made of the variables of each product when one of its tiles is opened."""

    def series(model: Model) -> Callable[[Entry, HydratedTile], Series]:
        return lambda entry, tile: Series(model, entry, tile, code_version)

    return {
        "forecast": {model.variable: series(model) for model in (V23B, V1)},
        "day": {DAILY.variable: series(DAILY)},
    }


class Chosen(NamedTuple):
    """What a request is answered from.

    Parameters
    ----------
    series : Series
        Of one model of one tile.
    first : int
        The row of it that the answer begins with.
    sunset : dict or None
        The header that a dated choice of model is answered with.
    """

    series: Series
    first: int
    sunset: dict[str, str] | None


class Forecasts:
    """Chooses among what is published.

    Parameters
    ----------
    forecast, day : Followed
        The products.
    clock : Clock
    """

    def __init__(self, forecast: Followed, day: Followed, clock: Clock) -> None:
        self._forecast, self._day, self.clock = forecast, day, clock

    def choose(self, asked: Asked, now: datetime) -> Chosen:
        """Return what answers a query or body.

        The day begins at 00 UTC of the clock's day: after midnight a day of the evening's cycle still reaches there.
        Where none does, the ordinary series answers, and its `data_mode` says so.

        Raises
        ------
        Unavailable
            Nothing young enough is there; the text says why.
        """
        model, sunset = choose(asked, now)
        if asked.daily and (day := self._today(now)) is not None:
            return Chosen(*day, sunset)
        return Chosen(self.of(V23B if asked.daily else model, now, sunset), 0, sunset)

    def of(self, model: Model, now: datetime, headers: dict[str, str] | None = None) -> Series:
        """Return the newest series of a model.

        Raises
        ------
        Unavailable
            There is none; the error carries `headers`.
        """
        serving = self._forecast.current(model.variable, now)
        if serving is None:
            raise self._absent(model, now, headers)
        series: Series = serving.prepared
        return series

    def _today(self, now: datetime) -> tuple[Series, int] | None:
        serving = self._day.current(DAILY.variable, now)
        if serving is None:
            return None
        series: Series = serving.prepared
        first = series.row_at(now.replace(hour=0, minute=0, second=0, microsecond=0))
        return None if first is None else (series, first)

    def _absent(self, model: Model, now: datetime, headers: dict[str, str] | None) -> Unavailable:
        """Say why a model cannot be served: no young cycle, none whose source is enough for it, none that opens."""
        forecast = self._forecast
        newest, limit = forecast.index.newest(now), forecast.product.expires_after
        young = newest is not None and (limit is None or now - newest.issued_at <= limit)
        if forecast.candidates(model.variable, now):
            error = Unavailable(texts.NOT_OPEN.format(model=model.name), RETRY_S)
        elif newest is not None and young and model.variable not in newest.variables:
            error = Unavailable(texts.NO_VARIABLE.format(model=model.name, source=newest.source), RETRY_S)
        else:
            hours = limit.total_seconds() / 3600 if limit else 0
            error = Unavailable(texts.NO_CYCLE.format(hours=hours, model=model.name), RETRY_S)
        error.headers.update(headers or {})
        return error
