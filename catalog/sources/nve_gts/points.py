"""Ask the snow authority for cells: one by GET, many by POST, and which of some there are."""

from collections.abc import Callable, Sequence
from datetime import date

import httpx

from catalog.sources.http import Deadline
from catalog.sources.nve_gts.model import Point, SnowData


def at_point(
    url: str,
    point: Point,
    first: date,
    last: date,
    *,
    today: date,
    user_agent: str,
    deadline: Deadline | float,
    client: httpx.Client | None = None,
    pause_s: float | None = None,
) -> SnowData:
    """Return the days of one cell, by five questions.

    Parameters
    ----------
    url : str
        The service, without `/api`.
    point : (easting, northing)
        Centre of a 1 km cell, m, UTM 33.
    first, last : date
        Our days, both included.
    today : date
        The clock's, UTC: the day before it is the last observed one where the authority does not say.
    user_agent : str
        Names the caller.
    deadline : Deadline or float
        For all of it; a number is seconds from now.
    client : httpx.Client, optional
        Of `make_client`, where the caller has one.
    pause_s : float, optional
        Between questions, s; by default 0.2, and none on this machine.

    Raises
    ------
    NoCell
        There is no cell, or none with data.
    SourceError
        The data cannot be had, or cannot be interpreted.
    """
    raise NotImplementedError


def at_points(
    url: str,
    points: Sequence[Point],
    first: date,
    last: date,
    *,
    today: date,
    user_agent: str,
    deadline_s: Deadline | float,
    report: Callable[[str], None] | None = None,
    client: httpx.Client | None = None,
    pause_s: float | None = None,
) -> SnowData:
    """Return the days of many cells, by batches of bounded size, one question at a time.

    Parameters
    ----------
    points : sequence of (easting, northing)
        Centres of 1 km cells, m, UTM 33; those without a cell or without any data are left out of the answer.
    report : callable, optional
        Told how far it is, and at the end how many questions it took.
    deadline_s : Deadline or float
        For all of it; a number is seconds from now.
    url, first, last, today, user_agent, client, pause_s
        As `at_point` takes them.

    Raises
    ------
    NoCell
        None of the points has a cell with data.
    SourceError
        The data cannot be had, or cannot be interpreted.
    """
    raise NotImplementedError


def with_data(
    url: str,
    points: Sequence[Point],
    day: date,
    *,
    user_agent: str,
    deadline_s: Deadline | float,
    client: httpx.Client | None = None,
    pause_s: float | None = None,
    most_requests: int | None = None,
) -> tuple[Point, ...]:
    """Return those of some points, in their order, of which the authority knows the snow of a day.

    Parameters
    ----------
    points : sequence of (easting, northing)
        Centres of 1 km cells, m, UTM 33.
    day : date
        Ours.
    most_requests : int, optional
        After so many questions it gives up; a point without a cell may cost one or two.
    url, user_agent, deadline_s, client, pause_s
        As `at_points` takes them.

    Raises
    ------
    SourceError
        The authority cannot be asked, or it takes more questions than it may.
    """
    raise NotImplementedError
