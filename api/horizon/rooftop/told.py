"""What the reader of a roof's horizon must know, in sentences."""

from api.horizon.rooftop import surface
from api.horizon.rooftop.calculation import Seen
from api.horizon.rooftop.land import NEAR_M, Blocks

# Of the observer's own roof, which the surface model has within some cm.
_SLACK_M = 0.3
# Lower than that, degrees, is what level 1's own grid leaves open.
_SUNK = 0.5
# Fewer are a few cells.
_HOLES = 0.0005


def warnings(seen: Seen, blocks: Blocks, *, near_alone: bool, simulated: bool) -> list[str]:
    """Return the sentences.

    Parameters
    ----------
    seen : Seen
    blocks : mapping of Square to Block
    near_alone : bool
        Whether no far horizon was wanted.
    simulated : bool
        Whether any height is.
    """
    told = []
    if seen.surface_z is not None and seen.surface_z > seen.z + _SLACK_M:
        told.append(
            f"The surface at the point is at {seen.surface_z:.1f} m, above the observer at {seen.z:.1f} m: inside a "
            "building, under trees, or too low. Give observer_z_masl, or a larger observer_height_m."
        )
    if seen.height is not None and seen.height < 0:
        told.append(f"The observer is {-seen.height:.1f} m below the terrain.")
    if seen.ground is None:
        told.append("The terrain's height at the point is not known: sea, or a hole in the data.")
    if seen.holes >= _HOLES:
        told.append(f"The surface model lacks {100 * seen.holes:.1f} % of the near field; nothing hides there.")
    told += _of_years(blocks)
    if seen.sunk >= _SUNK:
        told.append(
            f"Far hills look up to {seen.sunk:.1f} degrees lower from here than from level 1's eye, {seen.above:.0f} m "
            "below; what they hide from down there, and may show over them from up here, is not known: the far horizon "
            "may be too low by as much."
        )
    if seen.apart:
        told.append(
            f"Two height models: the near field's terrain lies {abs(seen.apart):.0f} m "
            f"{'above' if seen.apart > 0 else 'below'} level 1's here. For the far horizon the observer is taken to "
            "stand as high over the one as over the other; one of them is wrong."
        )
    if near_alone:
        told.append(f"The near field ({NEAR_M:g} m) alone: what is farther away may stand higher.")
    if simulated:
        told.append("The heights are simulated: invented in their details, and of no use for a real plant.")
    return told


def _of_years(blocks: Blocks) -> list[str]:
    found = surface.years(block for square, block in blocks.items() if square.model == "dom")
    if not found:
        return ["The source does not say of what year the surface model is: later buildings and trees are missing."]
    if len(found) > 1:
        return [f"The surface model near by is of several years: {', '.join(map(str, found))}."]
    return []
