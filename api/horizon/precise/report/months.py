"""The months' energy as bars: what reaches the panel, and what near things and terrain take."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from api.reports import svg

WIDTH, HEIGHT = 493.0, 150.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 25.0, 489.0, 16.0, 134.0
_BAR = 24.0
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100)


def draw(monthly: Sequence[Mapping[str, Any]], names: Sequence[str], lost: Sequence[str]) -> str:
    """Return the drawing as SVG.

    Parameters
    ----------
    monthly : sequence of mapping
        The twelve of an answer of level 3.
    names : sequence of str
        Of the months, short.
    lost : sequence of str
        What stands over each bar.
    """
    highest = max(1.0, *(month["poa_open_kwh_m2"] for month in monthly))
    step = next((step for step in _STEPS if highest / step <= 5), _STEPS[-1])
    scale = (_BOTTOM - _TOP) / highest
    parts = []
    for value in range(0, int(highest) + 1, step):
        y = _BOTTOM - value * scale
        parts.append(svg.line(np.array([[_LEFT, y], [_RIGHT, y]]), svg.GRID if value else svg.INK, 0.5))
        parts.append(svg.text(_LEFT - 4, y + 2.4, str(value), text_anchor="end", fill=svg.FAINT))
    for i, month in enumerate(monthly):
        x = _LEFT + (i + 0.5) * (_RIGHT - _LEFT) / 12
        parts += [_bar(month, x, scale), svg.text(x, _BOTTOM + 11, names[i], 8)]
        y = _BOTTOM - month["poa_open_kwh_m2"] * scale
        parts.append(svg.haloed(x, y - 4, lost[i], 7))
    return svg.drawing(WIDTH, HEIGHT, parts)


def _bar(month: Mapping[str, Any], x: float, scale: float) -> str:
    whole = month["poa_open_kwh_m2"]
    near = whole * (month["near_field_loss_pct"] or 0.0) / 100
    shares = ((whole, svg.TERRAIN), (month["poa_kwh_m2"] + near, svg.NEAR), (month["poa_kwh_m2"], svg.ORANGE))
    # each from the ground up over the one before: no seams between them
    return "".join(
        svg.tag("rect", x=x - _BAR / 2, y=_BOTTOM - value * scale, width=_BAR, height=value * scale, fill=colour)
        for value, colour in shares
    )
