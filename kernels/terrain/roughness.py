"""The terrain category of each sector, by EN 1991-1-4, A.2, procedure 1, from land cover around a site."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.terrain.polar import REACH_M, SECTOR_DEG, SECTORS, WINDOW_DEG, Site

Floats = NDArray[np.float64]

RINGS_M = (0, 1000, 2000, 3000, 10_000)
PATCH = 0.10
"""Of an area: a smoother category that covers less is left out (A.2)."""
TRANSITION_M = (2000, 1000, 1000, 1000)
"""How near a smoother category has to be to count: 0, and I to III (A.2)."""
FETCH_M = 5000.0
"""Sea along a ray that makes it category 0; less is as smooth as a lake."""
BUILT_SHARE, BUILT_HEIGHT_M = 0.15, 15.0
"""Of buildings in built-up ground that make it category IV (table 4.1)."""

# What the surface model tells of buildings is no more exact.
_NEAR_SHARE, _NEAR_HEIGHT_M = 0.03, 1.5

BIN_M = 100
_STEP_M, _RAY_DEG = 10.0, 0.5
_RAYS, _BINS = round(360 / _RAY_DEG), round(REACH_M / BIN_M)
# Hundredths of a percent, as shares are printed: what is printed as 10 % is not more.
_DIGITS = 4
# Skerries and bridges interrupt no fetch.
_BRIDGED_M = 200.0


class Kind(NamedTuple):
    """A kind of land cover.

    Parameters
    ----------
    name : str
    code : int
        Of the product `landcover`.
    category : int
        Index into `wind.CATEGORIES`; -1 of what is not known.
    """

    name: str
    code: int
    category: int


KINDS = (
    Kind("unknown", 0, -1),
    Kind("open_sea", 82, 0),
    Kind("sheltered_sea", 82, 1),
    Kind("lake", 81, 1),
    Kind("open_ground", 50, 2),
    Kind("mire", 60, 2),
    Kind("ice", 70, 2),
    Kind("farmland", 20, 2),
    Kind("transport", 12, 2),
    Kind("forest", 30, 3),
    Kind("built_up", 11, 3),
)
_UNKNOWN, _OPEN_SEA, _SHELTERED_SEA, _BUILT = 0, 1, 2, len(KINDS) - 1
_OF_CODE = np.zeros(256, np.uint8)
for _kind in range(len(KINDS) - 1, 0, -1):
    _OF_CODE[KINDS[_kind].code] = _kind
_CATEGORY = np.array([kind.category for kind in KINDS])


class Cover(NamedTuple):
    """Land cover on a grid in UTM 33; row 0 is the southernmost.

    Parameters
    ----------
    code : uint8 (rows, columns)
        As `Kind.code`; anything else is unknown.
    built, height : float32 (rows, columns)
        Share of a cell that buildings cover, 0 to 1, and their mean height, m; NaN where they are not known.
    x0, y0 : float
        Centre of the first cell, m.
    cell : float
        m.
    """

    code: NDArray[np.uint8]
    built: NDArray[np.float32]
    height: NDArray[np.float32]
    x0: float
    y0: float
    cell: float

    def cells(self, x: Floats, y: Floats) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return which cell of the flat grid each place lies in, and whether it lies in any (else it is cell 0)."""
        column, row = (np.rint((at - first) / self.cell).astype(np.intp) for at, first in ((x, self.x0), (y, self.y0)))
        rows, columns = self.code.shape
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        return np.where(inside, row * columns + column, 0), inside


class Around(NamedTuple):
    """Land cover in the windows of the sectors: by distance, or of a ring.

    Parameters
    ----------
    area : float64 (kinds, sectors[, bins])
        Of each kind, by distance in bins of `BIN_M`; any unit.
    built, volume : float64 (sectors[, bins])
        Of buildings on built-up ground: area, and area x height, m.
    unseen : float64 (sectors[, bins])
        Area of built-up ground whose buildings are not known.
    doubtful : float64 (sectors[, bins])
        Area of what is unknown, and of sea that would be open if all beyond it that is unknown were sea.
    """

    area: Floats
    built: Floats
    volume: Floats
    unseen: Floats
    doubtful: Floats

    def within(self, begin_m: float, end_m: float) -> "Around":
        """Return what a ring holds."""
        part = slice(round(begin_m / BIN_M), round(end_m / BIN_M))
        return Around(*(one[..., part].sum(axis=-1) for one in self))

    @property
    def shares(self) -> Floats:
        """Shares of the categories and of what is unknown, float64 (6, sectors[, bins]); they add up to 1."""
        return self.shares_where(self.is_dense())

    def shares_where(self, dense: NDArray[np.bool_]) -> Floats:
        """Return `shares` where it is known which built-up ground is category IV."""
        found = np.zeros((6, *self.area.shape[1:]))
        np.add.at(found, _CATEGORY, self.area)
        town = np.where(dense, self.area[_BUILT], 0.0)
        found[3] -= town
        found[4] += town
        return np.asarray(found / self.area.sum(axis=0))

    @property
    def cover(self) -> Floats:
        """Share of built-up ground under buildings; 0 where none is built up, NaN where none of it is known."""
        seen = np.maximum(self.area[_BUILT] - self.unseen, 0)
        return np.where((seen > 0) | (self.unseen == 0), _ratio(self.built, seen), np.nan)

    @property
    def is_seen(self) -> NDArray[np.bool_]:
        """True where the buildings of at least 90 % of the built-up ground are known, bool (sectors[, bins])."""
        return np.asarray(self.unseen <= PATCH * self.area[_BUILT])

    @property
    def height(self) -> Floats:
        """Mean height of its buildings, m; 0 without any."""
        return _ratio(self.volume, self.built)

    def is_dense(self, more: int = 0) -> NDArray[np.bool_]:
        """Return whether what is built up is category IV; by limits that are a little higher (1) or lower (-1)."""
        share, height = BUILT_SHARE + more * _NEAR_SHARE, BUILT_HEIGHT_M + more * _NEAR_HEIGHT_M
        found: NDArray[np.bool_] = (self.cover >= share) & (self.height > height)
        return found


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


class Roughness(NamedTuple):
    """Result of the rule, a value for each sector.

    Parameters
    ----------
    category : int (sectors,)
        Index into `wind.CATEGORIES`; -1 where nothing is known.
    commonest : int (sectors,)
        Of the nearest kilometre; -1 likewise.
    share : float64 (6, sectors)
        Of each category within its transition distance (IV and what is unknown: within 1 km), to 0.0001.
    margin : float64 (sectors,)
        How far the nearest share that could change the result is from `PATCH`.
    begins_m : float64 (sectors,)
        Where the category begins to cover more than `PATCH` of the window; NaN if nowhere.
    unknown : float64 (sectors,)
        Share of the nearest kilometre that is unknown; or of the nearest 2 km that may be category 0 and is not known
        to be, where that is more and the category is another.
    unseen, nearly_dense : bool (sectors,)
        Whether III or IV rests on buildings of the nearest kilometre that are not known, or that are near the limits.
    """

    category: NDArray[np.int_]
    commonest: NDArray[np.int_]
    share: Floats
    margin: Floats
    begins_m: Floats
    unknown: Floats
    unseen: NDArray[np.bool_]
    nearly_dense: NDArray[np.bool_]


def around(cover: Cover, site: Site) -> Around:
    """Return the land cover in the windows of 72 sectors, to 10 km."""
    azimuth = _RAY_DEG * (np.arange(_RAYS) + 0.5)
    distance = _STEP_M * (np.arange(round(REACH_M / _STEP_M)) + 0.5)
    x, y = site.places(azimuth[:, None], distance)
    at, inside = cover.cells(x, y)
    kind = np.where(inside, _OF_CODE[cover.code.ravel()[at]], np.uint8(_UNKNOWN))
    sea, doubtful = kind == _OPEN_SEA, kind == _UNKNOWN
    for ray in np.flatnonzero(sea.any(axis=1)):
        sheltered = sea[ray] & ~_open(sea[ray])
        kind[ray, sheltered] = _SHELTERED_SEA
        if doubtful[ray].any():
            doubtful[ray] |= sheltered & _open(sea[ray] | doubtful[ray])
    share = np.where(kind == _BUILT, cover.built.ravel()[at], 0)
    unseen, built = distance * np.isnan(share), distance * np.nan_to_num(share)
    volume = built * np.nan_to_num(cover.height.ravel()[at])
    area = np.stack([_windows(distance * (kind == number)) for number in range(len(KINDS))])
    return Around(area, *map(_windows, (built, volume, unseen, distance * doubtful)))


def _open(sea: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which steps of a ray lie in a stretch of sea of `FETCH_M` or more."""
    found = np.zeros_like(sea)
    wet = np.flatnonzero(sea)
    for run in np.split(wet, np.flatnonzero(np.diff(wet) > _BRIDGED_M / _STEP_M) + 1):
        if (run[-1] - run[0] + 1) * _STEP_M >= FETCH_M:
            found[run] = True
    return found


def _windows(values: Floats) -> Floats:
    """Return the sums of (rays, steps) over the windows of the sectors, (sectors, bins)."""
    half, step = round(WINDOW_DEG / _RAY_DEG), round(SECTOR_DEG / _RAY_DEG)
    by_step = np.roll(values, half, axis=0).reshape(SECTORS, step, -1).sum(axis=1)
    by_bin = by_step.reshape(SECTORS, _BINS, -1).sum(axis=-1)
    return np.asarray(np.sum([np.roll(by_bin, -k, axis=0) for k in range(2 * half // step)], axis=0))


def categorize(land: Around) -> Roughness:
    """Return the category of each sector: the smoothest that covers more than `PATCH` within its transition distance.

    Where none does, the commonest of the nearest kilometre. What is not known counts for none.

    Notes
    -----
    EN 1991-1-4:2005, A.2, procedure 1.
    """
    kilometre = land.within(0, 1000)
    near = kilometre.shares
    exact = np.array([*(land.within(0, reach).shares[c] for c, reach in enumerate(TRANSITION_M)), *near[4:]])
    share = exact.round(_DIGITS)
    commonest = commonest_of(near)
    counts = share[:4] > PATCH
    category = np.where(counts.any(axis=0), counts.argmax(axis=0), commonest)
    far = land.within(0, TRANSITION_M[0])
    unknown = np.maximum(near[5], np.where(category == 0, 0.0, far.doubtful / far.area.sum(axis=0)))
    rough, total = category >= _CATEGORY[_BUILT], kilometre.area.sum(axis=0)
    unseen = rough & (kilometre.unseen > PATCH * total)
    nearly = kilometre.is_dense(-1) & ~kilometre.is_dense(1) & rough & (kilometre.area[_BUILT] > PATCH * total)
    margin, begins = _margin(share, category), _begins(land, category, kilometre.is_dense())
    return Roughness(category, commonest, share, margin, begins, unknown, unseen, nearly)


def commonest_of(shares: Floats) -> NDArray[np.int_]:
    """Return the category that covers most, of `Around.shares`; -1 where nothing is known."""
    return np.where(shares[:5].any(axis=0), shares[:5].argmax(axis=0), -1)


def _margin(share: Floats, category: NDArray[np.int_]) -> Floats:
    candidates = np.arange(4)[:, None] <= category
    return np.asarray(np.where(candidates, np.abs(share[:4] - PATCH), np.inf).min(axis=0))


def _begins(land: Around, category: NDArray[np.int_], dense: NDArray[np.bool_]) -> Floats:
    of_category = land.shares_where(dense[:, None])[category, np.arange(SECTORS)] > PATCH
    return np.where(of_category.any(axis=1), of_category.argmax(axis=1) * float(BIN_M), np.nan)


class Stretch(NamedTuple):
    """Commonest land cover of a window from one distance to another, m."""

    kind: str
    begin_m: int
    end_m: int


def outward(land: Around, sector: int) -> Sequence[Stretch]:
    """Return the commonest kinds of land cover of a sector, outward from the site."""
    found, end = [], 0
    for kind, bins in groupby(land.area[:, sector].argmax(axis=0).tolist()):
        begin, end = end, end + len(list(bins))
        found.append(Stretch(KINDS[kind].name, begin * BIN_M, end * BIN_M))
    return found
