"""Panels, roof windows and materials in pictures: the simulator's with their truth, and roofs with nothing on them."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from shapely import Polygon, box

from infra.simulator.buildings.picture import picture
from infra.simulator.buildings.record import Building, buildings_in, objects_of, planes_of
from kernels.roof.image import Look, look
from kernels.roof.roof import Plane, Surface

Picture = NDArray[np.uint8]
KINDS = ("solceller", "overlys")


def buildings() -> list[Building]:
    """120 buildings on both sides of the first town."""
    return buildings_in(262_000, 6_649_000, 262_700, 6_649_700)[:120]


def surfaces_of(building: Building, off: tuple[float, float] = (0, 0)) -> list[Surface]:
    found = []
    for number, plane in enumerate(planes_of(building), 1):
        xy = plane.corners[:, :2] - (building.x, building.y)
        a, b, c = np.linalg.lstsq(np.column_stack([xy, np.ones(len(xy))]), plane.corners[:, 2], rcond=None)[0]
        found.append(Surface(number, Plane(float(a), float(b), float(c)), Polygon(xy + off)))
    return found


def photograph(building: Building, pixel: float) -> tuple[Picture, NDArray[np.float64]]:
    half = np.hypot(building.length, building.width) / 2 + 2
    steps = (np.arange(int(2 * half / pixel)) + 0.5) * pixel - half
    rgb = np.ascontiguousarray(picture(building.x + steps, building.y + steps, pixel)[::-1])
    return rgb, np.array([steps[0], steps[-1], pixel, 0, 0, -pixel])


def compressed(rgb: Picture, quality: int = 75) -> Picture:
    """As JPEG leaves it, with half of the colours' resolution."""
    _, body = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.ascontiguousarray(cv2.imdecode(body, cv2.IMREAD_COLOR)[..., ::-1])


def graded(building: Building, seen: Look) -> Iterator[tuple[str, str]]:
    """Kind and `right`, `wrong` or `missed`; right is half of the union of both."""
    truth = [
        (one.kind, Polygon(one.corners - (building.x, building.y))) for one in objects_of(building) if one.kind in KINDS
    ]
    for one in seen.obstacles:
        same = [
            known
            for known in truth
            if known[0] == one.kind and known[1].intersection(one.polygon).area > 0.5 * known[1].union(one.polygon).area
        ]
        yield one.kind, "right" if same else "wrong"
        truth = [known for known in truth if known not in same]
    yield from ((kind, "missed") for kind, _ in truth)


@pytest.mark.parametrize(
    ("pixel", "off", "quality"),
    [
        *(pytest.param(*case, marks=pytest.mark.slow) for case in [(0.1, 0, 0), (0.15, 0, 0), (0.2, 0, 0)]),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in [(0.1, 0.2, 75), (0.15, 0.2, 75)]),
        (0.2, 0.2, 85),
    ],
)
def test_panels_windows_and_materials_of_the_simulated_land_are_found(pixel: float, off: float, quality: int) -> None:
    random, counts, materials = np.random.default_rng(3), Counter[tuple[str, str]](), list[bool]()
    for building in buildings():
        rgb, axes = photograph(building, pixel)
        way = random.uniform(0, 2 * np.pi)
        surfaces = surfaces_of(building, (off * np.cos(way), off * np.sin(way)))
        seen = look(compressed(rgb, quality) if quality else rgb, axes, surfaces)
        assert seen.panels == any(one.kind == "solceller" for one in seen.obstacles)
        counts.update(graded(building, seen))
        materials.append(seen.material == building.material)
    for kind in KINDS:
        right, wrong, missed = (counts[kind, how] for how in ("right", "wrong", "missed"))
        assert right + missed >= 10
        assert right >= 0.9 * (right + wrong), counts
        assert right >= 0.8 * (right + missed), counts
    assert np.mean(materials) >= 0.9


def gable(tilt: float = 35.0, turn: float = 0.3) -> list[Surface]:
    """A roof of 14 x 10 m, its ridge turned."""
    slope, c, s = np.tan(np.radians(tilt)), np.cos(turn), np.sin(turn)
    return [
        Surface(number, Plane(float(sign * slope * s), float(-sign * slope * c), 0.0),
                Polygon(np.array([(-7, 0), (7, 0), (7, sign * 5), (-7, sign * 5)]) @ [[c, s], [-s, c]]))
        for number, sign in ((1, 1), (2, -1))
    ]  # fmt: skip


def plain(colour: tuple[int, int, int], seed: int = 0, noise: float = 6.0) -> tuple[Picture, Any, Any]:
    """Picture of grass and the gable with shaded northern half, noise and coarser stains; x and y of its pixels."""
    random = np.random.default_rng(seed)
    steps = np.arange(-10, 10, 0.1) + 0.05
    x, y = np.meshgrid(steps, steps[::-1])
    u, v = x * np.cos(0.3) + y * np.sin(0.3), y * np.cos(0.3) - x * np.sin(0.3)
    rgb = np.full((*x.shape, 3), (104.0, 128.0, 72.0))
    roof = (np.abs(u) < 7.2) & (np.abs(v) < 5.2)
    rgb[roof] = np.array(colour) * np.where(v[roof] > 0, 0.6, 1.0)[:, None]
    rgb[roof & (np.abs(v) < 0.12)] *= 0.75
    stains = cv2.resize(random.normal(0, noise, [-(-side // 5) for side in x.shape]), x.shape[::-1])
    return np.clip(rgb + random.normal(0, noise, x.shape)[..., None] + stains[..., None], 0, 255), u, v


AXES = np.array([-9.95, 9.95, 0.1, 0, 0, -0.1])
COLOURS = [(158, 82, 58), (98, 90, 88), (138, 146, 152), (60, 58, 58), (30, 32, 36), (60, 80, 110)]


def test_nothing_is_found_on_plain_roofs() -> None:
    for colour in COLOURS:
        for seed in range(2):
            rgb, u, v = plain(colour, seed=seed)
            u0, length = -6 + 2.0 * seed, 0.5 + 0.8 * seed
            scenes = {"plain": rgb.copy()}
            # of the ridge, of a chimney with the chimney itself, of a tree over the edge and the tree
            scenes["ridge"] = np.where(((v > 0) & (v < length))[..., None], rgb * 0.55, rgb)
            chimney = np.where(((np.abs(u - u0) < 0.35) & (np.abs(v + 2) < 0.35))[..., None], (150.0, 105.0, 95.0), rgb)
            scenes["chimney"] = np.where(
                ((u > u0 + 0.35) & (u < u0 + 1.6) & (np.abs(v + 2) < 0.35))[..., None], rgb * 0.5, chimney
            )
            crown = np.hypot(u - u0, v + 5.5) < 1.0 + 0.4 * seed
            scenes["crown"] = np.where(crown[..., None], (48.0, 74.0, 40.0), rgb)
            scenes["shade"] = np.where((np.hypot(u - u0, v - 5) < 2.2)[..., None], rgb * (0.5, 0.52, 0.58), rgb)
            for name, scene in scenes.items():
                for quality in (0, 40):
                    made = scene.astype(np.uint8)
                    seen = look(compressed(made, quality) if quality else made, AXES, gable())
                    assert not seen.obstacles, (colour, seed, name, quality, seen.obstacles)
                    assert not seen.panels


def test_ribs_and_seams_of_blue_metal_are_no_panels() -> None:
    for period in (0.25, 0.4, 0.6):
        rgb, u, _ = plain((26, 40, 72))
        rgb[(np.abs(u) < 7) & (np.abs(u) % period < 0.08)] += 50
        assert not look(rgb.astype(np.uint8), AXES, gable()).panels


def with_modules(rgb: Any, u: Any, v: Any, left: float, columns: int, rows: int) -> Picture:
    """Modules as they are seen from above, from 1 m below the ridge on the southern side."""
    across, along, size = -(v + 1), u - left, (1.13, 1.4)
    inside = (along > 0) & (along < columns * size[0]) & (across > 0) & (across < rows * size[1])
    frame = (along % size[0] < 0.06) | (across % size[1] < 0.06)
    rgb[inside] = np.where(frame[inside][:, None], (150.0, 155.0, 165.0), (28.0, 36.0, 62.0))
    return np.asarray(rgb.astype(np.uint8))


def test_two_arrays_of_modules_are_two_obstacles_and_windows_between_them_are_seen() -> None:
    rgb, u, v = plain((98, 90, 88), noise=3)
    rgb[(np.abs(u - 0.4) < 0.39) & (np.abs(v + 2.5) < 0.5)] = (34, 40, 50)
    with_modules(rgb, u, v, -6, 4, 2)
    seen = look(compressed(with_modules(rgb, u, v, 2.5, 3, 2)), AXES, gable())
    kinds = sorted((one.kind, round(float(one.polygon.area), 1)) for one in seen.obstacles)
    assert [kind for kind, _ in kinds] == ["overlys", "solceller", "solceller"]
    assert kinds[0][1] == pytest.approx(0.78, abs=0.2)
    assert [area for _, area in kinds[1:]] == pytest.approx([3 * 2 * 1.13 * 1.4, 4 * 2 * 1.13 * 1.4], rel=0.12)
    assert {one.source for one in seen.obstacles} == {"bilde"}
    assert {one.surface for one in seen.obstacles} == {2}
    assert {one.height for one in seen.obstacles} == {None}


def test_a_dark_blue_sheet_without_a_lattice_is_not_claimed() -> None:
    rgb, u, v = plain((98, 90, 88))
    rgb[(np.abs(u) < 3) & (np.abs(v + 2.5) < 1.5)] = (28, 36, 62)
    assert not look(rgb.astype(np.uint8), AXES, gable()).panels


def test_orientation_of_the_rows_of_a_picture_does_not_matter() -> None:
    rgb, u, v = plain((158, 82, 58))
    made = with_modules(rgb, u, v, -5, 6, 2)
    turned = AXES.copy()
    turned[1], turned[5] = -AXES[1], -AXES[5]
    first, second = look(made, AXES, gable()), look(np.ascontiguousarray(made[::-1]), turned, gable())
    assert first.panels
    assert first.obstacles[0].polygon.symmetric_difference(second.obstacles[0].polygon).area < 0.05
    assert first.material == "tegl"


def test_coarse_pixels_and_surfaces_outside_of_the_picture_claim_nothing() -> None:
    rgb, u, v = plain((158, 82, 58))
    made = with_modules(rgb, u, v, -5, 6, 2)
    coarse = look(made[::5, ::5].copy(), AXES * [1, 1, 5, 1, 1, 5], gable())
    assert not coarse.obstacles
    assert coarse.confidence < 0.5
    away = look(made, AXES, [Surface(1, Plane(0.0, 0.5, 0.0), box(100, 100, 110, 106))])
    assert away == Look((), False, None, 0.0)
    assert look(made, AXES, []) == Look((), False, None, 0.0)


def test_a_picture_of_30_m_takes_less_than_half_a_second() -> None:
    rgb = cv2.resize(plain((98, 90, 88))[0].astype(np.uint8), (300, 300))
    roof = [
        Surface(1, Plane(0.0, 0.4, 0.0), box(-14, 0, 14, 14)),
        Surface(2, Plane(0.0, -0.4, 0.0), box(-14, -14, 14, 0)),
    ]
    start = time.process_time()
    look(rgb, np.array([-14.95, 14.95, 0.1, 0, 0, -0.1]), roof)
    assert time.process_time() - start < 0.5
