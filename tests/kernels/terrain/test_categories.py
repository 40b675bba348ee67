"""Scenes of land cover, in 72 sectors and turned: categories exactly as a hand finds them."""

import numpy as np
import pytest

from kernels.terrain.roughness import KINDS, Around, around, categorize, outward
from tests.kernels.terrain import covers, scenes


@pytest.mark.parametrize(("scene", "turn"), scenes.turned(covers.SCENES))
def test_category_of_every_sector_is_that_of_a_hand(scene: covers.Scene, turn: int) -> None:
    """Shares are within 0.01 of the areas of the hand: rays lie half a degree apart, and cells are 10 m wide."""
    found = categorize(around(*scenes.land(scene.codes, scene.built, scene.high, turn)))
    angles = scenes.angles(turn)
    expected, margin = covers.category(scene, angles)
    wrong = [(int(angles[k]), int(found.category[k]), int(expected[k]), round(float(margin[k]), 4))
             for k in np.flatnonzero(found.category != expected)]  # fmt: skip
    assert wrong == []
    np.testing.assert_allclose(found.share[0], covers.shares(scene, angles, 2000)[0], atol=0.01)
    np.testing.assert_allclose(found.share[1:5], covers.shares(scene, angles, 1000)[1:], atol=0.01)


@pytest.mark.parametrize(("distance", "sectors"), [(500, 33), (1000, 25), (1800, 7)])
def test_straight_coast_makes_as_many_sectors_of_the_sea_as_published(distance: float, sectors: int) -> None:
    cover = scenes.land(covers.beyond(distance, covers.SEA, covers.FOREST))
    assert (categorize(around(*cover)).category == 0).sum() == sectors


def test_data_that_end_leave_the_rest_unknown() -> None:
    cover, site = scenes.land(covers.all_of(covers.FOREST))
    part = cover._replace(
        code=cover.code[:1200, :1000], built=cover.built[:1200, :1000], height=cover.height[:1200, :1000]
    )
    found = categorize(around(part, site))
    assert set(found.category.tolist()) == {3, -1}
    east, west = 18, 54
    assert (found.category[east], found.category[west]) == (-1, 3)
    np.testing.assert_allclose(found.share[:, [east, west]].sum(axis=0), 1)
    assert np.isfinite(found.share).all()


def test_all_kinds_are_told_apart_outward() -> None:
    """Rings of a kilometre, from the site out."""
    kinds = [kind for kind in KINDS if kind.name not in ("open_sea",)]
    codes = np.array([kind.code for kind in kinds], np.uint8)
    rings = scenes.land(lambda a, r: codes[np.minimum(np.hypot(a, r) // 1000, 9).astype(int)])
    found = outward(around(*rings), 11)
    assert [(one.kind, one.begin_m, one.end_m) for one in found] == [
        (kind.name, 1000 * i, 1000 * (i + 1)) for i, kind in enumerate(kinds)
    ]


def test_category_begins_where_its_cover_does() -> None:
    cover = scenes.land(covers.beyond(700, covers.FARM, covers.FOREST))
    found = categorize(around(*cover))
    assert found.category[0] == 2
    assert found.begins_m[0] == 700
    assert found.begins_m[36] == 0


@pytest.mark.parametrize(
    ("codes", "category", "unknown"),
    [
        pytest.param(covers.beyond(1200, covers.UNKNOWN, covers.FOREST), 3, True, id="sea may be 1.2 km away"),
        pytest.param(covers.beyond(2100, covers.UNKNOWN, covers.FOREST), 3, False, id="sea may be 2.1 km away"),
        pytest.param(covers.strip(500, 4000, covers.UNKNOWN), 1, True, id="sea of 3.5 km, and unknown beyond"),
        pytest.param(covers.strip(500, 4000, covers.FOREST), 1, False, id="fjord"),
        pytest.param(covers.strip(500, 6500, covers.UNKNOWN), 0, False, id="sea of 6 km, and unknown beyond"),
    ],
)
def test_what_may_be_open_sea_is_unknown(codes: scenes.Field, category: int, unknown: bool) -> None:
    found = categorize(around(*scenes.land(codes)))
    assert found.category[0] == category
    assert (found.unknown[0] > 0.05) == unknown
    assert found.unknown[36] == 0


@pytest.mark.parametrize(("share", "category"), [(0.10004, 3), (0.10006, 2)])
def test_a_share_counts_where_it_is_printed_as_more_than_a_tenth(share: float, category: int) -> None:
    area = np.zeros((len(KINDS), 72, 100))
    names = [kind.name for kind in KINDS]
    area[names.index("farmland")], area[names.index("forest")] = share, 1 - share
    nothing = np.zeros((72, 100))
    found = categorize(Around(area, *(nothing,) * 4))
    assert set(found.category.tolist()) == {category}
    assert found.share[2] == pytest.approx(round(share, 4), abs=1e-12)


def everywhere(value: float) -> scenes.Field:
    return lambda ahead, _: np.full(ahead.shape, value, np.float32)


@pytest.mark.parametrize(
    ("share", "height", "category", "nearly"),
    [(0.25, 20, 4, False), (0.16, 20, 4, True), (0.14, 20, 3, True), (0.25, 16, 4, True), (0.25, 14, 3, True),
     (0.08, 20, 3, False), (0.25, 9, 3, False)],
)  # fmt: skip
def test_towns_near_the_limits_of_iv_are_told(share: float, height: float, category: int, nearly: bool) -> None:
    area, unit = np.zeros((len(KINDS), 72, 100)), np.ones((72, 100))
    area[[kind.name for kind in KINDS].index("built_up")] = unit
    found = categorize(Around(area, share * unit, share * height * unit, 0 * unit, 0 * unit))
    assert set(found.category.tolist()) == {category}
    assert set(found.nearly_dense.tolist()) == {nearly}
    assert not found.unseen.any()


def test_buildings_that_are_not_known_neither_make_nor_spoil_a_town() -> None:
    town = covers.all_of(covers.TOWN)
    half = covers.beyond(0, np.nan, 0.2)  # those ahead of the site are not known
    found = categorize(around(*scenes.land(town, half, everywhere(20))))
    assert found.category[36] == 4
    assert not found.unseen[36]
    assert found.category[0] == 3
    assert found.unseen[0]
    assert found.begins_m[[0, 36]].tolist() == [0, 0]
    assert found.category[18] == 4, "half of the window is known, and dense"
    assert found.unseen[18]


def test_town_begins_at_the_site_where_its_buildings_are_those_of_the_whole_kilometre() -> None:
    dense_from_500_m = covers.disc(500, 0.05, 0.4)
    found = categorize(around(*scenes.land(covers.all_of(covers.TOWN), dense_from_500_m, everywhere(20))))
    assert set(found.category.tolist()) == {4}
    assert set(found.begins_m.tolist()) == {0}
