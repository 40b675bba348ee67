"""Choice of the version that answers production now."""

from datetime import datetime
from functools import partial

from aiohttp import web

from api.core.errors import ApiError
from api.core.pipeline import JSON_FORMAT, Pipeline, Selection, at_hand, origin_of
from api.core.resources import Resources
from api.data.versions import current_of, not_published
from api.production.counties import HOUR_S, VARIABLE, CountyHours, answer, open_counties
from api.production.installed import Installed
from api.production.problems import NOT_TODAY
from tiles.products.county_now import PRODUCT


class ProductionService:
    """Answers from the newest published counties."""

    def __init__(self, resources: Resources, installed: Installed) -> None:
        self._clock, self._installed = resources.clock, installed
        self._followed = resources.published.follow(PRODUCT.name, VARIABLE, open_counties)
        self._pipeline = Pipeline(resources.machinery, {"json": JSON_FORMAT})

    async def now(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """Production of PV systems in Norway now, by county, with the day's curve.

        Forecast, not measured: irradiance where people live, the specific power of a reference mix of roofs, and the
        installed power of the operator's table, which by default is an example and no statistics (`installed.example`).
        `now` is the hour that runs, `today` and `curve` the UTC day that it lies in; past hours of it are forecasts,
        too. No key, no quota.
        """
        moment = self._clock.now()
        hour = moment.replace(minute=0, second=0, microsecond=0)
        midnight = hour.replace(hour=0)
        hours: CountyHours | None = current_of(self._followed, VARIABLE, moment)
        row = None if hours is None else hours.row_of_day(midnight)
        if hours is None or row is None:
            raise self._absent(moment)
        work = partial(answer, hours, row, midnight, hour, self._installed)
        # Until the next full hour: cycles are of full hours, and so are expiry and midnight.
        until = f"public, max-age={HOUR_S - int(moment.timestamp()) % HOUR_S}"
        selection = Selection(
            (hours.entry.path,),
            origin_of(hours.entry.data_origin),
            partial(at_hand, work),
            (hour, self._installed),
            cache_control=until,
            quick=True,
        )
        return await self._pipeline.answer(request, "json", selection)

    def _absent(self, now: datetime) -> ApiError:
        """Say why nothing answers: nothing is published, or what is does not hold the whole day."""
        newest = self._followed.index.newest(now)
        if newest is None:
            return not_published(PRODUCT.name)
        return NOT_TODAY(cycle=f"{newest.issued_at:%Y-%m-%d %H}", day=f"{now:%Y-%m-%d}")
