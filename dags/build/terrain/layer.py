"""What terrain is built from: layers, each a piece of land that is laid over what was there before."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dags.build.terrain.resample import EXTENT, Found, Part
from dags.build.terrain.resample import Bounds as Bounds
from tiles.building import Corner
from tiles.products.terrain import SIDE
from tiles.store import Store


class Outside(ValueError):
    """What was given lies nowhere on our grid."""


@dataclass(frozen=True)
class Told:
    """What a source holds of a part.

    Parameters
    ----------
    found : Found or None
        Of the part and one cell around; None where it has nothing there.
    year : int or None
    notes : dict
        What is remembered of how it was had; `data_origin` among it.
    """

    found: Found | None
    year: int | None = None
    notes: dict[str, Any] = field(default_factory=dict)


class Layer(Protocol):
    """A piece of land from one source."""

    @property
    def fingerprint(self) -> str:
        """The same of the same heights."""
        ...

    @property
    def model(self) -> str:
        """Of what model it is a part: parts of one do not contradict each other where they overlap."""
        ...

    @property
    def hides_finer(self) -> bool:
        """Whether finer cells of earlier builds go where this layer has heights."""
        ...

    def bounds(self, cell: int) -> Bounds | None:
        """Return the land of which it has heights for a level, m in UTM 33; None where it has none."""
        ...

    def blocks(self, cell: int) -> set[Corner]:
        """Return the blocks of a level in which it may have heights."""
        ...

    def told(self, part: Part) -> Told:
        """Return what it has of a part of a level, and one cell around."""
        ...

    def keep(self, store: Store) -> None:
        """Store what readers of the terrain need of it beside the levels."""
        ...

    def remarks(self, notes: Sequence[dict[str, Any]]) -> Sequence[str]:
        """Return what was found in its heights, in lines for whoever builds; `notes` as of `about`."""
        ...

    def about(self, notes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what the provenance says of it: name, licence, attribution, data_origin and what was read.

        Parameters
        ----------
        notes : sequence of dict
            Of all parts of all layers of the build.
        """
        ...


def corners(cell: int, bounds: Bounds | None) -> set[Corner]:
    """Return the blocks of a level that bounds touch."""
    inside = None if bounds is None else intersection(bounds, EXTENT)
    if inside is None:
        return set()
    shards = Part.covering(cell * SIDE, inside)
    rows, columns = (range(first, first + n) for first, n in zip(shards[1:3], shards.shape, strict=True))
    return {(row * SIDE, column * SIDE) for row in rows for column in columns}


def overlap(one: Bounds | None, other: Bounds | None) -> bool:
    """Return whether two rectangles have any area in common."""
    return one is not None and other is not None and intersection(one, other) is not None


def intersection(one: Bounds, other: Bounds) -> Bounds | None:
    """Return what two rectangles have in common; None where that is nothing."""
    west, south = max(one[0], other[0]), max(one[1], other[1])
    east, north = min(one[2], other[2]), min(one[3], other[3])
    return (west, south, east, north) if west < east and south < north else None
