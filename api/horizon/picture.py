"""The picture of a horizon: what hides the sky all around, and the sun's paths at the solstices and equinoxes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from api.pictures import look
from api.pictures.figures import NBSP, short
from api.pictures.look import BETWEEN, DPI, FAINT, GRID, HEIGHT, INK, WIDTH, write

mpl.rcdefaults()
mpl.rcParams.update(look.SETTINGS)

Floats = NDArray[np.float64]

_TOP, _BOTTOM = 172, 84
TERRAIN, NEAR = "#b9b9b9", "#6e6e6e"
_MONTHS = {3: "Mar", 6: "Jun", 9: "Sep", 12: "Dec"}
_COMPASS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW", "N")
_TICKS = (-10, -5, -2, 0, 2, 5, 10, 15, 20, 30, 40, 50, 60, 75, 90)
_NEAR_BY = "Near by: buildings, trees, ground"
# Around 0 the scale is even, then it closes up like a logarithm: hills of two degrees show under a sun of fifty.
_EVEN = 6.0
_LOWEST = -10.0


class Path(NamedTuple):
    """A path of the sun, or two that lie on each other; colours (Okabe and Ito) that the colour-blind tell apart."""

    days: tuple[Mapping[str, Any], ...]
    colour: str

    @property
    def names(self) -> str:
        """The days."""
        return ", ".join(f"{day['date'][1]}{NBSP}{_MONTHS[day['date'][0]]}" for day in self.days)

    @property
    def label(self) -> str:
        """The days, and how long the sun is seen."""
        day = self.days[0]
        if day["up_h"] == 0:
            return f"{self.names}: the sun does not rise"
        up = "does not set" if day["up_h"] >= 24 else f"is up {day['up_h']:.1f}{NBSP}h"
        if day["seen_h"] == 0:
            return f"{self.names}: the sun {up}, hidden all the time"
        return f"{self.names}: the sun {up}, seen {day['seen_h']:.1f}{NBSP}h"


def draw(data: Mapping[str, Any]) -> bytes:
    """Draw the picture.

    Parameters
    ----------
    data : mapping
        From `api.horizon.drawing.pictured`.

    Returns
    -------
    bytes
        PNG of WIDTH x HEIGHT; the same data give the same bytes.
    """
    return look.png(chart(data))


def chart(data: Mapping[str, Any]) -> Figure:
    """Return the picture of what `draw` is given, before it becomes a PNG."""
    figure = Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor="white")
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
    _legend(axes, found, far=not alone, near=data["near"] is not None)
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
    axes.set_yscale("function", functions=(_pressed, _stretched))
    axes.set_xlim(0, 360)
    axes.set_ylim(low, high)
    axes.set_xticks(np.arange(0, 361, 45), [f"{name}\n{45 * i}°" for i, name in enumerate(_COMPASS)])
    shown = [tick for tick in _TICKS if low <= tick <= high]
    axes.set_yticks(shown, [f"{short(tick, 0)}°" for tick in shown])
    axes.set_yticks([], minor=True)
    axes.set_axisbelow(True)
    axes.grid(color=GRID, linewidth=0.8)
    axes.tick_params(length=0, labelcolor=INK)
    axes.spines[["top", "left", "right", "bottom"]].set_visible(False)
    axes.axhline(0, color=FAINT, linewidth=0.8, zorder=3)


def _pressed(elevation: Floats) -> Floats:
    pressed: Floats = np.arcsinh(elevation / _EVEN)
    return pressed


def _stretched(height: Floats) -> Floats:
    stretched: Floats = _EVEN * np.sinh(height)
    return stretched


def _silhouette(axes: Axes, horizon: Floats, near: Sequence[float] | None, *, alone: bool) -> None:
    azimuth = np.linspace(0, 360, len(horizon) + 1)
    floor = axes.get_ylim()[0]
    whole = _closed(horizon)
    axes.fill_between(azimuth, floor, np.maximum(whole, floor), color=TERRAIN, linewidth=0, zorder=2)
    if near is not None:
        own = _closed(np.array(near, dtype=float))
        hidden = np.maximum(whole, floor) if alone else np.where(own > 0, np.minimum(own, whole), floor)
        axes.fill_between(azimuth, floor, hidden, facecolor=NEAR, edgecolor="white", hatch="//", linewidth=0,
                          zorder=2.5)  # fmt: skip
    axes.plot(azimuth, whole, color=INK, linewidth=1.0, zorder=4)


def _closed(values: Floats) -> Floats:
    return np.append(values, values[0])


def _path(axes: Axes, day: Mapping[str, Any], colour: str, horizon: Floats) -> None:
    """Draw what is seen of a path in full, and what is hidden in dashes."""
    azimuth, elevation = np.array(day["azimuth"]), np.array(day["elevation"])
    if not len(azimuth):
        return
    if day["up_h"] >= 24:  # round about: the line goes on past both edges
        azimuth = np.concatenate([azimuth[-1:] - 360, azimuth, azimuth[:1] + 360])
        elevation = np.concatenate([elevation[-1:], elevation, elevation[:1]])
    elsewhere = np.diff(azimuth) > 10  # in the north, where it is night
    azimuth = np.insert(azimuth, np.flatnonzero(elsewhere) + 1, np.nan)
    elevation = np.insert(elevation, np.flatnonzero(elsewhere) + 1, np.nan)
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


def _legend(axes: Axes, found: Sequence[Path], *, far: bool, near: bool) -> None:
    for path in found:
        axes.plot([], [], color=path.colour, linewidth=2.2, label=path.label)
    if far:
        axes.fill_between([], [], [], color=TERRAIN, label="Terrain")
    if near:
        axes.fill_between([], [], [], facecolor=NEAR, edgecolor="white", hatch="//", label=_NEAR_BY)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.055, 1.0), ncols=3, frameon=False, fontsize=9.5,
                handlelength=1.4, handleheight=1.0, columnspacing=1.6, handletextpad=0.5)  # fmt: skip


def _heading(figure: Figure, data: Mapping[str, Any]) -> None:
    write(figure, 36, f"Horizon at {look.place(data['lat'], data['lon'])}", size=15, weight="bold")
    write(figure, 64, BETWEEN.join(_heights(data)), size=10)
    write(figure, 86, BETWEEN.join(_data(data)), size=10, colour=FAINT)
    if data["data_origin"] != "live":
        look.simulated(figure)
    notes = [
        "Azimuth from true north",
        f"hours in UTC+1, at the equinoxes those of {Path(tuple(data['sun'][:1]), '').names}",
        "dashed: hidden",
        "elevations close up above a few degrees",
    ]
    if data["ends"]:
        write(figure, HEIGHT - 32, f"{data['ends']}: what stands beyond is missing", size=9, colour=FAINT)
    write(figure, HEIGHT - 14, BETWEEN.join(notes), size=9, colour=FAINT)


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
