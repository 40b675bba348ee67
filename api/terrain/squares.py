"""Land cover of places without a tile, fetched when asked for and kept: squares of 10 km, and of 2 km near a site."""

import io
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Literal, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from api.core.settings import Settings
from catalog.built_up import built_up
from catalog.land_cover import land_cover, remembering
from catalog.readthrough import Life, ReadThrough
from catalog.sources.errors import SourceError
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline, without_credentials
from catalog.sources.nibio import ar5
from tiles.clock import Clock
from tiles.products.landcover import CHUNK, SIDE, bounds_of

What = Literal["cover", "ar5", "built"]
Address = Callable[[str], str]
Bounds = tuple[float, float, float, float]

CELL = 10
CELLS: dict[What, int] = {"cover": SIDE, "ar5": CHUNK, "built": CHUNK}
"""Cells of 10 m along a square's side."""
# Maps are renewed once a year or less often; what a source left out is asked for again soon.
_WHOLE, _PARTLY = timedelta(days=90), timedelta(minutes=10)
# AR5 is not listed as open data: it is no more than cached.
_AR5 = timedelta(hours=23)
_LIFE = Life(unsaid=_WHOLE, longest=_WHOLE, kept=timedelta(days=100))
_MAX_BYTES = 500_000_000
_SECONDS = 12.0
"""For each source of a square, at most."""
# NIBIO has refused a client that asked six things at a time.
_AT_ONCE = 2
# Before it stands its checksum.
_CHECKED_FROM = 4


class Square(NamedTuple):
    """A square of the product's grid, by the row and column of its first cell."""

    what: What
    row: int
    column: int

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east, north, m in UTM 33."""
        return bounds_of(self.row, self.column, CELLS[self.what])


class Content(NamedTuple):
    """What is known of a square: arrays of its cells by name, and what is said of them."""

    arrays: dict[str, NDArray[Any]]
    about: dict[str, Any]


class Squares:
    """Squares in a folder that the processes of a machine share; a source that does not answer is asked once by each.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self._address, self._clock = settings.address, Clock()  # the land does not follow the service's clock
        self._away: set[str] = set()
        self._agent = settings.user_agent.encode("ascii", "replace").decode()
        folder = settings.state / "readthrough" / "landcover"
        self._kept: ReadThrough[Content] = ReadThrough(folder, "land cover", self._clock, _MAX_BYTES, _LIFE)
        self.trim = self._kept.trim

    def get(self, wanted: Iterable[Square], deadline: Deadline) -> dict[Square, Content | SourceError]:
        """Return squares, some at once, or why one cannot be had."""

        def one(square: Square) -> Content | SourceError:
            try:
                return self._kept.get(self._key(square), lambda _, __, until: self._ask(square, until), _read, deadline)
            except SourceError as error:
                return error

        squares = list(wanted)
        with ThreadPoolExecutor(_AT_ONCE, "land-cover") as pool:
            return dict(zip(squares, pool.map(one, squares), strict=True))

    def _ask(self, square: Square, deadline: Deadline) -> Answer:
        if (left := deadline.remaining()) <= 0:
            raise SourceError(f"land cover was not read within {deadline.seconds:g} s")
        content = _ASK[square.what](self._address, square.bounds, self._agent, self._away, min(left, _SECONDS))
        life = _PARTLY if content.about.get("failed") else _AR5 if square.what == "ar5" else _WHOLE
        return Answer(_write(content), None, None, self._clock.now() + life)

    def _key(self, square: Square) -> str:
        names = " ".join(without_credentials(self._address(name)) for name in _SOURCES[square.what])
        return f"{square.what} {square.row} {square.column} {names}"


def _cover(address: Address, bounds: Bounds, agent: str, away: set[str], seconds: float) -> Content:
    found = land_cover(address, bounds, CELL, user_agent=agent, seconds=seconds, away=away)
    about = {"data_origin": found.data_origin, "sources": dict(found.sources), "failed": list(found.failed)}
    return Content({"codes": found.codes}, about)


def _ar5(address: Address, bounds: Bounds, agent: str, away: set[str], seconds: float) -> Content:
    with remembering(ar5.NAME, away):
        found = ar5.window(address(ar5.NAME), bounds, CELL, user_agent=agent, deadline=seconds)
    return Content({"codes": found.codes}, {"data_origin": found.data_origin})


def _built(address: Address, bounds: Bounds, agent: str, away: set[str], seconds: float) -> Content:
    with remembering("kartverket_wcs", away):
        found = built_up(address, bounds, CELL, user_agent=agent, seconds=seconds)
    about = {"data_origin": found.data_origin, "source": found.source, "year": found.year}
    return Content({"share": found.share, "height": found.height}, about)


_ASK = {"cover": _cover, "ar5": _ar5, "built": _built}
_SOURCES = {"cover": ("ar50", "corine"), "ar5": ("ar5",), "built": ("kartverket_wcs", "buildings")}


def _write(content: Content) -> bytes:
    body = io.BytesIO()
    arrays: dict[str, Any] = {**content.arrays, "about": np.frombuffer(orjson.dumps(content.about), np.uint8)}
    np.savez_compressed(body, **arrays)
    return _checksum(body.getvalue()) + body.getvalue()


def _read(body: memoryview) -> Content:
    if body[:_CHECKED_FROM] != _checksum(body[_CHECKED_FROM:]):
        raise SourceError("a square of land cover is damaged")
    with np.load(io.BytesIO(body[_CHECKED_FROM:]), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return Content(arrays, orjson.loads(arrays.pop("about").tobytes()))


def _checksum(content: bytes | memoryview) -> bytes:
    return zlib.crc32(content).to_bytes(_CHECKED_FROM)
