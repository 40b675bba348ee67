"""Profiles of the ground along the wind, as SVG."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.reports import svg
from api.terrain.report.texts import direction, value, words
from kernels.terrain.profiles import Lines

Floats = NDArray[np.float64]

BEFORE_M, BEHIND_M = 3000.0, 2000.0
EVERY = 6
"""Sectors between two of the twelve profiles."""
_WIDTH, _HEIGHT = 493.0, 185.0
_SMALL_WIDTH, _SMALL_HEIGHT, _COLUMNS = 160.0, 122.0, 3
_GROUND = "#d8d2c4"
# Less than that from lowest to highest would draw noise as mountains.
_LEAST_M = 60.0


class _Frame:
    """From metres along the wind and above sea to points of a drawing."""

    def __init__(
        self, sector: Mapping[str, Any], lines: Lines, left: float, top: float, width: float, height: float
    ) -> None:
        self.left, self.top, self.width, self.height = left, top, width, height
        shown = (lines.t >= -BEFORE_M) & (lines.t <= BEHIND_M)
        self.t, self.z = lines.t[shown], lines.z[sector["sektor"] - 1][shown]
        low, high = float(np.nanmin(self.z)), float(np.nanmax(self.z))
        spare = max(_LEAST_M - (high - low), 0)
        self.low, self.high = low - 0.15 * spare, high + 0.85 * spare + 0.05 * (high - low)

    @property
    def times(self) -> float:
        """How many times as high as long."""
        return (self.height / (self.high - self.low)) / (self.width / (BEFORE_M + BEHIND_M))

    def at(self, t: float | Floats, z: float | Floats) -> Floats:
        x = self.left + (np.asarray(t) + BEFORE_M) / (BEFORE_M + BEHIND_M) * self.width
        y = self.top + self.height - (np.asarray(z) - self.low) / (self.high - self.low) * self.height
        return np.stack(np.broadcast_arrays(x, y), axis=-1)

    def height_at(self, t: float) -> float:
        return float(np.interp(t, self.t, self.z))


def large(sector: Mapping[str, Any], lines: Lines) -> tuple[str, float]:
    """Return the profile of a sector, and how many times its heights are exaggerated."""
    frame = _Frame(sector, lines, 36, 26, _WIDTH - 56, _HEIGHT - 54)
    parts = [_ground(frame), _axes(frame), _marks(frame, sector), _measures(frame, sector), _arrow(6, 8, 24)]
    return svg.drawing(_WIDTH, _HEIGHT, parts), frame.times


def twelve(sectors: Sequence[Mapping[str, Any]], lines: Lines) -> str:
    """Return the profiles of twelve directions."""
    w, parts = words()["profiles"], []
    for number, sector in enumerate(sectors[::EVERY]):
        left, top = 4 + number % _COLUMNS * (_SMALL_WIDTH + 5), number // _COLUMNS * _SMALL_HEIGHT
        right, form = left + _SMALL_WIDTH - 4, sector["terrengform"]
        frame = _Frame(sector, lines, left, top + 20, _SMALL_WIDTH - 4, _SMALL_HEIGHT - 44)
        title = w["small_title"].format(
            sektor=sector["sektor"], retning=direction(sector["retning_deg"]), c_o=value(form["c_o"])
        )
        parts += [_ground(frame), _marks(frame, sector), _arrow(left, top + 7.5, 11)]
        parts.append(svg.text(left + 15, top + 10, title, 7.4, text_anchor="start", font_weight=600))
        scale = w["times"].format(times=value(round(frame.times, 1)))
        parts.append(svg.text(right, top + 10, scale, 6.2, text_anchor="end", fill=svg.FAINT))
        low, high = (f"{one:.0f}" for one in (np.nanmin(frame.z), np.nanmax(frame.z)))
        foot, measures = top + _SMALL_HEIGHT - 16, _measures_of(sector, w["small_form"])
        parts.append(svg.text(left, foot, w["range"].format(low=low, high=high), 6, text_anchor="start"))
        parts.append(svg.text(right, foot, measures, 6, text_anchor="end"))
    return svg.drawing(_WIDTH, _SMALL_HEIGHT * 12 / _COLUMNS, parts)


def _measures_of(sector: Mapping[str, Any], pattern: str) -> str:
    form = sector["terrengform"]
    if sector["terrengform_begrunnelse"] is not None:
        return str(words()["profiles"]["given"])
    known = {"H": form["H_m"], "L_u": form["L_u_m"], "x": form["x_m"]}
    return "" if form["x_m"] is None else pattern.format(**{name: value(one) for name, one in known.items()})


def _ground(frame: _Frame) -> str:
    """The ground, where its height is known."""
    edge, parts, foot = frame.at(frame.t, frame.z), [], frame.top + frame.height
    known = ~np.isnan(frame.z)
    for stretch in np.split(edge, np.flatnonzero(known[1:] != known[:-1]) + 1):
        if np.isnan(stretch[0, 1]):
            continue
        base = [[stretch[-1, 0], foot], [stretch[0, 0], foot]]
        parts.append(svg.tag("path", d=svg.points(np.vstack([stretch, base])) + "Z", fill=_GROUND))
    return "".join(parts) + svg.line(edge, svg.INK, 0.7)


def _axes(frame: _Frame) -> str:
    w, parts, y = words()["profiles"], [], frame.top + frame.height
    for t in range(-3000, 2001, 1000):
        x = float(frame.at(float(t), frame.low)[0])
        parts.append(svg.line(np.array([[x, y], [x, y + 4]]), svg.INK, 0.6))
        parts.append(svg.text(x, y + 13, w["metres"].format(t=t), 7))
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1000) if (frame.high - frame.low) / step <= 6)
    for z in range(int(np.ceil(frame.low / step)) * step, int(frame.high) + 1, step):
        at = float(frame.at(0.0, float(z))[1])
        parts.append(svg.line(np.array([[frame.left - 3, at], [frame.left, at]]), svg.INK, 0.6))
        parts.append(svg.text(frame.left - 5, at + 2.4, str(z), 7, text_anchor="end"))
    parts.append(svg.text(frame.left - 5, frame.top - 5, w["above_sea"], 7, text_anchor="end"))
    return "".join(parts)


def _arrow(x: float, y: float, length: float) -> str:
    """The wind, from left to right."""
    return svg.tag("path", d=f"M{x:g} {y:g}h{length:g}m-4 -2.5l4 2.5l-4 2.5", fill="none", stroke=svg.BLUE,
                   stroke_width=1.1)  # fmt: skip


def _crest(sector: Mapping[str, Any]) -> float | None:
    """Return the position of the deciding crest on the line, m; None without one, or of a designer's form."""
    x = sector["terrengform"]["x_m"]
    drawn = x is not None and not sector["terrengform_begrunnelse"] and abs(x) <= min(BEFORE_M, BEHIND_M)
    return -x if drawn else None


def _base(frame: _Frame, sector: Mapping[str, Any], t: float) -> Floats:
    """Foot and point under the crest, so far below it as H."""
    form = sector["terrengform"]
    height = max(frame.height_at(t) - form["H_m"], frame.low)
    return frame.at(np.array([max(t - form["L_u_m"], -BEFORE_M), t]), np.full(2, height))


def _marks(frame: _Frame, sector: Mapping[str, Any]) -> str:
    """The site; the crest that decides, its height and the length of its slope."""
    x, y = frame.at(0.0, frame.height_at(0.0)).tolist()
    parts, t = [], _crest(sector)
    if t is not None:
        crest, base = frame.at(t, frame.height_at(t)), _base(frame, sector, t)
        parts.append(svg.line(np.vstack([base, crest[None]]), svg.VERMILLION, 0.8, stroke_dasharray="3 2"))
        look: dict[str, Any] = {"fill": svg.PAPER, "stroke": svg.VERMILLION, "stroke_width": 1.2}
        parts.append(svg.tag("circle", cx=float(crest[0]), cy=float(crest[1]), r=2.4, **look))
        if t - sector["terrengform"]["L_u_m"] >= -BEFORE_M:
            foot = base[0] - 2
            parts.append(svg.tag("rect", x=float(foot[0]), y=float(foot[1]), width=4, height=4, **look))
    parts.append(svg.tag("path", d=f"M{x:.2f} {y - 1:.2f}l-3 -7h6Z", fill=svg.INK))
    return "".join(parts)


def _measures(frame: _Frame, sector: Mapping[str, Any]) -> str:
    """H beside its line, L_u under its own, x above the ground between crest and site."""
    t = _crest(sector)
    if t is None:
        return ""
    h, l_u, x = (_measures_of(sector, pattern) for pattern in words()["profiles"]["large_form"])
    base, crest = _base(frame, sector, t), frame.at(t, frame.height_at(t))
    site = float(frame.at(0.0, frame.low)[0])
    # H on the side where no slope is; L_u inside of the frame
    parts = [svg.haloed(float(crest[0]) - 4, float(crest[1] + base[1, 1]) / 2 + 2, h, 7.5, text_anchor="end")]
    middle = min(max(float(base[:, 0].mean()), frame.left + 30), frame.left + frame.width - 30)
    parts.append(svg.haloed(middle, min(float(base[0, 1]) + 10, frame.top + frame.height - 3), l_u, 7.5))
    if t:
        y, ends = frame.top - 7, sorted([float(crest[0]), site])
        parts.append(svg.line(np.array([[ends[0], y], [ends[1], y]]), svg.VERMILLION, 0.8))
        parts += [svg.line(np.array([[end, y - 3], [end, y + 3]]), svg.VERMILLION, 0.8) for end in ends]
    parts.append(svg.haloed(min(max((float(crest[0]) + site) / 2, 80), _WIDTH - 40), frame.top - 11, x, 7.5))
    return "".join(parts)
