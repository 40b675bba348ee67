"""Land cover of a window from several sources: AR50, and CORINE where AR50 knows nothing or does not answer."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources import corine
from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import SourceError
from catalog.sources.land_cover import UNKNOWN, Cover, shape_of
from catalog.sources.nibio import ar50

Codes = NDArray[np.uint8]


class LandCover(NamedTuple):
    """Land cover of a window.

    Parameters
    ----------
    codes : uint8 (rows, columns)
        As `catalog.sources.land_cover` has them; row 0 is the southernmost.
    data_origin : {"live", "simulated"}
    sources : mapping of str to float
        Share of the window that each source gave, without what none knew.
    failed : tuple of str
        Sources that did not answer.
    inputs : tuple of mapping
        What was read.
    """

    codes: Codes
    data_origin: DataOrigin
    sources: Mapping[str, float]
    failed: tuple[str, ...]
    inputs: tuple[Mapping[str, str | int], ...]


@contextmanager
def remembering(name: str, away: set[str]) -> Iterator[None]:
    """Refuse a source that has not answered before, and remember one that does not now.

    Raises
    ------
    SourceError
    """
    if name in away:
        raise SourceError(f"{name}: it has not answered before")
    try:
        yield
    except SourceError:
        away.add(name)
        raise


def land_cover(
    address: Callable[[str], str],
    bounds: tuple[float, float, float, float],
    cell: float,
    *,
    user_agent: str,
    seconds: float,
    away: set[str] | None = None,
) -> LandCover:
    """Return the land cover of a window.

    Parameters
    ----------
    address : callable
        From the name of a source to where it is read.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33: whole cells apart.
    cell : float
        m.
    user_agent : str
    seconds : float
        For each source, s.
    away : set of str, optional
        Sources that have not answered before: they are not asked, and those that do not answer now are added. Without
        it every source has to answer.

    Raises
    ------
    SourceError
        A source does not answer; with `away`, none does.
    """
    codes: Codes = np.zeros(shape_of(bounds, cell), np.uint8)
    covers: dict[str, Cover] = {}
    failures: dict[str, SourceError] = {}
    shares: dict[str, float] = {}
    for name, window in ((ar50.NAME, ar50.window), (corine.NAME, corine.window)):
        if codes.all():
            break
        try:
            with remembering(name, set() if away is None else away):
                cover = window(address(name), bounds, cell, user_agent=user_agent, seconds=seconds)
        except SourceError as error:
            if away is None:
                raise
            failures[name] = error
            continue
        new = (codes == UNKNOWN) & (cover.codes != UNKNOWN)
        codes = np.where(new, cover.codes, codes)
        covers[name], shares[name] = cover, float(new.mean())
    if not covers:
        raise failures[ar50.NAME]
    origin = origin_of(*(cover.data_origin for cover in covers.values()))
    return LandCover(codes, origin, shares, tuple(failures), tuple(cover.input for cover in covers.values()))
