"""Pictures in the answer of a map service, decoded: PNG or JPEG of exactly the size that was asked for."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import Origin, words_of

_TAIL = 64
# How a file begins, and what stands at its end.
_FORMATS = {"PNG": (b"\x89PNG", b"IEND"), "JPEG": (b"\xff\xd8\xff", b"\xff\xd9")}


class Pixels(NamedTuple):
    """A picture.

    Parameters
    ----------
    bands : uint8 (bands, rows, columns)
        Row 0 is the northernmost.
    seen : bool (rows, columns)
        False where it is transparent.
    tags : mapping of str to str
    """

    bands: NDArray[np.uint8]
    seen: NDArray[np.bool_]
    tags: Mapping[str, str]

    @property
    def data_origin(self) -> str | None:
        """What the picture says of its origin: a keyword of PNG, or the comment of a JPEG."""
        told = self.tags.get("data_origin") or self.tags.get("COMMENT", "").removeprefix("data_origin=")
        return told or None


def decode(origin: Origin, body: bytes, shape: tuple[int, int], formats: tuple[str, ...] = ("PNG",)) -> Pixels:
    """Return the picture of an answer.

    Raises
    ------
    SourceError
        It is none of those formats, cut short, or of another size than `shape`, (rows, columns).
    """
    # only here: it costs a process some 40 MB that a worker of the API has not
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning, RasterioError

    driver = next((name for name in formats if body.startswith(_FORMATS[name][0])), None)
    if driver is None:
        raise origin.error(f"answered no picture: {words_of(body)}")
    if _FORMATS[driver][1] not in body[-_TAIL:]:  # GDAL reads what there is and leaves the rest empty
        raise origin.error("answered a picture that is cut short")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)  # no picture says where it lies
            # no other driver: some of GDAL's follow addresses that stand in a file
            with rasterio.MemoryFile(body) as file, file.open(driver=driver) as raster:
                return _read(origin, raster, shape)
    except RasterioError as error:
        raise origin.error(f"answered a picture that cannot be read: {error}") from error


def _read(origin: Origin, raster: Any, shape: tuple[int, int]) -> Pixels:
    if raster.shape != shape:
        raise origin.error(f"answered {raster.width} x {raster.height} pixels: others were asked for")
    return Pixels(raster.read(), raster.dataset_mask() > 0, raster.tags())
