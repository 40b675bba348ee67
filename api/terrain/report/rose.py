"""The rose: 72 sectors with category, land cover by rings, and the distance to where the category begins."""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.reports import svg
from api.terrain.report.texts import words

Floats = NDArray[np.float64]
Sectors = Sequence[Mapping[str, Any]]

CATEGORIES = {"0": "#0072b2", "I": "#8ecbf0", "II": "#f4ea7a", "III": "#7fb069", "IV": "#5a5a5a", "ukjent": "#ffffff"}
_DARK = ("0", "IV")
SIZE = 440.0
_MIDDLE = SIZE / 2
# Radii of the rings 0-1, 1-2, 2-3 and 3-10 km, of the band of categories, of the bars, of marks, numbers and compass.
_RINGS = (0.0, 46.0, 80.0, 107.0, 138.0)
_BAND = (142.0, 161.0)
_BARS, _BARS_M = (163.0, 181.0), 2000
_MARKS, _NUMBERS, _COMPASS = 186.5, 195.5, 210.0
_HALF = 2.5
# Runs of a category that have room for its name, and how far from each other names stand.
_SHORTEST, _APART = 4, 18
# Half the width of the rings' labels, which stand north of the middle.
_LABEL = 19.0


def draw(sectors: Sectors, governing: int | None) -> str:
    """Return the rose as SVG.

    Parameters
    ----------
    sectors : sequence of mapping
        Of the answer.
    governing : int or None
        Number of the sector that is framed.
    """
    parts = [area for ring in reversed(range(len(_RINGS) - 1)) for area in _shares(sectors, ring)]
    parts += [_circle(radius, *look) for radius in _RINGS[1:] for look in ((svg.PAPER, 1.4), (svg.FAINT, 0.4))]
    parts += [_name_of_run(sectors, ring) for ring in range(len(_RINGS) - 1)]
    parts += [_circle(radius, svg.GRID, 0.5) for radius in (_BARS[0], sum(_BARS) / 2, _BARS[1])]
    parts += [_sector(one) for one in sectors]
    if governing is not None:
        azimuth = sectors[governing - 1]["retning_deg"]
        parts.append(_wedge(azimuth, *_BAND, "none", stroke=svg.INK, stroke_width=1.8))
    return svg.drawing(SIZE, SIZE + 22, [*parts, _scale(), _compass(), _legend()])


def _shares(sectors: Sectors, ring: int) -> list[str]:
    """One ring: areas from its inner edge by share, the smoothest first; each is painted over the rougher ones."""
    inner, outer = _RINGS[ring : ring + 2]
    shares = np.array([[one["ringer"][ring]["andel_pct"][name] for name in CATEGORIES] for one in sectors])
    ends = inner + (outer - inner) * np.minimum(np.cumsum(shares, axis=1) / 100, 1.0)
    ends[:, -1] = outer
    azimuths = np.radians([one["retning_deg"] for one in sectors])[:, None] + np.radians([-_HALF, _HALF])
    found = []
    for k, colour in reversed(list(enumerate(CATEGORIES.values()))):
        if shares[:, k].any():
            x, y = (_MIDDLE + ends[:, k, None] * side for side in (np.sin(azimuths), -np.cos(azimuths)))
            outline = np.stack([x.ravel(), y.ravel()], axis=-1).round(1)
            found.append(svg.tag("path", d=svg.points(outline) + "Z", fill=colour))
    return found


def _name_of_run(sectors: Sectors, ring: int) -> str:
    """The name of the commonest category, once or more in each run of sectors that share it."""
    shares = [one["ringer"][ring]["andel_pct"] for one in sectors]
    commonest = [max(of, key=lambda name: float(of[name])) for of in shares]
    turn = next((k for k, (a, b) in enumerate(pairwise(commonest), 1) if a != b), 0)
    found, at, radius = "", turn, sum(_RINGS[ring : ring + 2]) / 2
    clear = float(np.degrees(_LABEL / radius))
    for name, group in groupby(commonest[turn:] + commonest[:turn]):
        length = len(list(group))
        count = max(1, round(length / _APART)) if length >= _SHORTEST else 0
        for k in range(count):
            azimuth = (at + length * (k + 0.5) / count - 0.5) * 2 * _HALF % 360
            x, y = _at(azimuth if clear < azimuth < 360 - clear else clear, radius)
            found += svg.haloed(x, y + 2.5, "?" if name == "ukjent" else name, 7, font_weight=600)
        at += length
    return found


def _sector(one: Mapping[str, Any]) -> str:
    """Category, distance, marks and number of a sector."""
    w, azimuth, category = words()["directions"], one["retning_deg"], one["kategori"] or "ukjent"
    parts = [_wedge(azimuth, *_BAND, CATEGORIES[category], stroke=svg.PAPER, stroke_width=0.4)]
    x, y = _at(azimuth, sum(_BAND) / 2)
    ink = svg.PAPER if category in _DARK else svg.INK
    parts.append(svg.text(x, y + 2.2, "?" if category == "ukjent" else category, 6.8, fill=ink, font_weight=600))
    if distance := one["overgang"]["avstand_m"]:
        far = _BARS[0] + (_BARS[1] - _BARS[0]) * min(distance / _BARS_M, 1.0)
        parts.append(_wedge(azimuth, _BARS[0], far, svg.FAINT))
    overridden = one["kategori_begrunnelse"] is not None or one["terrengform_begrunnelse"] is not None
    if overridden:
        parts.append(_wedge(azimuth, *_BAND, "none", stroke=svg.VERMILLION, stroke_width=1.4))
    marks = {"override": overridden, "confirmed": one["bekreftet"], "unsure": not one["sikkerhet"]["sikker"]}
    x, y = _at(azimuth, _MARKS)
    told = "".join(w[name] for name, holds in marks.items() if holds)
    parts.append(svg.text(x, y + 1.8, told, 6.2, font_weight=600) if told else "")
    x, y = _at(azimuth, _NUMBERS)
    parts.append(svg.text(x, y + 1.7, str(one["sektor"]), 6, fill=svg.FAINT))
    return "".join(parts)


def _at(azimuth: float, radius: float) -> tuple[float, float]:
    a = np.radians(azimuth)
    return float(_MIDDLE + radius * np.sin(a)), float(_MIDDLE - radius * np.cos(a))


def _wedge(azimuth: float, inner: float, outer: float, colour: str, **look: Any) -> str:
    around = azimuth + np.linspace(-_HALF, _HALF, 3)
    edge = [_at(a, outer) for a in around] + [_at(a, inner) for a in around[::-1]]
    return svg.tag("path", d=svg.points(np.array(edge)) + "Z", fill=colour, **look)


def _circle(radius: float, colour: str, width: float) -> str:
    return svg.tag("circle", cx=_MIDDLE, cy=_MIDDLE, r=radius, fill="none", stroke=colour, stroke_width=width)


def _scale() -> str:
    names = ("0–1", "1–2", "2–3", "3–10 km")
    middles = [(a + b) / 2 for a, b in pairwise(_RINGS)]
    return "".join(svg.haloed(_MIDDLE, _MIDDLE - at + 2, name, 6) for name, at in zip(names, middles, strict=True))


def _compass() -> str:
    parts = []
    for azimuth in range(0, 360, 30):
        x, y = _at(azimuth, _COMPASS)
        name = words()["compass"][azimuth * 16 // 360] if azimuth % 90 == 0 else ""
        parts.append(svg.text(x, y + 3, name or f"{azimuth}°", 10 if name else 7.5, font_weight=600 if name else 400))
    return "".join(parts)


def _legend() -> str:
    parts, x, y = [svg.text(40, SIZE + 14, words()["directions"]["legend"], 8, text_anchor="start")], 96.0, SIZE + 6
    for name, colour in CATEGORIES.items():
        parts.append(svg.tag("rect", x=x, y=y, width=10, height=10, fill=colour, stroke=svg.INK, stroke_width=0.4))
        parts.append(svg.text(x + 14, y + 8, name, 8, text_anchor="start"))
        x += 48
    return "".join(parts)
