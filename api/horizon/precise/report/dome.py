"""The sky from the panel as a disc: the zenith in the middle, the level horizon at the rim, north up."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.horizon.precise.report import labels
from api.horizon.precise.report.sun import Path, drawn, hours, numbers, panel_plane
from api.reports import svg

Floats = NDArray[np.float64]

SIZE = 330.0
_MIDDLE = SIZE / 2
_RADIUS = 145.0
_AZIMUTH = np.arange(0, 360.1, 0.5)
_HALF = f"a{_RADIUS:g} {_RADIUS:g} 0 1 0"
_RIM = f"M{_MIDDLE - _RADIUS:g} {_MIDDLE:g}{_HALF} {2 * _RADIUS:g} 0{_HALF} {-2 * _RADIUS:g} 0Z"


def place(azimuth: Floats, elevation: Floats) -> Floats:
    """Return where directions are in the drawing (n, 2); what is below the level horizon is on the rim."""
    away = _RADIUS * (1 - np.maximum(elevation, 0) / 90)
    a = np.radians(azimuth)
    return np.stack([_MIDDLE + away * np.sin(a), _MIDDLE - away * np.cos(a)], axis=-1)


def draw(result: Mapping[str, Any], suns: Sequence[Path], compass: Sequence[str]) -> str:
    """Return the drawing as SVG.

    Parameters
    ----------
    result : mapping
        The answer of level 3.
    suns : sequence of Path
    compass : sequence of str
        Names of the eight directions, from north clockwise.
    """
    horizon = _closed(result["elevation_deg"])
    own = np.minimum(_closed(result["near_horizon_only"]), horizon)
    written = [numbers(path, place, _outwards) for path in suns]
    plane = panel_plane(result["panel_az_deg"], result["panel_tilt_deg"])
    return svg.drawing(SIZE, SIZE, [
        svg.tag("path", d=_RIM, fill=svg.SKY),
        _ring(horizon, svg.TERRAIN), _ring(own, svg.NEAR),
        _web(compass),
        svg.line(place(_AZIMUTH, horizon), svg.INK, 0.6),
        svg.tag("path", d=_RIM, fill="none", stroke=svg.INK, stroke_width=0.8),
        svg.line(place(*plane), svg.INK, 0.9, stroke_dasharray="0.2 2.4", stroke_linecap="round"),
        *(drawn(path, place) for path in suns),
        _objects(labels.numbered(result["near_field_objects"]), [number[1:] for its in written for number in its]),
        *map(hours, written),
        svg.panel(_MIDDLE, _MIDDLE, result["panel_az_deg"]),
    ])  # fmt: skip


def _closed(degrees: Sequence[float]) -> Floats:
    return np.array([*degrees, degrees[0]], np.float64)


def _ring(elevation: Floats, colour: str) -> str:
    edge = svg.points(place(_AZIMUTH, elevation))
    return svg.tag("path", d=f"{_RIM}{edge}Z", fill=colour, fill_rule="evenodd")


def _web(compass: Sequence[str]) -> str:
    parts = []
    for elevation in (30, 60):
        radius = _RADIUS * (1 - elevation / 90)
        ring: dict[str, Any] = {"cx": _MIDDLE, "cy": _MIDDLE, "r": radius, "fill": "none", "stroke": svg.FAINT}
        parts.append(svg.tag("circle", **ring, stroke_width=0.4, stroke_opacity=0.6))
        x, y = place(np.array([22.5]), np.array([elevation]))[0].tolist()
        parts.append(svg.haloed(x, y + 2, f"{elevation}°", 6.5, fill=svg.FAINT))
    for i, name in enumerate(compass):
        azimuth = np.array([45.0 * i])
        spoke = np.concatenate([place(azimuth, np.array([80.0])), place(azimuth, np.array([0.0]))])
        parts.append(svg.line(spoke, svg.FAINT, 0.4, stroke_opacity=0.6))
        x, y = place(azimuth, np.zeros(1))[0].tolist()
        out_x, out_y = (_MIDDLE + (at - _MIDDLE) * 1.075 for at in (x, y))
        weight = {"font_weight": 600} if i == 0 else {}
        parts.append(svg.text(out_x, out_y + 3, name, 9.5 if i % 2 == 0 else 7.5, **weight))
    return "".join(parts)


def _outwards(x: float, y: float) -> tuple[float, float]:
    """Return the place of an hour's number: farther from the zenith than its mark."""
    away = np.hypot(x - _MIDDLE, y - _MIDDLE)
    return x + (x - _MIDDLE) / away * 7, y + (y - _MIDDLE) / away * 7


def _objects(found: Sequence[Mapping[str, Any]], taken: Sequence[Sequence[float]]) -> str:
    if not found:
        return ""
    keys = "highest_azimuth_deg", "elevation_deg"
    azimuth, elevation = (np.array([one[key] for one in found], np.float64) for key in keys)
    at = place(azimuth, elevation)
    a = np.radians(azimuth)
    inwards = np.stack([-np.sin(a), np.cos(a)], axis=-1)
    badges = labels.spread(at + 13 * inwards, svg.BADGE_GAP, (8, 8), (SIZE - 8, SIZE - 8), taken)
    stems = [svg.line(np.stack(pair), svg.INK, 0.7) for pair in zip(at, badges, strict=True)]
    return "".join([*stems, *(svg.badge(i + 1, x, y) for i, (x, y) in enumerate(badges.tolist()))])
