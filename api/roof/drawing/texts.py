"""Words and numbers of the drawing."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from api.reports.text import plain, without_breaks
from kernels.roof.layout.result import Reason, SurfaceLayout
from kernels.roof.roof import Obstacle, Surface

_LEVEL = 3.0
"""Tilt below which the direction of a fall means nothing, degrees."""

LEAST_HEIGHT = 0.05
"""Height below which an obstacle, such as a terrace, counts as level with the roof, m."""


@cache
def words() -> Mapping[str, Any]:
    """Return the texts of `words.toml`."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def foreign(text: str) -> str:
    """Return text of others in one line of letters that the font has."""
    return without_breaks(plain(text))


def number(value: float, digits: int = 1) -> str:
    """Return a number with a decimal comma; from 1000 without decimals, from 10 000 with a space."""
    text = f"{value:,.{digits if abs(value) < 1000 else 0}f}"
    return text.replace(",", "\N{NO-BREAK SPACE}" if abs(value) >= 10_000 else "").replace(".", ",")


def kwp(value: float) -> str:
    """Return a power with two decimals, from 10 000 without, kWp."""
    return number(value, 0) if value >= 10_000 else f"{value:.2f}".replace(".", ",")


def falls(surface: Surface) -> bool:
    """Say whether a surface has a direction of fall."""
    return surface.plane.tilt >= _LEVEL


def bearing(azimuth: float) -> str:
    """Return a direction such as `SV 214°`."""
    return f"{words()['compass'][round(azimuth / 45) % 8]} {round(azimuth) % 360}°"


def fall(surface: Surface) -> str:
    """Return tilt and fall, such as `38° mot SV 214°`."""
    tilt = f"{surface.plane.tilt:.0f}"
    if not falls(surface):
        return str(words()["flat"]).format(tilt=tilt)
    return str(words()["fall"]).format(tilt=tilt, where=bearing(surface.plane.azimuth))


def modules(laid: SurfaceLayout, power: float) -> str:
    """Return number and power (kWp) of a surface's modules."""
    key = "none" if not laid.count else "module" if laid.count == 1 else "modules"
    return str(words()[key]).format(count=number(laid.count, 0), kwp=kwp(power))


def obstacle(one: Obstacle, *, named: bool = True) -> str:
    """Return kind and height of an obstacle, or its height only; empty where neither is known."""
    kind = kind_of(one.kind) if named and one.kind != "annet" else ""
    height = (
        "" if one.height is None or one.height < LEAST_HEIGHT else words()["metres"].format(length=number(one.height))
    )
    return f"{kind} {height}".strip()


def kind_of(kind: str) -> str:
    """Return the name of a kind of obstacle."""
    return str(words()["kinds"].get(kind, kind))


def reason(why: Reason | None) -> str:
    """Return why a surface has no modules; empty if the layout says nothing of that."""
    return "" if why is None else str(words()["reasons"].get(why.key, ""))
