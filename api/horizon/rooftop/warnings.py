"""The warnings of a roof's horizon, in the languages of reports."""

from collections.abc import Mapping, Sequence

from api.core.errors import Language
from api.core.prose import prose
from api.data.heights.mosaic import Blocks
from api.horizon.provenance import cut
from api.horizon.rooftop.calculation import Roof, Seen
from api.horizon.rooftop.heights import NEAR_M

# Of the observer's own roof, which the surface model has within some cm.
_SLACK_M = 0.3
# Lower than that, degrees, is what level 1's own grid leaves open.
_SUNK = 0.5
# Fewer are a few cells.
_HOLES = 0.0005

Notice = tuple[str, Mapping[str, str]]
"""Name of a sentence in `prose.toml`, and what stands in its braces."""

DECISIVE = frozenset(("inside", "below", "no_ground", "holes", "sunk", "apart_above", "apart_below", "near_alone"))
"""Those without which a result is misread."""


def warnings(roof: Roof, seen: Seen) -> list[Notice]:
    """Return what has to be said of a horizon."""
    found: list[Notice] = []
    if seen.surface_z is not None and seen.surface_z > seen.z + _SLACK_M:
        found.append(("inside", {"surface": f"{seen.surface_z:.1f}", "z": f"{seen.z:.1f}"}))
    if seen.height is not None and seen.height < 0:
        found.append(("below", {"metres": f"{-seen.height:.1f}"}))
    if seen.ground is None:
        found.append(("no_ground", {}))
    if seen.holes >= _HOLES:
        found.append(("holes", {"percent": f"{100 * seen.holes:.1f}"}))
    found += _of_years(roof.blocks)
    if seen.sunk >= _SUNK:
        found.append(("sunk", {"degrees": f"{seen.sunk:.1f}", "metres": f"{seen.above:.0f}"}))
    if seen.apart:
        found.append((f"apart_{'above' if seen.apart > 0 else 'below'}", {"metres": f"{abs(seen.apart):.0f}"}))
    if roof.far is None:
        found.append(("near_alone", {"near_m": f"{NEAR_M:g}"}))
    if roof.data_origin != "live":
        found.append(("simulated", {}))
    if roof.far is not None and (ending := cut(roof.far.provenance)):
        found.append(("ends", ending))
    return found


def _of_years(blocks: Blocks) -> list[Notice]:
    surfaces = [block for square, block in blocks.items() if square.model == "dom" and block.known]
    years = sorted({block.year for block in surfaces if block.year is not None})
    if not years:
        return [("no_year", {})]
    return [("years", {"years": ", ".join(map(str, years))})] if len(years) > 1 else []


def sentences(found: Sequence[Notice], language: Language = "en", module: str = __file__) -> list[str]:
    """Return warnings as sentences, of the `prose.toml` beside a module."""
    texts = prose(module, f"warnings_{language}")
    point = "," if language == "nb" else "."
    return [texts[name].format(**{key: one.replace(".", point) for key, one in of.items()}) for name, of in found]
