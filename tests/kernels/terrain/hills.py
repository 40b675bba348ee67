"""Scenes of heights with what a hand finds in each sector, from lengths across and the angle of the wind.

Lengths along a wind at an angle are those across, divided by its cosine; below a slope of 0.05 the ground is flat.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.horizon.levels import MISSING
from tests.kernels.terrain import plain
from tests.kernels.terrain.scenes import EAST, NO_TURN, TURNS, WEST, Field, Grid

Z = 10.0
NEAR = 2000.0
INF = np.inf

Answer = Callable[[float], float]
"""c_o of a wind at an angle from ahead, degrees."""


class Scene(NamedTuple):
    name: str
    heights: Field
    c_o: Answer
    """NaN where a hand is not sure."""
    where: tuple[float, float] = WEST
    shapes: Callable[[float], str | None] = lambda _: None
    """Shape where a hand is sure of it."""
    lee: Callable[[float], bool | None] = lambda _: False
    isolated: Callable[[float], bool | None] = lambda _: None
    or_else: Answer | None = None
    """Other end of what c_o may be, where it changes much within a cell."""
    turns: tuple[int, ...] = TURNS


def cosine(angle: float) -> float:
    return round(float(np.cos(np.radians(angle))), 12)


def rise(h: float, l_u: float, l_d: float, x: float) -> float:
    """c_o of a crest, of which the lee slope may be too gentle and which may be too far away."""
    if abs(x) > NEAR:
        return 1.0
    return plain.c_o(h, l_u, l_d, x, Z, cliff=h / l_d < 0.05)


def nothing(_: float) -> float:
    return 1.0


def tent(h: float, front: float, back: float, at: float = 0.0) -> Field:
    """A ridge of even slopes with its crest so far ahead of the site; the slope ahead of it comes first."""
    return lambda ahead, _: np.minimum(h - (ahead - at) * (h / front), h + (ahead - at) * (h / back)).clip(0)


def over_tent(h: float, front: float, back: float, at: float = 0.0) -> Answer:
    def answer(angle: float) -> float:
        c = cosine(angle)
        if c > 0:
            return rise(h, front / c, back / c, at / c)
        return rise(h, back / -c, front / -c, at / c) if c < 0 else 1.0

    return answer


def step(h: float, front: float, at: float = 0.0) -> Field:
    """An escarpment: high behind an edge so far ahead of the site."""
    return lambda ahead, _: (h - (ahead - at) * (h / front)).clip(0, h)


def over_step(h: float, front: float, at: float = 0.0) -> Answer:
    """From behind it the wind meets no slope that rises."""

    def answer(angle: float) -> float:
        c = cosine(angle)
        return rise(h, front / c, INF, at / c) if c > 0 else 1.0

    return answer


def lee_of(h: float, front: float, at: float) -> Callable[[float], bool]:
    """Of a step, at its foot: where the wind from behind falls by more than 30 degrees, and 4 H are enough."""
    return lambda angle: h / front * -cosine(angle) > np.tan(np.radians(30)) and at / cosine(angle) <= 4 * h


def rising_behind(ahead: Grid, right: Grid) -> NDArray:
    """An escarpment behind whose edge the ground goes on to rise, by 0.04."""
    return np.where(ahead > 0, step(80, 300)(ahead, right), 80 - 0.04 * ahead)


def cone(h: float, radius: float, off: float = 0.0) -> Field:
    """A cone with its top so far ahead of the site."""
    return lambda ahead, right: (h * (1 - np.hypot(ahead - off, right) / radius)).clip(0)


def over_cone(h: float, radius: float, off: float = 0.0) -> Answer:
    """A line that misses the top by b sees a hyperbola, whose half height is (radius + b)/2 from the middle."""

    def answer(angle: float) -> float:
        b = off * abs(np.sin(np.radians(angle)))
        length = 2 * float(np.sqrt(((radius + b) / 2) ** 2 - b**2))
        return rise(h * (1 - b / radius), length, length, off * cosine(angle))

    return answer


def bench(ahead: Grid, _: Grid) -> NDArray:
    """From the edge at the site 40 m down over 200, level for 200, then 60 m down over 300."""
    return np.interp(ahead, [0, 200, 400, 700], [100, 60, 60, 0]).astype(np.float32)


def over_bench(angle: float) -> float:
    """Of the upper slope, of the lower one and of both (half of 100 m are down after 450 m) the one with most."""
    c = cosine(angle)
    if c <= 0 or 0.2 * c < 0.05:
        return 1.0
    upper, lower = rise(40, 200 / c, INF, 0), rise(60, 300 / c, INF, 400 / c)
    return max(upper, lower, rise(100, 900 / c, INF, 0))


def pair(ahead: Grid, right: Grid) -> NDArray:
    return tent(100, 400, 400)(ahead, right) + tent(100, 400, 400, 3000)(ahead, right)


def alone(angle: float) -> bool | None:
    c = abs(cosine(angle))
    return False if c > 0.6 else True if c < 0.15 else None


def valley(ahead: Grid, _: Grid) -> NDArray:
    return np.interp(np.abs(ahead), [350, 850], [0, 150]).astype(np.float32)


def across_valley(angle: float) -> str | None:
    c = abs(cosine(angle))
    return "valley" if c > 0.5 else "flat" if c < 0.1 else None


def plateau(ahead: Grid, right: Grid) -> NDArray:
    """150 m high, its edges 3 km away on all sides."""
    return np.interp(np.hypot(ahead, right), [3000, 3300], [150, 0]).astype(np.float32)


def wave(ahead: Grid, _: Grid) -> NDArray:
    """A ridge as round as a cosine, 90 m high."""
    return np.where(np.abs(ahead) < 450, 45 * (1 + np.cos(np.pi * ahead / 450)), 0)


def over_wave(angle: float) -> float:
    """L_u is twice the half width; where it is below 0.05, but not where it is steepest, either way is right."""
    c = abs(cosine(angle))
    return np.nan if 90 * c / 450 < 0.05 < np.pi / 2 * 90 * c / 450 else over_tent(90, 450, 450)(angle)


def noise(like: Grid, deviation: float) -> NDArray:
    """From cell to cell, which is worse than ground can be."""
    return np.random.default_rng(5).standard_normal(like.shape, np.float32) * deviation


def cut_off(heights: Field, beyond: float) -> Field:
    """As it is, without what lies so far away."""
    return lambda ahead, right: np.where(np.hypot(ahead, right) < beyond, heights(ahead, right), MISSING)


def sure(shape: str, within: float = 70) -> Callable[[float], str | None]:
    """A shape for winds that cross nearly straight, from ahead or from behind."""
    return lambda angle: shape if abs(cosine(angle)) > cosine(within) else None


def flat(_: float) -> str:
    return "flat"


def on_edge(angle: float) -> str | None:
    c = cosine(angle)
    return "escarpment" if c > 0.4 else "flat" if c < -0.1 else None


RIDGE, OVER_RIDGE = tent(100, 400, 800), over_tent(100, 400, 800)

SCENES = (
    Scene("flat land", lambda a, _: 0 * a + 40, nothing, shapes=flat, turns=NO_TURN),
    Scene("sea", lambda a, _: 0 * a, nothing, shapes=flat, turns=NO_TURN),
    Scene("ground noise of 2 m", lambda a, _: 40 + noise(a, 2), nothing, shapes=flat, turns=NO_TURN),
    Scene("slope of 0.04", lambda a, _: 0.04 * a + 400, nothing, shapes=flat),
    Scene("endless slope", lambda a, _: 0.2 * a + 1500, nothing),
    Scene("ridge", RIDGE, OVER_RIDGE, shapes=sure("ridge", 50)),
    Scene("ridge in the east", RIDGE, OVER_RIDGE, EAST, shapes=sure("ridge", 50)),
    Scene("ridge with data of 3 km only", cut_off(RIDGE, 3000), OVER_RIDGE),
    Scene("ridge with noise of 0.6 m", lambda a, r: RIDGE(a, r) + noise(a, 0.6), OVER_RIDGE),
    Scene("steep ridge", tent(80, 160, 160), over_tent(80, 160, 160), shapes=sure("ridge"), lee=lambda _: None),
    Scene("before a crest", tent(100, 400, 500, -120), over_tent(100, 400, 500, -120)),
    Scene("behind a crest", tent(100, 400, 500, 120), over_tent(100, 400, 500, 120)),
    Scene("far before a crest", tent(60, 300, 300, -900), over_tent(60, 300, 300, -900)),
    Scene("gentle lee slope", tent(100, 500, 4000, 250), over_tent(100, 500, 4000, 250)),
    Scene("round ridge", wave, over_wave, shapes=sure("ridge", 50)),
    Scene("low ridge", tent(12, 80, 80), over_tent(12, 80, 80)),
    Scene("escarpment", step(80, 300), over_step(80, 300), shapes=on_edge),
    Scene("100 m behind an edge", step(80, 300, 100), over_step(80, 300, 100), shapes=on_edge),
    Scene("600 m behind an edge", step(80, 300, 600), over_step(80, 300, 600)),
    Scene("edge of ground that rises on", rising_behind, over_step(80, 300)),
    Scene("foot of an escarpment", step(80, 300, -350), over_step(80, 300, -350)),
    Scene("cliff", step(80, 100, 25), over_step(80, 100, 25), or_else=over_step(80, 100, 10)),
    Scene("wall", step(60, 20, 30), over_step(60, 20, 30), or_else=over_step(60, 20, 15)),
    Scene("edge of a cliff", step(80, 100), over_step(80, 100)),
    Scene("edge of a wall", step(60, 20), over_step(60, 20), or_else=over_step(60, 20, -10)),
    Scene("foot of a cliff", step(80, 100, -160), over_step(80, 100, -160), lee=lee_of(80, 100, -160)),
    Scene("plateau", plateau, nothing, turns=NO_TURN),
    Scene("valley", valley, nothing, shapes=across_valley),
    Scene("slope with a bench", bench, over_bench),
    Scene("two ridges", pair, over_tent(100, 400, 400), isolated=alone),
    Scene("cone", cone(80, 400), over_cone(80, 400), shapes=lambda _: "hill", isolated=lambda _: True, turns=NO_TURN),
    Scene("cone on whose flank the site is", cone(120, 600, 250), over_cone(120, 600, 250)),
)
