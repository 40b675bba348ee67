"""The form of a roof, from its planes."""

from collections.abc import Sequence

import numpy as np

from kernels.roof.roof import FLAT_BELOW, Form, Surface

# What is smaller, of the roof's area and m2 in plan, is a dormer, a porch or a canopy.
_SMALL_SHARE, _SMALL_M2 = 0.10, 6.0
_FLAT_PART_M2 = 15.0
_OPPOSITE = np.cos(np.radians(20.0))
_ACROSS = np.cos(np.radians(70.0))
_HALF = 0.25
_BELOW_M = 0.3


def form_of(surfaces: Sequence[Surface]) -> Form:
    """Return the form of a roof.

    Parameters
    ----------
    surfaces : sequence of Surface
        With their edges.
    """
    total = sum(one.polygon.area for one in surfaces)
    large = [one for one in surfaces if one.polygon.area >= max(_SMALL_M2, _SMALL_SHARE * total)]
    large = [one for one in large if not _is_annex(one, surfaces)] or list(surfaces)
    # half hips are small, but there are two of them
    ends = [one for one in surfaces if one not in large and _is_end(one, large)]
    large += ends if len(ends) > 1 else []
    flat = [one for one in large if one.plane.tilt < FLAT_BELOW]
    pitched = [one for one in large if one.plane.tilt >= FLAT_BELOW]
    area, of_flat = (sum(one.polygon.area for one in some) for some in (pitched, flat))
    if not pitched or of_flat > 3 * area:
        return "flatt"
    if of_flat >= max(_FLAT_PART_M2, 0.2 * area) or of_flat > 0.5 * area:
        return "sammensatt"
    if len(pitched) == 1:
        return "pulttak"
    return _of_pitched(pitched)


def _is_annex(one: Surface, surfaces: Sequence[Surface]) -> bool:
    """Return whether a surface is a small roof below the eaves of the largest one, which is pitched."""
    main = max(surfaces, key=lambda other: float(other.polygon.area))
    return not main.is_flat and one.polygon.area < _FLAT_PART_M2 and _heights([one])[1] < _heights([main])[0] + _BELOW_M


def _is_end(one: Surface, main: Sequence[Surface]) -> bool:
    """Return whether a small surface meets two large ones at hips, from above their eaves up to their ridge."""
    numbers = {other.number for other in main}
    beside = {edge.other for edge in one.edges if edge.kind == "hip"} & numbers
    lowest, highest = _heights(main)
    low, high = _heights([one])
    rise = highest - lowest
    return len(beside) == 2 and low > lowest + 0.1 * rise and high > highest - 0.35 * rise


def _of_pitched(pitched: Sequence[Surface]) -> Form:
    main = max(pitched, key=lambda one: float(one.polygon.area))
    falls = _fall(main)
    sides: dict[str, list[Surface]] = {"same": [], "opposite": [], "across": [], "askew": []}
    for one in pitched:
        cosine = float(falls @ _fall(one))
        kind = (
            "same"
            if cosine > _OPPOSITE
            else "opposite"
            if cosine < -_OPPOSITE
            else "across"
            if abs(cosine) < _ACROSS
            else "askew"
        )
        sides[kind].append(one)
    if sides["askew"]:
        return "sammensatt"
    if not sides["across"]:
        return "saltak" if sides["opposite"] else "pulttak" if len(sides["same"]) == 1 else "sammensatt"
    large = {one.number for one in pitched}
    kinds = {edge.kind for one in sides["across"] for edge in one.edges if edge.other in large}
    if not sides["opposite"] or "valley" in kinds or not kinds & {"hip", "ridge"} or len(sides["across"]) > 2:
        return "sammensatt"
    lowest, highest = _heights([*sides["same"], *sides["opposite"]])
    ends = min(_heights([one])[0] for one in sides["across"])
    return "halvvalm" if ends - lowest > _HALF * (highest - lowest) else "valm"


def _fall(one: Surface) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    azimuth = np.radians(one.plane.azimuth)
    return np.array([np.sin(azimuth), np.cos(azimuth)])


def _heights(surfaces: Sequence[Surface]) -> tuple[float, float]:
    """Return the lowest and the highest height of surfaces at their corners, m."""
    z = [one.plane.height(*corner) for one in surfaces for corner in one.polygon.exterior.coords]
    return min(z), max(z)
