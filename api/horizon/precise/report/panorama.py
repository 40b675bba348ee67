"""All round from the panel: azimuth from north to north against elevation."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.horizon.precise.report import labels
from api.horizon.precise.report.sun import Path, drawn, hours, numbers, panel_plane
from api.reports import svg

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 493.0, 256.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 25.0, 489.0, 8.0, 228.0
_AZIMUTH = np.arange(0, 360.1, 0.5)
_LOWEST = -8.0


class _Scale:
    """From degrees to points of the drawing."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, azimuth: Floats, elevation: Floats) -> Floats:
        x = _LEFT + azimuth / 360 * (_RIGHT - _LEFT)
        y = _BOTTOM - (elevation - self.low) / (self.high - self.low) * (_BOTTOM - _TOP)
        return np.stack(np.broadcast_arrays(x, y), axis=-1)

    def height(self, elevation: float) -> float:
        return float(self(np.zeros(1), np.array([elevation]))[0, 1])


def draw(result: Mapping[str, Any], suns: Sequence[Path], compass: Sequence[str], names: Sequence[str]) -> str:
    """Return the drawing as SVG.

    Parameters
    ----------
    result : mapping
        The answer of level 3.
    suns : sequence of Path
    compass : sequence of str
        Names of the eight directions, from north clockwise.
    names : sequence of str
        Of the suns, as they stand at their paths.
    """
    horizon = np.array([*result["elevation_deg"], result["elevation_deg"][0]], np.float64)
    own = np.array([*result["near_horizon_only"], result["near_horizon_only"][0]], np.float64)
    top = max(*(np.nanmax(path.elevation, initial=0) for path in suns), horizon.max())
    scale = _Scale(max(min(horizon.min(), 0.0) - 1, _LOWEST), min(top + 10, 91.0))
    hidden = np.where(own > 0, np.minimum(own, horizon), scale.low)
    plane = panel_plane(result["panel_az_deg"], result["panel_tilt_deg"])
    written = [numbers(path, scale, lambda x, y: (x, y - 6.5)) for path in suns]
    named = [_name(scale, path, name) for path, name in zip(suns, names, strict=True) if path.up_h]
    taken = [number[1:] for its in written for number in its]
    taken += [(x + along, y - 2.5) for x, y, _ in named for along in range(-36, 37, 12)]
    clip = svg.tag("clipPath", svg.tag("rect", x=_LEFT, y=_TOP, width=_RIGHT - _LEFT, height=_BOTTOM - _TOP), id="sky")
    inside = "".join([
        _area(scale, horizon, svg.TERRAIN), _area(scale, hidden, svg.NEAR),
        svg.line(scale(_AZIMUTH, np.zeros(len(_AZIMUTH))), svg.INK, 0.4),
        svg.line(scale(_AZIMUTH, horizon), svg.INK, 0.7),
        svg.line(scale(*plane), svg.INK, 0.9, stroke_dasharray="0.2 2.4", stroke_linecap="round"),
        *(drawn(path, scale) for path in suns),
    ])  # fmt: skip
    return svg.drawing(WIDTH, HEIGHT, [
        clip, svg.tag("rect", x=_LEFT, y=_TOP, width=_RIGHT - _LEFT, height=_BOTTOM - _TOP, fill=svg.SKY),
        _web(scale, compass), svg.tag("g", inside, clip_path="url(#sky)"), _facing(scale, result["panel_az_deg"]),
        _objects(scale, labels.numbered(result["near_field_objects"]), taken),
        *map(hours, written),
        *(svg.haloed(x, y, name, 7.5, font_weight=600) for x, y, name in named),
    ])  # fmt: skip


def _area(scale: _Scale, elevation: Floats, colour: str) -> str:
    edge = svg.points(scale(_AZIMUTH, elevation))
    return svg.tag("path", d=f"{edge}L{_RIGHT:g} {_BOTTOM:g}L{_LEFT:g} {_BOTTOM:g}Z", fill=colour)


def _web(scale: _Scale, compass: Sequence[str]) -> str:
    parts = []
    for elevation in range(0, int(scale.high) + 1, 10):
        y = scale.height(elevation)
        parts.append(svg.line(np.array([[_LEFT, y], [_RIGHT, y]]), svg.GRID, 0.5))
        parts.append(svg.text(_LEFT - 4, y + 2.4, f"{elevation}°", text_anchor="end", fill=svg.FAINT))
    for i, name in enumerate([*compass, compass[0]]):
        x = _LEFT + i / 8 * (_RIGHT - _LEFT)
        parts.append(svg.line(np.array([[x, _TOP], [x, _BOTTOM + 3]]), svg.GRID, 0.5))
        anchor = {"text_anchor": "end"} if i == 8 else {}
        x = _RIGHT if i == 8 else x
        parts.append(svg.text(x, _BOTTOM + 12, name, 8.5, font_weight=600, **anchor))
        parts.append(svg.text(x, _BOTTOM + 21, f"{45 * i}°", 7, fill=svg.FAINT, **anchor))
    return "".join(parts)


def _name(scale: _Scale, path: Path, name: str) -> tuple[float, float, str]:
    """Return where the name of a day stands, at the top of its path."""
    top = int(np.nanargmax(path.elevation))
    x, y = scale(path.azimuth[[top]], path.elevation[[top]])[0].tolist()
    return min(max(x, _LEFT + 40), _RIGHT - 40), y - 13, name


def _facing(scale: _Scale, azimuth: float) -> str:
    """A mark on the axis below where the panel faces."""
    x = float(scale(np.array([azimuth % 360]), np.zeros(1))[0, 0])
    return svg.tag(
        "path", d=f"M{x:.2f} {_BOTTOM - 8:g}l4 7h-8Z", fill=svg.VERMILLION, stroke=svg.PAPER, stroke_width=0.8
    )


def _objects(scale: _Scale, found: Sequence[Mapping[str, Any]], taken: Sequence[Sequence[float]]) -> str:
    if not found:
        return ""
    keys = "highest_azimuth_deg", "elevation_deg"
    azimuth, elevation = (np.array([one[key] for one in found], np.float64) for key in keys)
    at = scale(azimuth, elevation)
    room = (_LEFT + 7, _TOP + 7), (_RIGHT - 7, _BOTTOM - 7)
    badges = labels.spread(at - (0, 14), svg.BADGE_GAP, *room, taken)
    stems = [svg.line(np.stack(pair), svg.INK, 0.7) for pair in zip(at, badges, strict=True)]
    return "".join([*stems, *(svg.badge(i + 1, x, y) for i, (x, y) in enumerate(badges.tolist()))])
