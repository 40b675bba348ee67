"""The picture of a horizon: what hides the sky all around, and the sun's paths at the solstices and equinoxes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from api.pictures.canvas import FAINT, GRID, HEIGHT, INK, blank, foot, heading, legend, plain, png
from api.pictures.figures import NBSP, short

Floats = NDArray[np.float64]

_TOP, _BOTTOM = 172, 84
TERRAIN, NEAR = "#b9b9b9", "#6e6e6e"
_MONTHS = {3: "Mar", 6: "Jun", 9: "Sep", 12: "Dec"}
_COMPASS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW", "N")
_TICKS = (-10, -5, -2, 0, 2, 5, 10, 15, 20, 30, 40, 50, 60, 75, 90)
# Around 0 the scale is even, then it closes up like a logarithm: hills of two degrees show under a sun of fifty.
_EVEN = 6.0
_LOWEST = -10.0


class Path(NamedTuple):
    """A path of the sun, or two that lie on each other; colours (Okabe and Ito) that the colour-blind tell apart."""

    days: tuple[Mapping[str, Any], ...]
    colour: str

    @property
    def label(self) -> str:
        """The days, and how long the sun is seen."""
        day, names = self.days[0], ", ".join(map(_name, self.days))
        if day["up_h"] == 0:
            return f"{names}: the sun does not rise"
        up = "does not set" if day["up_h"] >= 24 else f"is up {day['up_h']:.1f}{NBSP}h"
        seen = "hidden all the time" if day["seen_h"] == 0 else f"seen {day['seen_h']:.1f}{NBSP}h"
        return f"{names}: the sun {up}, {seen}"


def _name(day: Mapping[str, Any]) -> str:
    month, number = day["date"]
    return f"{number}{NBSP}{_MONTHS[month]}"


def draw(data: Mapping[str, Any]) -> bytes:
    """Draw the picture.

    Parameters
    ----------
    data : mapping
        From `api.horizon.sun_paths.pictured`.

    Returns
    -------
    bytes
        PNG of WIDTH x HEIGHT; the same data give the same bytes.
    """
    return png(chart(data))


def chart(data: Mapping[str, Any]) -> Figure:
    """Return the picture of what `draw` is given, before it becomes a PNG."""
    figure = blank()
    axes = figure.add_axes((0.06, _BOTTOM / HEIGHT, 0.92, (HEIGHT - _TOP - _BOTTOM) / HEIGHT))
    horizon = np.array(data["elevation"])
    found = paths(data["sun"])
    _scale(axes, *limits(horizon, found))
    alone = data["near_alone_m"] is not None
    _silhouette(axes, horizon, data["near"], alone=alone)
    for path in found:
        for day in path.days:
            _path(axes, day, path.colour, horizon)
        _hours(axes, path)
    # what stands above, of which nothing more is drawn
    for path in found:
        axes.plot([], [], color=path.colour, linewidth=2.2, label=path.label)
    legend(axes, loc="lower left", bbox_to_anchor=(-0.055, 1.0), ncols=3, handlelength=1.4, columnspacing=1.6)
    _heading(figure, data)
    return figure


def paths(sun: Sequence[Mapping[str, Any]]) -> list[Path]:
    """Return the paths of four days, from above: those of the equinoxes lie on each other."""
    march, june, september, december = sun
    return [Path((june,), "#d55e00"), Path((march, september), "#e69f00"), Path((december,), "#0072b2")]


def limits(horizon: Floats, found: Sequence[Path]) -> tuple[float, float]:
    """Return the elevations between which all is seen, degrees."""
    highest = max(*(day["highest"] for path in found for day in path.days), float(horizon.max()))
    lowest = min(float(horizon.min()), 0.0)
    return max(lowest - 0.5, _LOWEST), min(highest * 1.12 + 1.0, 91.0)


def _scale(axes: Axes, low: float, high: float) -> None:
    plain(axes)
    axes.set_yscale("function", functions=(lambda e: np.arcsinh(e / _EVEN), lambda height: _EVEN * np.sinh(height)))
    axes.set_xlim(0, 360)
    axes.set_ylim(low, high)
    axes.set_xticks(np.arange(0, 361, 45), [f"{name}\n{45 * i}°" for i, name in enumerate(_COMPASS)])
    shown = [tick for tick in _TICKS if low <= tick <= high]
    axes.set_yticks(shown, [f"{short(tick, 0)}°" for tick in shown])
    axes.set_yticks([], minor=True)
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.spines["bottom"].set_visible(False)
    axes.axhline(0, color=FAINT, linewidth=0.8, zorder=3)


def _silhouette(axes: Axes, horizon: Floats, near: Sequence[float] | None, *, alone: bool) -> None:
    azimuth = np.linspace(0, 360, len(horizon) + 1)
    floor = axes.get_ylim()[0]
    whole = np.append(horizon, horizon[0])
    axes.fill_between(azimuth, floor, np.maximum(whole, floor), color=TERRAIN, linewidth=0, zorder=2,
                      label=None if alone else "Terrain")  # fmt: skip
    if near is not None:
        own = np.array([*near, near[0]], dtype=float)
        hidden = np.maximum(whole, floor) if alone else np.where(own > 0, np.minimum(own, whole), floor)
        axes.fill_between(azimuth, floor, hidden, facecolor=NEAR, edgecolor="white", hatch="//", linewidth=0,
                          zorder=2.5, label="Near by: buildings, trees, ground")  # fmt: skip
    axes.plot(azimuth, whole, color=INK, linewidth=1.0, zorder=4)


def _path(axes: Axes, day: Mapping[str, Any], colour: str, horizon: Floats) -> None:
    """Draw what is seen of a path in full, and what is hidden in dashes."""
    azimuth, elevation = np.array(day["azimuth"]), np.array(day["elevation"])
    if not len(azimuth):
        return
    if day["up_h"] >= 24:  # round about: the line goes on past both edges
        azimuth = np.concatenate([azimuth[-1:] - 360, azimuth, azimuth[:1] + 360])
        elevation = np.concatenate([elevation[-1:], elevation, elevation[:1]])
    elsewhere = np.flatnonzero(np.diff(azimuth) > 10) + 1  # in the north, where it is night
    azimuth, elevation = np.insert(azimuth, elsewhere, np.nan), np.insert(elevation, elsewhere, np.nan)
    beyond = np.interp(azimuth, np.arange(len(horizon)) * (360 / len(horizon)), horizon, period=360.0)
    seen = elevation > beyond
    # on a white line: among the hatching of what is near nobody would find the dashes
    axes.plot(azimuth, elevation, color="white", linewidth=2.6, alpha=0.75, zorder=4.5)
    axes.plot(azimuth, elevation, color=colour, linewidth=1.2, linestyle=(0, (3, 2)), zorder=5)
    axes.plot(azimuth, np.where(seen, elevation, np.nan), color=colour, linewidth=2.2, zorder=6)


def _hours(axes: Axes, path: Path) -> None:
    for hour, azimuth, elevation in path.days[0]["hours"]:
        axes.plot([azimuth], [elevation], "o", color=path.colour, markersize=4, zorder=7)
        axes.annotate(str(hour), (azimuth, elevation), (0, 5), textcoords="offset points", ha="center", fontsize=8,
                      color=INK, zorder=8, annotation_clip=True,
                      bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7},
                      )  # fmt: skip


def _heading(figure: Figure, data: Mapping[str, Any]) -> None:
    place = data["lat"], data["lon"]
    heading(figure, "Horizon", place, (_heights(data), _data(data)), data_origin=data["data_origin"])
    if data["ends"]:
        foot(figure, f"{data['ends']}: what stands beyond is missing", up=32)
    foot(
        figure,
        "Azimuth from true north",
        f"hours in UTC+1, at the equinoxes those of {_name(data['sun'][0])}",
        "dashed: hidden",
        "elevations close up above a few degrees",
    )


def _heights(data: Mapping[str, Any]) -> list[str]:
    ground, eye = data["ground_z"], data["observer_z"]
    words = ["ground height not known" if ground is None else f"Ground {short(ground, 1)} m above the sea"]
    if eye is not None:
        words.append(f"eye {short(eye, 1)} m" if ground is None else f"eye {short(eye - ground, 1)} m over the ground")
    return words


def _data(data: Mapping[str, Any]) -> list[str]:
    years = [("terrain model", data["dtm_year"])]
    if data["tier"] == "terrain":
        words = ["Terrain alone"]
    else:
        near = data["near_alone_m"]
        words = ["Terrain, buildings, trees" if near is None else f"Near field ({near:g} m) alone"]
        years.append(("surface model", data["dom_year"]))
    words += [f"{name} of {'unknown year' if year is None else year}" for name, year in years]
    if data["tile_key"] is not None:
        words.append(f"tile {data['tile_key']}")
    return [*words, f"{data['data_origin']} data"]
