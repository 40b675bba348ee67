"""Maps of land cover and relief around the site, true north up, as SVG around a picture."""

import numpy as np
from numpy.typing import NDArray

from api.reports import svg
from api.reports.pictures import png, shade_of
from api.terrain.report.profiles import EVERY
from api.terrain.report.texts import words
from kernels.horizon.levels import Level
from kernels.terrain.polar import AZIMUTHS, Site
from kernels.terrain.profiles import REACH_M as RELIEF_M
from kernels.terrain.profiles import height_at
from kernels.terrain.roughness import KINDS, RINGS_M, Cover

Floats = NDArray[np.float64]

SIZE, _LEGEND = 330.0, 100.0
_MIDDLE, _RADIUS = SIZE / 2, 150.0
_PIXELS = 480
_COVER_M = 10_000.0
# By the code of land cover; 255 is what is not shown.
_COLOURS = {
    0: ("unknown", "#ffffff"), 11: ("built_up", "#b0857f"), 12: ("transport", "#8a8a8a"), 20: ("farmland", "#f4ea7a"),
    30: ("forest", "#7fb069"), 50: ("open_ground", "#e3dcc6"), 60: ("mire", "#b59ac9"), 70: ("ice", "#e8f6fb"),
    81: ("lake", "#8ecbf0"), 82: ("open_sea", "#3d8fc4"),
}  # fmt: skip
_STEEPER = 2.0


def land_cover(cover: Cover, site: Site) -> str:
    """Return the map of land cover, with rings and sectors."""
    x, y, inside = _places(site, _COVER_M)
    at, known = cover.cells(x, y)
    codes = np.where(known, cover.code.ravel()[at], 0)
    index = np.zeros(256, np.uint8)
    index[list(_COLOURS)] = np.arange(len(_COLOURS))
    picture = png(np.where(inside, index[codes], 0), [colour for _, colour in _COLOURS.values()])
    rings = [_circle(ring / _COVER_M * _RADIUS, 1.0 if ring == RINGS_M[-1] else 0.7) for ring in RINGS_M[1:]]
    edges = [_ray(azimuth, 0.1, svg.INK, 0.4) for azimuth in np.arange(15.0, 360, 30)]
    shown = [
        (words()["kinds"][name], colour) for code, (name, colour) in _COLOURS.items() if (codes[inside] == code).any()
    ]
    told = [_distance(ring) for ring in RINGS_M[1:-1]]
    return _map(picture, [*rings, *edges, *told], _COVER_M, shown)


def relief(level: Level, site: Site, governing: int) -> str:
    """Return the map of the ground, with the lines of the twelve profiles; that of the governing sector is stronger."""
    x, y, inside = _places(site, RELIEF_M)
    shade = shade_of(height_at(level, x, y), 2 * RELIEF_M / _PIXELS, _STEEPER)
    tones = np.where(inside & ~np.isnan(shade), 40 + 210 * np.nan_to_num(shade), 255)
    rays = [_ray(float(azimuth), 0.02, svg.BLUE, 0.7) for azimuth in AZIMUTHS[::EVERY]]
    rays.append(_ray(float(AZIMUTHS[governing - 1]), 0.02, svg.VERMILLION, 2.0))
    return _map(png(tones.astype(np.uint8)), [*rays, _circle(_RADIUS, 1.0)], RELIEF_M, [])


def _places(site: Site, reach: float) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return easting and northing of the pixels, rows from the north, and which are within reach."""
    east = (np.arange(_PIXELS) + 0.5) * 2 * reach / _PIXELS - reach
    north = -east[:, None]
    distance = np.hypot(east, north)
    x, y = site.places(np.degrees(np.arctan2(east, north)), distance)
    return x, y, distance <= reach


def _map(picture: bytes, over: list[str], reach: float, legend: list[tuple[str, str]]) -> str:
    left = _MIDDLE - _RADIUS
    parts = [svg.image(picture, left, left, 2 * _RADIUS), *over]
    parts.append(svg.tag("path", d=f"M{_MIDDLE:g} {left - 10:g}l4 9h-8Z", fill=svg.INK))
    parts.append(svg.text(_MIDDLE + 9, left - 3, words()["maps"]["north"], 9, font_weight=600))
    parts.append(
        svg.tag("circle", cx=_MIDDLE, cy=_MIDDLE, r=2.8, fill=svg.VERMILLION, stroke=svg.INK, stroke_width=0.8)
    )
    parts.append(svg.scale_bar(SIZE - 4, 2000 / reach * _RADIUS, words()["maps"]["km"].format(km=2), 7))
    for number, (name, colour) in enumerate(legend):
        y = 18 + 15 * number
        parts.append(
            svg.tag("rect", x=SIZE + 4, y=y, width=10, height=10, fill=colour, stroke=svg.INK, stroke_width=0.4)
        )
        parts.append(svg.text(SIZE + 19, y + 8.5, name, 8, text_anchor="start"))
    return svg.drawing(SIZE + _LEGEND, SIZE, parts)


def _distance(ring: float) -> str:
    """How far away a ring is, south of the site."""
    name = words()["maps"]["km"].format(km=round(ring / 1000))
    return svg.haloed(_MIDDLE, _MIDDLE + ring / _COVER_M * _RADIUS + 2.4, name, 6.4)


def _circle(radius: float, width: float) -> str:
    return svg.tag("circle", cx=_MIDDLE, cy=_MIDDLE, r=radius, fill="none", stroke=svg.INK, stroke_width=width)


def _ray(azimuth: float, begin: float, colour: str, width: float) -> str:
    a = np.radians(azimuth)
    along = np.array([[begin], [1.0]]) * _RADIUS
    return svg.line(_MIDDLE + along * np.array([[np.sin(a), -np.cos(a)]]), colour, width)


assert {name for name, _ in _COLOURS.values()} <= {kind.name for kind in KINDS}  # noqa: S101 -- words of the legend
