"""Which cell of the authority is nearest to a place: some of the land, and all of the sea, has none."""

import math
from collections.abc import Sequence
from datetime import date

import httpx

from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.nve_gts.answers import Answered, have_data
from catalog.sources.nve_gts.asking import TooManyQuestions, asking
from catalog.sources.nve_gts.model import CELL, NAME, Point, centre_of, stamp_of
from catalog.sources.nve_gts.themes import SWE

WITHIN_M = 5_000.0
# Each point of the sea may cost a question or two; places of land find theirs with the first few.
MOST_REQUESTS = 40


def nearest(
    url: str,
    centre: Point,
    day: date,
    *,
    user_agent: str,
    deadline_s: Deadline | float,
    client: httpx.Client | None = None,
    pause_s: float | None = None,
) -> Point | None:
    """Return the cell nearest to a point, centre to centre, of which the authority knows the snow of a day.

    Parameters
    ----------
    url : str
        The service, without `/api`.
    centre : (easting, northing)
        Centre of a 1 km cell, m, UTM 33.
    day : date
        Ours, an observed one.
    user_agent, deadline_s, client, pause_s
        As `at_points` takes them.

    Returns
    -------
    Point or None
        None where there is none within 5 km, or 40 questions have found none: where most of what is near is sea, land
        beyond three kilometres may be missed.

    Raises
    ------
    SourceError
        The authority cannot be asked, its answer cannot be interpreted, or it has cells there and says nothing of any:
        that is a fault of the moment, and no lack of cells.
    """
    told: dict[Point, bool] = {}
    with asking(url, user_agent, deadline_s, client, pause_s, MOST_REQUESTS) as authority:
        for ring in _rings(centre):
            try:
                parts: Sequence[Answered] = authority.many(SWE, ring, stamp_of(day), 1)
                left = True
            except TooManyQuestions as error:
                parts, left = error.parts, False
            told |= have_data(parts)
            if found := [point for point in ring if told.get(point)]:
                return found[0]
            if not left:
                break
    if told:
        raise SourceError(f"{NAME}: has cells within 5 km of there, and no snow of {day} in any of them")
    return None


def _rings(centre: Point) -> list[list[Point]]:
    """Return the cells around one, from the inside out, those at one distance together."""
    reach = int(WITHIN_M // CELL)
    steps = [(x * CELL, y * CELL) for x in range(-reach, reach + 1) for y in range(-reach, reach + 1)]
    away = sorted((math.hypot(x, y), x, y) for x, y in steps if math.hypot(x, y) <= WITHIN_M)
    rings: dict[float, list[Point]] = {}
    for distance, x, y in away:
        if point := centre_of(centre[0] + x, centre[1] + y):
            rings.setdefault(distance, []).append(point)
    return list(rings.values())
