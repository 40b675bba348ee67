"""Land cover of places without a tile, fetched when asked for and kept: squares of 10 km, and of 2 km near a site."""

import io
import zlib
from collections.abc import Iterable, Mapping
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
from catalog.sources.kartverket import heights
from catalog.sources.nibio import ar5
from tiles.clock import Clock
from tiles.products.landcover import CHUNK, SIDE, bounds_of

What = Literal["cover", "ar5", "built"]

CELL = 10
CELLS: dict[What, int] = {"cover": SIDE, "ar5": CHUNK, "built": CHUNK}
"""Cells of 10 m along a square's side."""
# Maps are renewed once a year or less often; what a source left out is asked for again soon.
_WHOLE, _PARTLY = timedelta(days=90), timedelta(minutes=10)
# AR5 is not listed as open data: it is no more than cached.
_AR5 = timedelta(hours=23)
_LIFE = Life(unsaid=_WHOLE, longest=_WHOLE, kept=timedelta(days=100))
# Raised by one when the method changes what a square holds.
_METHOD = 1
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
        self._agent = settings.user_agent
        folder = settings.state / "readthrough" / "landcover"
        self._kept: ReadThrough[Content] = ReadThrough(folder, "land cover", self._clock, _MAX_BYTES, _LIFE)
        self.trim = self._kept.trim

    def get(self, wanted: Iterable[Square], deadline: Deadline) -> tuple[dict[Square, Content], list[SourceError]]:
        """Return squares, some at once, and why others cannot be had."""

        def one(square: Square) -> Content | SourceError:
            try:
                return self._kept.get(self._key(square), lambda _, __, until: self._ask(square, until), _read, deadline)
            except SourceError as error:
                return error

        squares = list(wanted)
        with ThreadPoolExecutor(_AT_ONCE, "land-cover") as pool:
            found = list(zip(squares, pool.map(one, squares), strict=True))
        contents = {square: content for square, content in found if isinstance(content, Content)}
        return contents, [error for _, error in found if isinstance(error, SourceError)]

    def _ask(self, square: Square, deadline: Deadline) -> Answer:
        if (left := deadline.remaining()) <= 0:
            raise SourceError(f"land cover was not read within {deadline.seconds:g} s")
        content = self._content(square, {"user_agent": self._agent, "seconds": min(left, _SECONDS)})
        life = _PARTLY if content.about.get("failed") else _AR5 if square.what == "ar5" else _WHOLE
        return Answer(_write(content), None, None, self._clock.now() + life)

    def _content(self, square: Square, how: Mapping[str, Any]) -> Content:
        bounds = square.bounds
        if square.what == "cover":
            cover = land_cover(self._address, bounds, CELL, away=self._away, **how)
            told = {"sources": dict(cover.sources), "failed": list(cover.failed)}
            return Content({"codes": cover.codes}, {"data_origin": cover.data_origin, **told})
        if square.what == "ar5":
            with remembering(ar5.NAME, self._away):
                near = ar5.window(self._address(ar5.NAME), bounds, CELL, **how)
            return Content({"codes": near.codes}, {"data_origin": near.data_origin})
        with remembering(heights.NAME, self._away):
            built = built_up(self._address, bounds, CELL, **how)
        about = {"data_origin": built.data_origin, "source": built.source, "year": built.year}
        return Content({"share": built.share, "height": built.height}, about)

    def _key(self, square: Square) -> str:
        names = " ".join(without_credentials(self._address(name)) for name in _SOURCES[square.what])
        return f"{_METHOD} {square.what} {square.row} {square.column} {names}"


_SOURCES = {"cover": ("ar50", "corine"), "ar5": ("ar5",), "built": ("kartverket_wcs", "bygninger")}


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
