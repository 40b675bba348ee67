"""The surfaces of a plant: as callers write them, with azimuth counted from south, and as kernels take them."""

from typing import Any, NamedTuple

from pydantic import ValidationInfo

from api import texts
from api.query import Refused, number

KWP = (0.05, 100_000.0)
ANGLE = (0.0, 90.0)
ASPECT = (-180.0, 180.0)
MOST = 4
CONVENTION = "0 = south, -90 = east, 90 = west, 180 or -180 = north"

_PARTS = {"kwp": KWP, "angle": ANGLE, "azimuth": ASPECT}


class Surface(NamedTuple):
    """One surface.

    Parameters
    ----------
    kwp : float
    angle : float
        From level, degrees.
    aspect : float
        From south, degrees; positive towards west.
    """

    kwp: float
    angle: float
    aspect: float

    @property
    def azimuth(self) -> float:
        """From true north, degrees clockwise."""
        return (self.aspect + 180) % 360

    def written(self) -> str:
        """Return it as callers write it."""
        return ":".join(map(_short, self))


def aspect_of(azimuth: float) -> float:
    """Return from south what is counted from north, degrees."""
    return azimuth % 360 - 180


def read(value: Any, info: ValidationInfo) -> tuple[Surface, ...]:
    """Return the surfaces that a text lists, `kwp:angle:azimuth` each; 1 to 4 of them.

    Raises
    ------
    Refused
        It lists none, too many, or one that cannot be.
    """
    name = info.field_name or ""
    listed = str(value).split(",")
    if not value or len(listed) > MOST:
        raise Refused(name, texts.PV_ARRAYS.format(most=MOST))
    return tuple(_surface(name, i, text) for i, text in enumerate(listed, 1))


def _surface(name: str, i: int, text: str) -> Surface:
    def refused(what: str) -> Refused:
        return Refused(name, texts.PV_SURFACE.format(most=MOST, number=i, what=what))

    parts = text.split(":")
    if len(parts) != len(_PARTS):
        raise refused(texts.PV_THREE_NUMBERS)
    values = []
    for part, (which, (low, high)) in zip(parts, _PARTS.items(), strict=True):
        given = number(part)
        if given is None or not low <= given <= high:
            told = texts.PV_SURFACE_RANGE.format(name=which, low=_short(low), high=_short(high))
            raise refused(f"{told} {texts.AZIMUTH_FROM_SOUTH}" if which == "azimuth" else told)
        values.append(given + 0.0)  # no -0
    return Surface(*values)


def _short(value: float) -> str:
    return repr(value).removesuffix(".0")
