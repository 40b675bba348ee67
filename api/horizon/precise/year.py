"""The irradiance of a place's typical year; of a cloudless one where there is no typical year."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from api.core import problems
from api.core.errors import ApiError
from api.core.resources import Resources
from api.data.tmy_products import ENSEMBLE
from api.data.typical_year import NO_CELL, OUTSIDE, hours_of
from api.data.versions import current_of, damaged, not_published
from api.horizon.provenance import Source, sources_of
from tiles.errors import TileCorrupt
from tiles.grid import FORECAST

_QUANTITIES = ("dni", "dhi")
_TURBIDITY, _LINKE = "turbidity", "linke_turbidity"
_NO_YEAR = (OUTSIDE, NO_CELL, problems.NOT_PUBLISHED, problems.NOT_BUILT_HERE)


class Year(NamedTuple):
    """Irradiance of a place in a year.

    Parameters
    ----------
    about : mapping
        Field `typical_year` of the answer.
    sources : list of Source
    versions : tuple of str
        Names of what was read.
    light : mapping
        `dni`, `dhi`, hour means (8760,), W/m2; or `linke_turbidity` (12,).
    """

    about: Mapping[str, Any]
    sources: list[Source]
    versions: tuple[str, ...]
    light: Mapping[str, Any]


class Years:
    """Reads years."""

    def __init__(self, resources: Resources) -> None:
        self._climate, self._clock = resources.climate, resources.clock
        self._turbidity = resources.published.follow(_TURBIDITY, _LINKE)

    async def at(self, lat: float, lon: float) -> Year:
        """Return the year of a place.

        Raises
        ------
        ApiError
            `DAMAGED`, `BEING_PUBLISHED`; `NOT_PUBLISHED`: neither a typical year nor turbidity is.
        """
        try:
            return await self._climate.readers.run(partial(self._typical, lat, lon))
        except ApiError as error:
            if error.problem not in _NO_YEAR:
                raise
        return await self._climate.readers.run(partial(self._cloudless, lat, lon))

    def _typical(self, lat: float, lon: float) -> Year:
        found = self._climate.find(lat, lon)
        version = self._climate.year(found)
        about = {
            "kind": "typical",
            "product": ENSEMBLE,
            "cell_id": found.place.cell_id,
            "cell_distance_km": round(found.place.distance_km, 3),
            "version": version.entry.version,
            "data_origin": version.data_origin,
        }
        sources = sources_of(version.provenance, version.data_origin)
        return Year(about, sources, (version.name, *found.versions), hours_of(version, found, _QUANTITIES))

    def _cloudless(self, lat: float, lon: float) -> Year:
        followed = self._turbidity
        tile = current_of(followed, _LINKE, self._clock.now())
        if tile is None:
            raise not_published(_TURBIDITY)
        entry = followed.serving[_LINKE].entry
        try:
            months = tile.values(_LINKE, FORECAST.cell_at(lat, lon))
        except (OSError, TileCorrupt) as error:
            raise damaged(_TURBIDITY, "") from error
        if np.isnan(months).any():
            raise damaged(_TURBIDITY, "")
        unknown = dict.fromkeys(("product", "cell_id", "cell_distance_km"))
        about = {"kind": "clear_sky", **unknown, "version": entry.version, "data_origin": entry.data_origin}
        sources = sources_of(tile.header.get("provenance", {}), entry.data_origin)
        return Year(about, sources, (entry.path,), {_LINKE: months})
