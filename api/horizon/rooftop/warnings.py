"""The warnings of a roof's horizon."""

from api.core.prose import prose
from api.horizon.rooftop.calculation import Roof, Seen
from api.horizon.rooftop.heights import NEAR_M, Blocks

_PROSE = prose(__file__, "warnings")
# Of the observer's own roof, which the surface model has within some cm.
_SLACK_M = 0.3
# Lower than that, degrees, is what level 1's own grid leaves open.
_SUNK = 0.5
# Fewer are a few cells.
_HOLES = 0.0005


def warnings(roof: Roof, seen: Seen, ends: str = "") -> list[str]:
    """Return the sentences.

    Parameters
    ----------
    roof : Roof
    seen : Seen
    ends : str
        In how many directions level 1's data end before its reach.
    """
    found = []
    if seen.surface_z is not None and seen.surface_z > seen.z + _SLACK_M:
        found.append(_PROSE["inside"].format(seen=seen))
    if seen.height is not None and seen.height < 0:
        found.append(f"The observer is {-seen.height:.1f} m below the terrain.")
    if seen.ground is None:
        found.append("The terrain's height at the point is not known: sea, or a hole in the data.")
    if seen.holes >= _HOLES:
        found.append(f"The surface model lacks {100 * seen.holes:.1f} % of the near field; nothing hides there.")
    found += _of_years(roof.blocks)
    if seen.sunk >= _SUNK:
        found.append(_PROSE["sunk"].format(seen=seen))
    if seen.apart:
        side = "above" if seen.apart > 0 else "below"
        found.append(_PROSE["apart"].format(metres=abs(seen.apart), side=side))
    if roof.far is None:
        found.append(f"The near field ({NEAR_M:g} m) alone: what is farther away may stand higher.")
    if roof.data_origin != "live":
        found.append("The heights are simulated: invented in their details, and of no use for a real plant.")
    if ends:
        found.append(f"Level 1: {ends[0].lower()}{ends[1:]}; what stands beyond is missing.")
    return found


def _of_years(blocks: Blocks) -> list[str]:
    surfaces = [block for square, block in blocks.items() if square.model == "dom" and block.known]
    years = sorted({block.year for block in surfaces if block.year is not None})
    if not years:
        return ["The source does not say of what year the surface model is: later buildings and trees are missing."]
    if len(years) > 1:
        return [f"The surface model near by is of several years: {', '.join(map(str, years))}."]
    return []
