"""Choice of the series that answers now: the newest cycle of a model, or the stitched day."""

from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from aiohttp import web

from api.core.errors import ApiError
from api.core.routing import warn
from api.data.published import Published
from api.forecast import problems
from api.forecast.requests import Choice
from api.forecast.series import Series
from tiles.clock import Clock

SUNSET = datetime(2026, 11, 19, tzinfo=UTC)
SUNSET_HEADER = {"Sunset": "Thu, 19 Nov 2026 00:00:00 GMT"}


class Model(NamedTuple):
    """A forecast model.

    Parameters
    ----------
    choice : str
        The `data_mode`; for all but the day, the value of `model=` too.
    name : str
        As answers report it.
    variable : str
        Where the tile holds it.
    """

    choice: str
    name: str
    variable: str


V23B = Model("v23b", "production_v2_3b", "ghi")
V1 = Model("v1", "production_v1", "ghi_v1")
DAILY = Model("v23b_daily", "production_v2_3b", "ghi")


class Chosen(NamedTuple):
    """What a request is answered from.

    Parameters
    ----------
    series : Series
        Of one model of one tile.
    first : int
        The row of it that the answer begins with.
    sunset : dict
        The header that a dated choice of model is answered with; else empty.
    """

    series: Series
    first: int
    sunset: dict[str, str]


class Forecasts:
    """Chooses among what is published.

    Parameters
    ----------
    published : Published
    clock : Clock
    code_version : str
    """

    def __init__(self, published: Published, clock: Clock, code_version: str) -> None:
        for product, model in (("forecast", V23B), ("forecast", V1), ("day", DAILY)):
            published.follow(product, model.variable, partial(Series, *model, code_version))
        self._forecast, self._day, self.clock = published.followed["forecast"], published.followed["day"], clock

    def choose(self, request: web.BaseRequest, choice: Choice, now: datetime) -> Chosen:
        """Return what answers a request.

        The day begins at 00 UTC of the clock's day: after midnight a day of the evening's cycle still reaches there.
        Where none does, the ordinary series answers, and its `data_mode` says so.

        Raises
        ------
        ApiError
            Nothing young enough is there; the text says why.
        """
        dated = choice.asks_for_v1
        sunset = SUNSET_HEADER if dated else {}
        model = V1 if dated and not choice.daily and now < SUNSET else V23B
        series, first = (choice.daily and self._today(now)) or (self.of(model, now, sunset), 0)
        if dated and series.mode != V1.choice:
            warn(request, f"The choice of v1 was ignored: {series.mode} answers")
        return Chosen(series, first, sunset)

    def of(self, model: Model, now: datetime, headers: dict[str, str] | None = None) -> Series:
        """Return the newest series of a model.

        Raises
        ------
        ApiError
            There is none; it carries `headers`.
        """
        serving = self._forecast.current(model.variable, now)
        if serving is None:
            raise self._absent(model, now, headers or {})
        series: Series = serving.prepared
        return series

    def _today(self, now: datetime) -> tuple[Series, int] | None:
        serving = self._day.current(DAILY.variable, now)
        if serving is None:
            return None
        series: Series = serving.prepared
        first = series.row_at(now.replace(hour=0, minute=0, second=0, microsecond=0))
        return None if first is None else (series, first)

    def _absent(self, model: Model, now: datetime, headers: dict[str, str]) -> ApiError:
        """Say why a model cannot be served: no young cycle, none whose source is enough for it, none that opens."""
        forecast = self._forecast
        newest, limit = forecast.index.newest(now), forecast.product.expires_after
        young = newest is not None and (limit is None or now - newest.issued_at <= limit)
        if forecast.candidates(model.variable, now):
            return problems.NOT_OPEN(model=model.name, headers=headers)
        if newest is not None and young and model.variable not in newest.variables:
            return problems.NO_VARIABLE(model=model.name, source=newest.source, headers=headers)
        hours = limit.total_seconds() / 3600 if limit else 0
        return problems.NO_CYCLE(hours=hours, model=model.name, headers=headers)
