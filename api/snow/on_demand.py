"""Cells of a product that is not published for them: what is kept, else what the snow authority answers."""

import logging
from collections.abc import Sequence
from functools import partial

from api.crew import Crew
from api.upstream import Upstream
from catalog.snow_cells import Fetched, SnowCells
from catalog.snow_products import CellProduct, SnowCell
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import Point, day_of

log = logging.getLogger("solflis.api")


class OnDemand:
    """Cells of one product on demand.

    Parameters
    ----------
    cells : SnowCells
    product : CellProduct
    authority : Upstream
        Cells that are kept wait for none of its questions.
    readers : Crew
        Reads what is kept.
    """

    def __init__(self, cells: SnowCells, product: CellProduct, authority: Upstream, readers: Crew) -> None:
        self._cells, self._product, self._authority, self._readers = cells, product, authority, readers

    def last_day(self) -> int:
        """Return the last day of a new answer, days since 1970-01-01."""
        return day_of(self._product.period(self._cells.day())[1])

    async def cells(self, points: Sequence[Point]) -> Fetched:
        """Return what there is of each cell; where the authority is spared or fails, older answers.

        Parameters
        ----------
        points : sequence of (easting, northing)
        """
        found = await self._kept(points)
        missing = [point for point in points if point not in found]
        if not missing:
            return Fetched(found, None)
        fallback = len(await self._kept(missing, older=True)) == len(missing)
        try:
            fetched = await self._authority.ask(partial(self._fetch, missing), fallback=fallback)
        except SourceError as error:
            fetched = Fetched(await self._kept(missing, older=True), error)
        return Fetched(found | fetched.found, fetched.failed)

    async def _kept(self, points: Sequence[Point], *, older: bool = False) -> dict[Point, SnowCell | None]:
        return await self._readers.run(partial(self._cells.kept, self._product, points, older=older))

    def _fetch(self, points: Sequence[Point], deadline: Deadline) -> Fetched:
        fetched = self._cells.fetch(self._product, points, deadline)
        if fetched.failed is not None:
            log.warning("%s", fetched.failed)
            self._authority.failed(fetched.failed, deadline)
        return fetched
