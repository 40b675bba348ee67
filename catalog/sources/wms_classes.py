"""Classes of a map that a WMS gives as a picture: its colours, each learnt by asking about one place of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import origin_of
from catalog.sources.errors import Origin, words_of
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials
from catalog.sources.land_cover import EPSG, UNKNOWN, Bounds, Codes, Cover, shape_of
from catalog.sources.pictures import decode

_MAX_BYTES = 20_000_000
# Of one colour to a side: then the middle is no edge, and no letter.
_BLOCK = 5
_MOST_COLOURS = 60


@dataclass(frozen=True)
class ClassMap:
    """A map of classes.

    Parameters
    ----------
    source : str
    layers : str
        Separated by commas.
    picture, answer : str
        Media types of the picture, and of what is said of a place.
    pattern : re.Pattern
        Whose first group is the class, in what is said of a place.
    table : mapping of int to int
        From classes to codes.
    pixel : float
        The largest pixel in which the map is drawn, m.
    """

    source: str
    layers: str
    picture: str
    answer: str
    pattern: re.Pattern[str]
    table: Mapping[int, int]
    pixel: float = np.inf

    def window(self, url: str, bounds: Bounds, cell: float, *, user_agent: str, seconds: float) -> Cover:
        """Return the land cover of a window; unknown where the picture is empty, or a colour covers no 5 x 5 pixels.

        Raises
        ------
        SourceError
            The map cannot be had, or the answer is something else.
        """
        deadline = Deadline(seconds)
        # an odd number: one of a cell's pixels is at its centre
        finer = 2 * int(np.ceil((cell / self.pixel - 1) / 2)) + 1 if cell > self.pixel else 1
        rows, columns = shape_of(bounds, cell / finer)
        params = {
            "SERVICE": "WMS",
            "VERSION": "1.1.1",
            "LAYERS": self.layers,
            "STYLES": "",
            "SRS": f"EPSG:{EPSG}",
            "BBOX": ",".join(f"{edge:.10g}" for edge in bounds),
            "WIDTH": str(columns),
            "HEIGHT": str(rows),
            "FORMAT": self.picture,
            "TRANSPARENT": "TRUE",
        }
        of_places = {"QUERY_LAYERS": self.layers, "INFO_FORMAT": self.answer, "FEATURE_COUNT": "1"}
        origin = Origin(self.source, without_credentials(url))
        codes: Codes = np.zeros((rows, columns), np.uint8)
        with make_client(user_agent) as client:

            def ask(request: str, **more: str) -> bytes:
                asked = params | {"REQUEST": request} | more
                return fetch(self.source, url, client, deadline, max_bytes=_MAX_BYTES, params=asked).body or b""

            body = ask("GetMap")
            colours, said = _colours(origin, body, (rows, columns))
            for colour, (row, column) in _places(origin, colours).items():
                answer = ask("GetFeatureInfo", X=str(column), Y=str(row), **of_places)
                if (found := self.pattern.search(answer.decode("utf-8", "replace"))) is None:
                    raise origin.error(f"tells no class of a place: {words_of(answer)}")
                codes[colours == colour] = self.table.get(int(found[1]), UNKNOWN)
        about: dict[str, str | int] = {"url": origin.url, "bytes": len(body), "sha256": sha256(body).hexdigest()}
        centres = codes[::-1][finer // 2 :: finer, finer // 2 :: finer]
        return Cover(np.ascontiguousarray(centres), origin_of(said), about)


def _colours(origin: Origin, body: bytes, shape: tuple[int, int]) -> tuple[NDArray[np.int64], str | None]:
    """Return the colours of a picture as numbers from 1, row 0 in the north; 0 where it is transparent."""
    picture = decode(origin, body, shape)
    bands = picture.bands
    number = np.zeros(shape, np.int64)
    for band in bands[:3] if len(bands) >= 3 else bands[:1]:
        number = number * 256 + band
    return np.where(picture.seen, number + 1, 0), picture.data_origin


def _places(origin: Origin, colours: NDArray[np.int64]) -> dict[int, tuple[int, int]]:
    """Return row and column of a pixel amid 5 x 5 of its colour, for each colour that has such a block."""
    if min(colours.shape) < _BLOCK:
        return {}
    rows, columns = (size - _BLOCK + 1 for size in colours.shape)
    half = _BLOCK // 2
    middle = colours[half : half + rows, half : half + columns]
    plain = middle > 0
    for i, j in np.ndindex(_BLOCK, _BLOCK):
        plain &= colours[i : i + rows, j : j + columns] == middle
    found, first = np.unique(middle[plain], return_index=True)
    if len(found) > _MOST_COLOURS:
        raise origin.error(f"answered a picture of more than {_MOST_COLOURS} colours: no map of classes")
    at = np.argwhere(plain)[first] + half
    return dict(zip(found.tolist(), map(tuple, at.tolist()), strict=True))
