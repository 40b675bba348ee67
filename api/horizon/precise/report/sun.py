"""The sun's paths in the drawings of the sky: two solstices and an equinox, where they are seen and where not."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.horizon.profile import HorizonProfile
from api.horizon.sun_paths import pictured
from api.reports import svg

Floats = NDArray[np.float64]
Project = Callable[[Floats, Floats], Floats]
"""From azimuth and elevation, degrees (n,), to points (n, 2)."""


class Path(NamedTuple):
    """The sun's path of a day.

    Parameters
    ----------
    dates : month and day of the days that have it.
    colour : str
    azimuth, elevation : float64 (n,)
        By azimuth, from -1 degree on; NaN where the line is broken.
    seen : bool (n,)
        Above the horizon.
    hours : full hour (UTC+1), azimuth and elevation of each at which the sun is up.
    up_h, seen_h : float
        Hours that its centre stands above the horizontal plane, and above the horizon.
    """

    dates: list[tuple[int, int]]
    colour: str
    azimuth: Floats
    elevation: Floats
    seen: NDArray[np.bool_]
    hours: list[tuple[int, float, float]]
    up_h: float
    seen_h: float


class Number(NamedTuple):
    """The number of an hour, and where its middle is, points."""

    hour: int
    x: float
    y: float


def paths(result: Mapping[str, Any]) -> list[Path]:
    """Return the paths of midsummer, the equinoxes and midwinter over the horizon of an answer."""
    horizon = np.array(result["elevation_deg"], np.float64)
    profile = HorizonProfile(
        tier="rooftop",
        lat=result["lat"],
        lon=result["lon"],
        observer_z=result["observer_z_masl"],
        ground_z=result["dtm_ground_z_m"],
        elevation=horizon,
        distance=np.full(len(horizon), np.nan),
        data_origin=result["data_origin"],
    )
    march, june, september, december = pictured(profile)["sun"]
    chosen = ([june], svg.VERMILLION), ([march, september], svg.ORANGE), ([december], svg.BLUE)
    return [_path(days, colour, horizon) for days, colour in chosen]


def _path(days: list[dict[str, Any]], colour: str, horizon: Floats) -> Path:
    day = days[0]
    azimuth, elevation = np.array(day["azimuth"], np.float64), np.array(day["elevation"], np.float64)
    if day["up_h"] >= 24:  # round about: the line goes on past both edges
        azimuth = np.concatenate([azimuth[-1:] - 360, azimuth, azimuth[:1] + 360])
        elevation = np.concatenate([elevation[-1:], elevation, elevation[:1]])
    night = np.flatnonzero(np.diff(azimuth) > 10) + 1
    azimuth, elevation = np.insert(azimuth, night, np.nan), np.insert(elevation, night, np.nan)
    beyond = np.interp(azimuth, np.arange(horizon.size) * (360 / horizon.size), horizon, period=360.0)
    hours = [tuple(hour) for hour in day["hours"]]
    dates = [tuple(one["date"]) for one in days]
    return Path(dates, colour, azimuth, elevation, elevation > beyond, hours, day["up_h"], day["seen_h"])


def drawn(path: Path, project: Project) -> str:
    """Return a path as SVG: whole where the sun is seen, dashed where it is hidden, and a dot at each full hour."""
    xy = project(path.azimuth, path.elevation)
    seen = np.where(path.seen[:, None], xy, np.nan)
    places = [_place(project, azimuth, elevation) for _, azimuth, elevation in path.hours]
    dot = {"r": 1.7, "fill": path.colour, "stroke": svg.PAPER, "stroke_width": 0.5}
    return "".join(
        [
            svg.line(xy, svg.PAPER, 2.6, stroke_opacity=0.8),
            svg.line(xy, path.colour, 1.0, stroke_dasharray="2.5 1.8"),
            svg.line(seen, path.colour, 2.0),
            *(svg.tag("circle", "", cx=x, cy=y, **dot) for x, y in places),
        ]
    )


def numbers(path: Path, project: Project, away: Callable[[float, float], tuple[float, float]]) -> list[Number]:
    """Return the even hours of a path, and where they are written.

    Parameters
    ----------
    away : callable
        From where the sun is to the middle of its number.
    """
    even = [hour for hour in path.hours if hour[0] % 2 == 0]
    return [Number(hour, *away(*_place(project, azimuth, elevation))) for hour, azimuth, elevation in even]


def hours(written: Sequence[Number]) -> str:
    """Return numbers of hours as SVG."""
    return "".join(svg.haloed(x, y + 2.2, str(hour), 6.5) for hour, x, y in written)


def _place(project: Project, azimuth: float, elevation: float) -> tuple[float, float]:
    x, y = project(np.array([azimuth]), np.array([elevation]))[0].tolist()
    return x, y


def panel_plane(panel_az: float, tilt: float) -> tuple[Floats, Floats]:
    """Return the edge of the sky behind a panel: where its own plane cuts the sky.

    Parameters
    ----------
    panel_az, tilt : float
        Where the panel faces, and its angle with the level, degrees.

    Returns
    -------
    azimuth, elevation : float64 (n,)
        Degrees; below the edge the sky is behind the panel. NaN where it passes north.
    """
    turned = np.linspace(90, 270, 361)
    behind = -np.cos(np.radians(turned))
    behind[[0, -1]] = 0.0  # where the plane is level
    elevation = np.degrees(np.arctan2(np.sin(np.radians(tilt)) * behind, np.cos(np.radians(tilt))))
    azimuth = (panel_az + turned) % 360
    north = np.flatnonzero(np.diff(azimuth) < 0) + 1
    return np.insert(azimuth, north, np.nan), np.insert(elevation, north, np.nan)
