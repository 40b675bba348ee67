"""Where the borders of the municipalities run: a table of the corners of their rings."""

from dataclasses import dataclass

import numpy as np

from tiles.product import Context, Dimension, Draft, Product, Variable
from tiles.products.municipality import PlausibleMunicipalities
from tiles.validators import NothingMissing, PhysicalRange, RequiredVariables

MOST_VERTICES = 500_000
"""The real borders have a fifth of it."""
AXES = ("easting", "northing")
STEPS_PER_KM = 10_000
"""The borders lie on whole steps of 0.1 m."""
_FEWEST_VERTICES = 1_000
_FEWEST = 4  # of a closed ring


@dataclass(frozen=True)
class WholeRings:
    """Rings follow one another, each closed, and of one municipality."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        ring, number = draft.packed("ring").astype(np.int64), draft.packed("number")
        step = np.diff(ring)
        if ring.size > MOST_VERTICES:  # readers take one chunk
            return f"there are {ring.size} vertices, at most {MOST_VERTICES} are expected"
        if ring[0] != 0 or np.any((step != 0) & (step != 1)):
            return "the rings are not numbered from 0 on, one after the other"
        first = np.flatnonzero(np.diff(ring, prepend=-1))
        last = np.append(first[1:], ring.size) - 1
        if np.any(short := last - first < _FEWEST - 1):
            return f"ring {int(np.argmax(short))} has fewer than {_FEWEST} vertices"
        places = [draft.packed(f"{axis}_{part}") for axis in AXES for part in ("km", "m")]
        if np.any(broken := np.any([place[first] != place[last] for place in places], axis=0)):
            return f"ring {int(np.argmax(broken))} is not closed"
        if np.any((step == 0) & (number[1:] != number[:-1])):
            return "a ring is of several municipalities"
        return None


def _axis(name: str, least_km: int, most_km: int) -> tuple[Variable, Variable]:
    return (
        Variable(
            f"{name}_km",
            units="km",
            long_name=f"whole kilometres of the {name} in UTM 33 (EPSG:25833)",
            cell_methods="",
            scale=1,
            offset=-1000,
            valid_min=least_km,
            valid_max=most_km,
            comment=f"The {name} is {name}_km * 1000 + {name}_m. Never missing.",
        ),
        Variable(
            f"{name}_m",
            units="m",
            long_name=f"rest of the {name} in UTM 33 (EPSG:25833)",
            cell_methods="",
            scale=1000 / STEPS_PER_KM,
            valid_min=0,
            valid_max=1000 - 1000 / STEPS_PER_KM,
            comment="What is left of whole kilometres. Never missing.",
        ),
    )


def _count(name: str, long_name: str, valid_min: int, valid_max: int, comment: str) -> Variable:
    return Variable(
        name,
        units="1",
        long_name=long_name,
        cell_methods="",
        scale=1,
        valid_min=valid_min,
        valid_max=valid_max,
        comment=f"{comment} Never missing.",
    )


PRODUCT = Product(
    name="municipality_borders",
    title="Borders of the municipalities of Norway",
    description=(
        "The corners of the rings that bound the land of each municipality, in UTM 33: what lies in an odd number of "
        "its rings lies in it. Their numbers, names and counties are in the attribute `municipalities`. The borders "
        "are generalised and end at the coast."
    ),
    schema=1,
    grid=None,
    dimensions=(
        Dimension(
            "vertex",
            size=MOST_VERTICES,
            min_size=_FEWEST_VERTICES,
            long_name="number of the vertex, from 0",
            units="1",
            dtype="int32",
        ),
    ),
    variables=(
        *_axis("easting", -100, 1200),
        *_axis("northing", 6400, 8000),
        _count("ring", "number of the ring, from 0", 0, 65_000, "The last vertex of each is its first."),
        _count("number", "number of the municipality (kommunenummer)", 100, 9999, "That which the ring is of."),
    ),
    chunk=(MOST_VERTICES,),
    shard=(MOST_VERTICES,),
    read="chunk",
    stale_after=None,
    expires_after=None,
    keep=None,
    on_request=True,
    version_rule="`borders-` and the first 12 digits of the SHA-256 of the borders that it was made of",
    validators=(RequiredVariables(), NothingMissing(), PhysicalRange(), WholeRings(), PlausibleMunicipalities()),
)
