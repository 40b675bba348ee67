"""Scenes of land cover, with what rays at every angle cross: a hand's areas, and procedure 1 of A.2 upon them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.kernels.terrain.scenes import NO_TURN, TURNS, Field, Floats, Grid

# Arrays of these stay small: a scene has four million cells.
SEA, LAKE, MIRE, OPEN, ICE, FARM, ROAD, FOREST, TOWN, UNKNOWN = map(np.uint8, (82, 81, 60, 50, 70, 20, 12, 30, 11, 0))
FETCH, NEAR, FAR = 5000.0, 1000.0, 2000.0
END = 10_000.0
RAY = 0.1

Crossing = tuple[int, Floats, Floats]
"""Category, and from where to where along each ray, m."""
Rays = Callable[[Floats], list[Crossing]]


class Scene(NamedTuple):
    name: str
    codes: Field
    rays: Rays
    rest: int
    """Category of all that is in no crossing; -1 of what is unknown."""
    built: Field | None = None
    high: Field | None = None
    turns: tuple[int, ...] = TURNS


def shares(scene: Scene, angles: Floats, reach: float) -> Floats:
    """Of the categories 0 to 4 in the windows around angles from ahead, (5, angles)."""
    around = -180 + RAY * (np.arange(round(360 / RAY)) + 0.5)
    area = np.zeros((6, len(around)))
    for category, begin, end in scene.rays(around):
        area[category] += (np.minimum(end, reach) ** 2 - np.minimum(begin, reach) ** 2) / reach**2
    area[scene.rest] += 1 - area.sum(axis=0)
    window = np.arange(-150, 150) + np.round((angles[:, None] + 180) / RAY).astype(int)
    return area[:, window % len(around)].mean(axis=-1)[:5]


def category(scene: Scene, angles: Floats) -> tuple[NDArray, Floats]:
    """Of each angle, and how far the nearest share that decides is from 10 %."""
    near, far = shares(scene, angles, NEAR), shares(scene, angles, FAR)
    counted = np.array([far[0], *near[1:4]])
    smooth = counted > 0.10
    commonest = np.where(near.any(axis=0), near.argmax(axis=0), -1)
    found = np.where(smooth.any(axis=0), smooth.argmax(axis=0), commonest)
    return found, np.abs(counted - 0.10).min(axis=0)


def all_of(code: int) -> Field:
    return lambda ahead, _: np.full(ahead.shape, code, np.uint8)


def beyond(distance: float, code: float, here: float) -> Field:
    """Another cover from a straight line across."""
    return lambda ahead, _: np.where(ahead > distance, code, here)


def strip(begin: float, end: float, beyond: int) -> Field:
    """Sea ahead from one distance to another, forest before it."""
    return lambda ahead, _: np.where(ahead > end, beyond, np.where(ahead > begin, SEA, FOREST))


def to_line(angles: Floats, distance: float) -> Floats:
    """Along a ray to a straight line across; the end of the world where it runs away from it."""
    cosine = np.cos(np.radians(angles))
    return np.where(cosine > distance / END, distance / np.maximum(cosine, 1e-9), END)


def over_line(kind: int, distance: float) -> Rays:
    return lambda angles: [(kind, to_line(angles, distance), np.full(angles.shape, END))]


def sea_of(begin: Floats, end: Floats) -> list[Crossing]:
    """Category 0 where a ray crosses 5 km of it, else I."""
    wide = end - begin >= FETCH
    return [(0, begin, np.where(wide, end, begin)), (1, begin, np.where(wide, begin, end))]


def coast(distance: float) -> Rays:
    return lambda angles: sea_of(to_line(angles, distance), np.full(angles.shape, END))


def band(near: float, far: float) -> Rays:
    """Sea between two straight shores."""
    return lambda angles: sea_of(to_line(angles, near), to_line(angles, far))


def disc(radius: float, inside: int, outside: int, off: float = 0.0) -> Field:
    """Something round with its middle so far ahead."""
    return lambda ahead, right: np.where(np.hypot(ahead - off, right) < radius, inside, outside)


def out_of(angles: Floats, radius: float, off: float) -> Floats:
    """Along a ray, from within a disc to its rim."""
    turned = np.radians(angles)
    return off * np.cos(turned) + np.sqrt(radius**2 - (off * np.sin(turned)) ** 2)


def island(radius: float, off: float) -> Rays:
    return lambda angles: sea_of(out_of(angles, radius, off), np.full(angles.shape, END))


def patch(kind: int, radius: float) -> Rays:
    return lambda angles: [(kind, np.zeros(angles.shape), np.full(angles.shape, radius))]


def wedge(half: float, begin: float, code: int, here: int) -> Field:
    """Another cover ahead, to so many degrees to either side."""

    def codes(ahead: Grid, right: Grid) -> NDArray:
        return np.where(
            (np.abs(right) < np.tan(np.radians(half)) * ahead) & (np.hypot(ahead, right) > begin), code, here
        )

    return codes


def in_wedge(kind: int, half: float, begin: float) -> Rays:
    return lambda angles: [(kind, np.where(np.abs(angles) < half, begin, END), np.full(angles.shape, END))]


def skerries(width: float) -> Field:
    """Sea from 500 m ahead, with belts of rock around the site, one for every kilometre."""

    def codes(ahead: Grid, right: Grid) -> NDArray:
        far = np.hypot(ahead, right)
        return np.where(ahead < 500, FOREST, np.where((far > 1500) & ((far - 500) % 1000 < width), OPEN, SEA))

    return codes


def between_skerries(width: float, kind: int) -> Rays:
    """Belts of 150 m interrupt no fetch; those of 300 m do, and no stretch between them is 5 km long."""

    def rays(angles: Floats) -> list[Crossing]:
        shore = to_line(angles, 500)
        sea, rock = [], []
        for begin in range(500, 10_000, 1000):
            dry = width if begin > 500 else 0
            rock.append((2, np.maximum(shore, begin), np.maximum(shore, begin + dry)))
            first = np.maximum(shore, begin + dry)
            sea.append((kind, first, np.maximum(first, begin + 1000)))
        return sea + rock

    return rays


def chequers(low: float, high: float) -> Field:
    """Squares of 20 m, of one value and another."""
    return lambda ahead, right: np.where(
        ((ahead // 20).astype(np.int16) + (right // 20).astype(np.int16)) & 1, high, low
    )


def fields(ahead: Grid, right: Grid) -> NDArray:
    """Mire, ice, road and open ground, by quarters."""
    return np.where(ahead > 0, np.where(right > 0, MIRE, ICE), np.where(right > 0, ROAD, OPEN))


def no_rays(_: Floats) -> list[Crossing]:
    return []


def town(share: float, height: float) -> tuple[Field, Field]:
    return (lambda a, _: np.full(a.shape, share)), (lambda a, _: np.full(a.shape, height))


# Of mean heights, by area: 0.25 x 10 m and 0.15 x h, of which 14 and 16 m are the means.
MIXED = chequers(0.25, 0.15)
PARK = disc(280, FOREST, TOWN)

SCENES = (
    Scene("coast 0.5 km away", beyond(500, SEA, FOREST), coast(500), 3),
    Scene("coast 1 km away", beyond(1000, SEA, FOREST), coast(1000), 3),
    Scene("coast 1.8 km away", beyond(1800, SEA, FOREST), coast(1800), 3),
    Scene("coast 1.95 km away", beyond(1950, SEA, FOREST), coast(1950), 3),
    Scene("open sea", disc(60, OPEN, SEA), island(60, 0), 2, turns=NO_TURN),
    Scene("island", disc(1500, OPEN, SEA, 800), island(1500, 800), 2),
    Scene("fjord of 3 km", lambda a, _: np.where((a > 200) & (a < 3200), SEA, FOREST), band(200, 3200), 3),
    Scene("round bay", disc(2000, SEA, FOREST, 1000), lambda t: [(1, 0 * t, out_of(t, 2000, 1000))], 3),
    Scene("skerries", skerries(150), between_skerries(150, 0), 3),
    Scene("belts of islands", skerries(300), between_skerries(300, 1), 3),
    Scene("lake from 0.9 km", wedge(19.5, 900, LAKE, FOREST), in_wedge(1, 19.5, 900), 3),
    Scene("lake from 1.1 km", wedge(19.5, 1100, LAKE, FOREST), in_wedge(1, 19.5, 1100), 3),
    Scene("edge of a forest 0.8 km away", beyond(800, FARM, FOREST), over_line(2, 800), 3),
    Scene("edge of a forest 0.97 km away", beyond(970, FARM, FOREST), over_line(2, 970), 3),
    Scene("forest from 0.3 km", beyond(300, FOREST, FARM), over_line(3, 300), 2),
    Scene("farmland of 9 %", disc(300, FARM, FOREST), patch(2, 300), 3, turns=NO_TURN),
    Scene("farmland of 11 %", disc(332, FARM, FOREST), patch(2, 332), 3, turns=NO_TURN),
    Scene("farmland in a narrow wedge", wedge(3.6, 0, FARM, FOREST), in_wedge(2, 3.6, 0), 3),
    Scene("farmland in a narrower wedge", wedge(1.2, 0, FARM, FOREST), in_wedge(2, 1.2, 0), 3),
    Scene("open kinds of ground", fields, no_rays, 2),
    Scene("town of 14 %", beyond(300, FARM, TOWN), over_line(2, 300), 3, *town(0.14, 20)),
    Scene("town of 16 %", beyond(300, FARM, TOWN), over_line(2, 300), 4, *town(0.16, 20)),
    Scene("town of 14 m", beyond(300, FARM, TOWN), over_line(2, 300), 3, MIXED, chequers(10, 20.6667)),
    Scene("town of 16 m", beyond(300, FARM, TOWN), over_line(2, 300), 4, MIXED, chequers(10, 26)),
    Scene("high town with a park", PARK, patch(3, 280), 4, *town(0.3, 20), turns=NO_TURN),
    Scene("high town beyond a forest", beyond(500, TOWN, FOREST), over_line(4, 500), 3, *town(0.3, 20)),
    Scene("unknown from 0.2 km", beyond(200, UNKNOWN, FOREST), over_line(-1, 200), 3),
    Scene("unknown land", all_of(UNKNOWN), no_rays, -1, turns=NO_TURN),
)
