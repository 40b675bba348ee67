"""The map sketch: the surface around the roof, what costs the most, scale bar; true north is up."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.horizon.precise.report import labels
from api.horizon.precise.report.relief import REACH_M, Relief, shaded
from api.reports import svg
from api.reports.pictures import png

Floats = NDArray[np.float64]

SIZE = 276.0
_MIDDLE = SIZE / 2
_RADIUS = 124.0
_BAR_M = 50.0


def draw(result: Mapping[str, Any], relief: Relief, compass: Sequence[str]) -> str:
    """Return the sketch as SVG.

    Parameters
    ----------
    result : mapping
        The answer of level 3.
    relief : Relief
    compass : sequence of str
        Names of the eight directions, from north clockwise.
    """
    disc: dict[str, Any] = {"cx": _MIDDLE, "cy": _MIDDLE, "r": _RADIUS}
    corner = _MIDDLE - _RADIUS
    found = labels.numbered(result["near_field_objects"])
    return svg.drawing(SIZE, SIZE, [
        svg.tag("clipPath", svg.tag("circle", **disc), id="disc"),
        svg.image(png(shaded(relief)), corner, corner, 2 * _RADIUS, clip_path="url(#disc)"),
        svg.tag("circle", **disc, fill="none", stroke=svg.INK, stroke_width=0.8),
        *map(_sector, found), _compass(compass),
        svg.scale_bar(SIZE - 4.0, _BAR_M * _RADIUS / REACH_M, f"{_BAR_M:g} m"),
        svg.panel(_MIDDLE, _MIDDLE, result["panel_az_deg"]), _objects(found),
    ])  # fmt: skip


def _place(azimuth: Floats, distance: Floats) -> Floats:
    a, away = np.radians(azimuth), distance * (_RADIUS / REACH_M)
    return np.stack([_MIDDLE + away * np.sin(a), _MIDDLE - away * np.cos(a)], axis=-1)


def _sector(one: Mapping[str, Any]) -> str:
    """The directions that an object hides, as far as the object."""
    half = one["azimuth_width_deg"] / 2
    azimuth = one["azimuth_deg"] + np.linspace(-half, half, max(2, int(half)))
    away = np.full(len(azimuth), min(one["distance_m"], REACH_M))
    edge = np.vstack([[[_MIDDLE, _MIDDLE]], _place(azimuth, away)])
    return svg.tag("path", d=svg.points(edge) + "Z", fill=svg.ORANGE, fill_opacity=0.38)


def _compass(compass: Sequence[str]) -> str:
    parts = []
    for i, name in enumerate(compass):
        inner, outer = _place(np.full(2, 45.0 * i), np.array([REACH_M, REACH_M * 1.03]))
        parts.append(svg.line(np.stack([inner, outer]), svg.INK, 0.8))
        if i in (2, 4, 6):
            x, y = _place(np.array([45.0 * i]), np.array([REACH_M * 1.08]))[0].tolist()
            parts.append(svg.text(x, y + 3, name, 9))
    top = _MIDDLE - _RADIUS
    parts.append(svg.tag("path", d=f"M{_MIDDLE:g} {top - 11:g}l4.5 11h-9Z", fill=svg.INK))
    parts.append(svg.text(_MIDDLE + 11, top - 3.5, compass[0], 9.5, font_weight=600))
    return "".join(parts)


def _objects(found: Sequence[Mapping[str, Any]]) -> str:
    if not found:
        return ""
    keys = "highest_azimuth_deg", "distance_m"
    azimuth, distance = (np.array([one[key] for one in found], np.float64) for key in keys)
    near = distance <= REACH_M
    at = _place(azimuth, np.minimum(distance, REACH_M))
    best = _place(azimuth, np.where(near, distance + 17, REACH_M - 18))
    middle = (_MIDDLE, _MIDDLE)
    badges = labels.spread(best, svg.BADGE_GAP, (10, 16), (SIZE - 10, SIZE - 16), [middle])
    parts = []
    for anchor, its, inside in zip(at, badges, near.tolist(), strict=True):
        parts.append(svg.line(np.stack([anchor, its]), svg.INK, 0.8))
        if inside:
            parts.append(svg.tag("circle", cx=float(anchor[0]), cy=float(anchor[1]), r=1.8, fill=svg.INK))
    return "".join([*parts, *(svg.badge(i, x, y) for i, (x, y) in enumerate(badges.tolist(), 1))])
