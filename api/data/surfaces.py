"""The surfaces of a plant: as callers write them, with azimuth counted from south, and as kernels take them."""

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, ValidationInfo

from api.core.errors import problem
from api.core.query import number

KWP = (0.05, 100_000.0)
ANGLE = (0.0, 90.0)
ASPECT = (-180.0, 180.0)
MOST = 4
CONVENTION = "0 = south, -90 = east, 90 = west, 180 or -180 = north"

ASPECT_NOT_BETWEEN = problem("surfaces.ASPECT_NOT_BETWEEN")
Angle = Annotated[float, Field(ge=ANGLE[0], le=ANGLE[1], description="Tilt, degrees: 0 is flat, 90 a wall.")]
Aspect = Annotated[float, Field(ge=ASPECT[0], le=ASPECT[1], description=f"Azimuth, degrees: {CONVENTION}.")]
Mounting = Literal["free", "building"]
"""Whether air cools the modules from behind, or a building is there."""

_PARTS = {"kwp": KWP, "angle": ANGLE, "azimuth": ASPECT}
LIST = problem("surfaces.LIST", most=MOST)
THREE_NUMBERS = problem("surfaces.THREE_NUMBERS", most=MOST)
RANGE = problem("surfaces.RANGE", most=MOST)
PROBLEMS = (LIST, THREE_NUMBERS, RANGE)


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


def read_surfaces(value: Any, info: ValidationInfo) -> tuple[Surface, ...]:
    """Return the surfaces that a text lists, `kwp:angle:azimuth` each.

    Raises
    ------
    ApiError
        `LIST`, `THREE_NUMBERS`, `RANGE`.
    """
    listed = str(value).split(",")
    if not value or len(listed) > MOST:
        raise LIST(info.field_name)
    return tuple(_surface(info.field_name, i, text) for i, text in enumerate(listed, 1))


def _surface(name: str | None, surface: int, text: str) -> Surface:
    parts = text.split(":")
    if len(parts) != len(_PARTS):
        raise THREE_NUMBERS(name, surface=surface)
    values = []
    for part, (which, (low, high)) in zip(parts, _PARTS.items(), strict=True):
        value = number(part)
        if value is None or not low <= value <= high:
            raise RANGE(name, surface=surface, part=which, low=low, high=high)
        values.append(value + 0.0)  # no -0
    return Surface(*values)


def _short(value: float) -> str:
    return repr(value).removesuffix(".0")
