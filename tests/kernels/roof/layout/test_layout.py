"""Each rule changes the number of modules the way it must."""

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import Polygon, box

from kernels.roof.layout.result import Reason
from kernels.roof.layout.rules import CLEARANCE_M, HEIGHT_M, Module, Options, Rules, rack_of
from kernels.roof.roof import Edge
from kernels.roof.shade import row_horizon
from tests.kernels.roof.layout.scenes import (
    falling,
    faults,
    flat,
    gable,
    hip,
    layout_of,
    roof_of,
    shed,
    surface,
    thing,
    turned,
)

WIDE = {"lane_interval_m": 200.0}


def counts(roof, options=None, **rules):
    return [laid.count for laid in layout_of(roof, options, **rules).surfaces]


def count(roof, options=None, **rules):
    return sum(counts(roof, options, **rules))


def kinds(found):
    return {zone.kind for zone in found.zones}


# Pitched roofs.


def test_a_gable_holds_what_a_hand_counts():
    """10 x 6 m on the slope less 0.3 m all around: 9.4 x 5.4 m, two portrait rows of 8."""
    roof = shed(10, 6 * math.cos(math.radians(25)), 25)
    assert counts(roof) == [16]
    assert counts(roof, pitched_orientation="portrait") == [16]
    assert counts(roof, pitched_orientation="landscape") == [3 * 4]


PITCHED = gable(14, 12, 15, [thing(4, 2), thing(9, 8)]), hip(16, 12, 15, [thing(8, 3)])
FLAT = (flat(30, 30, [thing(10, 12, 2, 2, height=1.5), thing(20, 8, 2, 2, height=1.0)]),)


def falls(found):
    return found == sorted(found, reverse=True) and found[-1] < found[0]


@pytest.mark.parametrize(
    ("rule", "values", "roofs"),
    [
        ("pitched_edge_setback_m", (0.0, 0.3, 0.8, 1.5, 5.0), PITCHED),
        ("ridge_setback_m", (0.0, 0.6, 1.2, 2.5), PITCHED),
        ("pitched_access_edge_m", (0.5, 1.0, 2.0, 3.5), PITCHED),
        ("protrusion_clearance_m", (0.0, 0.3, 1.0, 3.0), PITCHED),
        ("min_run_modules", (1, 2, 4, 6, 10), PITCHED),
        ("edge_setback_m", (0, 0.5, 1, 2, 5), FLAT),
        ("obstacle_north_factor", (0, 2, 5), FLAT),
        ("obstacle_ew_factor", (0, 2, 5), FLAT),
        ("obstacle_south_m", (0, 2, 5), FLAT),
    ],
)
def test_more_of_a_rule_never_adds_modules(rule, values, roofs):
    for roof in roofs:
        assert falls([count(roof, **{"min_run_modules": 1, rule: value}) for value in values])


def test_setbacks_are_measured_on_the_slope():
    """At 60 degrees 1 m on the slope is 0.5 m in plan."""
    found = layout_of(shed(10, 4, 60), pitched_edge_setback_m=1.0)
    west, south, east, north = found.surfaces[0].free.bounds
    assert (west, south, east, north) == pytest.approx((1, 0.5, 9, 3.5))
    assert found.usable_area == pytest.approx(8 * 6)
    assert found.gross_area == pytest.approx(10 * 8)
    assert sum(zone.area for zone in found.zones) == pytest.approx(10 * 8 - 8 * 6)


def test_ridge_setback_counts_only_where_both_sides_have_modules():
    both = layout_of(gable(tilt=18))
    one = layout_of(gable(tilt=35))
    assert "mone" in kinds(both)
    assert [laid.used for laid in one.surfaces] == [True, False]
    assert "mone" not in kinds(one)
    south = one.surfaces[0].free.bounds
    assert south[3] == pytest.approx(5 - 0.3 * math.cos(math.radians(35)))


def test_a_side_without_room_does_not_cost_the_other_side_its_ridge():
    narrow = surface(2, falling(18, 0, (0, 5, 6 + 5 * math.tan(math.radians(18)))),
                     [(0, 5), (12, 5), (12, 6), (0, 6)], ("ridge", "gable", "eave", "gable"), {0: 1})  # fmt: skip
    found = layout_of(roof_of(gable().surfaces[0], narrow))
    assert [laid.used for laid in found.surfaces] == [True, False]
    assert found.surfaces[1].reason == Reason("no_room")
    assert kinds(found) == {"kant_skraa"}


def test_access_is_kept_along_the_eave_of_the_side_with_least_sun():
    found = layout_of(gable())
    assert {zone.surface for zone in found.zones if zone.kind == "tilkomst"} == {2}
    east = layout_of(turned(gable(), 80))
    assert {zone.surface for zone in east.zones if zone.kind == "tilkomst"} == {2}
    assert "tilkomst" not in kinds(layout_of(gable(), pitched_access_edge=False))
    assert "tilkomst" not in kinds(layout_of(gable(tilt=35)))
    assert "tilkomst" not in kinds(layout_of(shed()))
    assert count(gable(14, 11), pitched_access_edge=False) > count(gable(14, 11))


def test_a_porch_without_room_does_not_take_the_access_away():
    porch = surface(3, falling(10, 180), [(2, -2), (3.5, -2), (3.5, 0), (2, 0)], ("eave", "gable", "wall", "gable"))
    roof = gable()
    found = layout_of(replace(roof, surfaces=(*roof.surfaces, porch)))
    assert {zone.surface for zone in found.zones if zone.kind == "tilkomst"} == {2}


def test_steep_surfaces_that_face_north_are_left_out():
    assert counts(gable(tilt=30), pitched_north_max_tilt_deg=29)[1] == 0
    assert counts(gable(tilt=30), pitched_north_max_tilt_deg=31)[1] > 0
    assert counts(shed(azimuth=61, tilt=60), pitched_north_max_tilt_deg=0)[0] > 0
    assert counts(shed(azimuth=59, tilt=60), pitched_north_max_tilt_deg=59)[0] == 0


def test_only_south_means_within_ninety_degrees():
    south = Options(south_only=True)
    assert [n > 0 for n in counts(hip(20, 16, 15), south)] == [True, True, False, True]
    assert counts(shed(azimuth=90), south)[0] > 0
    assert counts(shed(azimuth=89), south) == [0]
    assert layout_of(shed(azimuth=89), south).surfaces[0].reason == Reason("not_south")


def test_low_things_in_the_height_model_are_ignored_and_those_of_an_image_are_not():
    low, seen = thing(4, 2, height=0.25), thing(4, 2, height=0.05, source="bilde", kind="overlys")
    assert count(shed(obstacles=[low])) == count(shed())
    assert count(shed(obstacles=[low]), protrusion_min_m=0.2) < count(shed())
    assert count(shed(obstacles=[seen])) < count(shed())


def test_what_is_cut_out_of_a_roof_is_kept_free():
    terrace = thing(3, 1, 3, 2.5, kind="terrasse", height=0.0)
    roof = shed(obstacles=[terrace])
    assert count(roof) < count(shed())
    assert faults(roof, layout_of(roof), Rules()) == []


def test_a_surface_of_which_heights_show_too_little_gets_no_modules():
    roof = shed()
    unsure = replace(roof, surfaces=tuple(replace(one, confidence=0.2) for one in roof.surfaces))
    assert [(one.count, one.reason) for one in layout_of(unsure).surfaces] == [(0, Reason("unsure"))]


def test_clearance_is_that_of_the_kind():
    pipe = [thing(4.5, 2.5, kind="pipe")]
    found = layout_of(shed(obstacles=pipe), obstacle_clearance_m={"pipe": 1.0})
    zone = next(zone for zone in found.zones if zone.kind == "pipe")
    cos = math.cos(math.radians(20))
    assert zone.polygon.bounds == pytest.approx((3.5, 2.5 - cos, 6.1, 3.1 + cos), abs=0.01)
    few, many = (count(shed(obstacles=pipe), obstacle_clearance_m={"pipe": wide}) for wide in (2.0, 0.0))
    assert few < many
    assert Rules(obstacle_clearance_m={"pipe": 2.0}).clearance("sluk") == CLEARANCE_M["sluk"]
    assert len(CLEARANCE_M) == len(HEIGHT_M) == 16


def test_the_better_orientation_is_chosen():
    for depth in (3.2, 4.4, 5.6):
        roof = shed(10, depth)
        best = max(count(roof, pitched_orientation=one) for one in ("portrait", "landscape"))
        assert count(roof, pitched_orientation="auto") == best
    assert layout_of(shed(), pitched_orientation="landscape").surfaces[0].orientation == "landscape"


def test_the_clearance_of_things_unknown_is_that_of_protrusions_unless_it_is_given():
    things = [thing(4.5, 2.5)]
    usual, wide = count(shed(obstacles=things)), count(shed(obstacles=things), protrusion_clearance_m=2)
    assert wide < usual
    assert count(shed(obstacles=things), protrusion_clearance_m=2, obstacle_clearance_m={"annet": 0.1}) >= usual


def test_columns_that_need_not_align_hold_more_on_a_slant():
    slanted = surface(1, falling(10, 180), [(0, 0), (4.7, 0), (7.1, 9.9), (2.4, 9.9)], ("gable",) * 4)
    roof = roof_of(slanted)
    aligned, free = (layout_of(roof, align_columns=align, pitched_orientation="portrait") for align in (True, False))
    gain = free.count - aligned.count
    assert gain >= 0.1 * aligned.count
    assert free.surfaces[0].grid.per_column == ()
    assert aligned.surfaces[0].grid.warnings[-1] == Reason("shifted", (gain,))
    assert count(shed(), align_columns=False) == count(shed())


def test_rows_leave_a_wider_gap_around_a_thing_where_that_gains_a_tenth():
    split = shed(12, 6.4, 10, obstacles=[thing(1, 3.0, 10, 0.2, kind="kile")])
    laid = layout_of(split, pitched_orientation="portrait").surfaces[0]
    assert laid.grid.per_row == (9, 9)
    assert len(laid.grid.per_column) == 9
    assert not laid.grid.regular


def test_rows_follow_an_eave_askew_where_that_holds_more_and_say_so():
    """A rectangle whose measured fall is 8 degrees off: along its eave the grid is full."""
    points = [(0, 0), (10, 0), (10, 5.3), (0, 5.3)]
    for skew, alignment in ((8, "raft"), (-8, "raft"), (2, "takflate"), (0, "takflate")):
        one = surface(1, falling(15, 180 + skew), points, ("eave", "gable", "wall", "gable"))
        laid = layout_of(roof_of(one)).surfaces[0]
        assert laid.alignment == alignment
        assert (laid.reason is not None) == (alignment == "raft")
        if alignment == "raft":
            assert laid.reason.key == "eave"
            assert laid.reason.values[0] == pytest.approx(8, abs=0.5)
            assert laid.row_azimuth == pytest.approx(90, abs=0.5)
            assert laid.groups[0].azimuth == pytest.approx(180 + skew)


def test_surfaces_share_a_row_direction_unless_they_differ_too_much():
    def directions(off, **rules):
        south, north = gable(tilt=15).surfaces
        askew = surface(2, falling(15, off, (0, 5, 7.3)), shapely.get_coordinates(north.polygon)[:-1].tolist())
        return [laid.row_azimuth for laid in layout_of(roof_of(south, askew), **rules).surfaces]

    first, second = directions(3.0)
    assert first == pytest.approx(second, abs=1e-6)
    first, second = directions(3.0, common_row_direction=False)
    assert abs(first - second) == pytest.approx(3, abs=0.01)
    first, second = directions(8.0)
    assert abs(first - second) == pytest.approx(8, abs=0.01)


# Flat roofs.


@pytest.mark.parametrize("mounting", ["south", "east_west"])
@pytest.mark.parametrize(("length", "depth"), [(20.0, 10.0), (33.3, 17.7), (12.0, 28.0), (7.0, 4.0), (38.0, 38.0)])
@pytest.mark.parametrize("spacing", [None, 2.9])
def test_a_rectangle_holds_what_the_closed_form_says(mounting, length, depth, spacing):
    options = Options(mounting, "building", row_spacing=spacing, unit_spacing=spacing, rack_tilt=12)
    rack, module = rack_of(mounting, Module(), options), Module()
    for axis in (90.0, 0.0):
        along, across = (length - 2, depth - 2) if mounting == "south" else (depth - 2, length - 2)
        rows = math.floor((across - rack.depth) / rack.spacing + 1e-9) + 1 if across >= rack.depth else 0
        each = math.floor((along + 0.02) / (module.length + 0.02) + 1e-9)
        expected = rows * each * len(rack.modules)
        roof = flat(length, depth)
        found = layout_of(roof_of(*roof.surfaces, form="flatt", axis=axis), options, min_run_modules=1)
        assert found.count == expected


def test_a_roof_that_fits_its_racks_exactly_is_full():
    options = Options("east_west", row_azimuth=90.0)
    rack = rack_of("east_west", Module(), options)
    depth, length = 2 + rack.depth + 3 * rack.spacing, 2 + 5 * 2.402 - 0.02
    assert count(flat(length, depth), options) == 4 * 5 * 2
    assert count(flat(length, depth - 1e-3), options) == 3 * 5 * 2
    assert count(flat(length - 1e-3, depth), options) == 4 * 4 * 2


def test_spacing_follows_from_the_sun_or_the_maintenance_gap():
    assert rack_of("south", Module(), Options()).spacing == pytest.approx(1.852, abs=1e-3)
    assert rack_of("east_west", Module(), Options()).spacing == pytest.approx(2.434, abs=1e-3)
    tight = Options(row_spacing=1.2, unit_spacing=2.2, rack_tilt=5)
    for mounting in ("south", "east_west"):
        rack = rack_of(mounting, Module(650, 2.382, 1.5), tight)
        assert rack.spacing == rack.depth


@pytest.mark.parametrize(
    ("mounting", "name", "values"),
    [
        ("south", "row_spacing", (2.2, 2.8, 3.4, 4.0)),
        ("east_west", "unit_spacing", (2.2, 2.8, 3.4, 4.0)),
        ("south", "rack_tilt", (5, 10, 15, 20)),
    ],
)
def test_racks_farther_apart_are_fewer(mounting, name, values):
    assert falls([count(flat(20, 30), Options(mounting, **{name: value})) for value in values])


def test_east_west_racks_face_both_ways_and_south_racks_one():
    two = layout_of(flat(), Options("east_west", "compass", rack_tilt=8)).surfaces[0]
    assert [(group.tilt, group.azimuth) for group in two.groups] == [(8, 90), (8, 270)]
    assert len(two.groups[0].modules) == len(two.groups[1].modules)
    one = layout_of(flat(), Options("south", "compass")).surfaces[0]
    assert [(group.tilt, group.azimuth) for group in one.groups] == [(10, 180)]


def test_the_lower_edges_of_a_unit_are_outside():
    """The module that faces east stands on the east side."""
    east, west = layout_of(flat(5, 8), Options("east_west", "compass")).surfaces[0].groups
    assert (east.azimuth, west.azimuth) == (90, 270)
    assert east.modules[:, :, 0].mean() > west.modules[:, :, 0].mean()


def test_rows_follow_the_building_the_compass_or_what_is_asked():
    roof = turned(flat(30, 12), 20)

    def facing(mounting, direction, locked=None):
        laid = layout_of(roof, Options(mounting, direction, row_azimuth=locked)).surfaces[0]
        return [laid.row_azimuth, *(group.azimuth for group in laid.groups)]

    assert facing("south", "building") == pytest.approx([70, 160])
    assert facing("south", "compass") == pytest.approx([90, 180])
    assert facing("east_west", "building") == pytest.approx([160, 250, 70])
    assert facing("east_west", "compass") == pytest.approx([0, 90, 270])
    assert facing("south", "auto") == facing("south", "building")
    assert facing("south", "compass", 25.0) == pytest.approx([25, 115])


def test_auto_takes_the_compass_where_that_holds_more():
    """A building whose axis is 45 degrees off its outline."""
    askew = roof_of(*flat(14, 14).surfaces, form="flatt", axis=45.0)
    by = {way: count(askew, Options("south", way)) for way in ("building", "compass", "auto")}
    assert by["auto"] == by["compass"] > 1.05 * by["building"]


def test_auto_mounting_is_the_one_with_more_modules():
    for size in ((20, 10), (9, 5), (5, 4.2)):
        found = {one: count(flat(*size), Options(one)) for one in ("south", "east_west", "auto")}
        assert found["auto"] == max(found["south"], found["east_west"])


def test_a_flat_roof_that_slopes_a_little_is_laid_out_as_level():
    assert count(flat(20, 10, tilt=5.5)) == count(flat(20, 10))


def test_walkways_keep_fields_within_the_interval():
    roof = flat(70, 50)
    found = layout_of(roof, Options(row_azimuth=90.0), lane_interval_m=20.0, lane_width_m=1.5)
    lanes = next(zone for zone in found.zones if zone.kind == "gang")
    fields = shapely.get_parts(box(1, 1, 69, 49).difference(lanes.polygon))
    sides = np.array([np.subtract(f.bounds[2:], f.bounds[:2]) for f in fields])
    assert len(fields) == 4 * 3
    assert sides.max() <= 20
    modules = shapely.polygons(found.surfaces[0].modules)
    assert not shapely.intersects(lanes.polygon.buffer(-1e-3), modules).any()


def test_walkways_run_the_way_that_is_asked_and_only_where_needed():
    roof, east = flat(70, 30), Options(row_azimuth=90.0)
    across = {"lanes_along_rows": False}
    along = {"lanes_across_rows": False}
    assert "gang" in kinds(layout_of(roof, east, **across))
    assert "gang" not in kinds(layout_of(roof, east, **along))
    assert "gang" in kinds(layout_of(roof, Options(row_azimuth=0.0), **along))
    assert "gang" not in kinds(layout_of(flat(42, 42), east))
    assert "gang" in kinds(layout_of(flat(42.1, 42), east))
    assert "gang" not in kinds(layout_of(roof, east, lane_width_m=0.0))
    assert count(roof, east) < count(roof, east, **WIDE)


def test_walkways_cost_little_more_than_their_area():
    roof = flat(100, 100)
    found, without = layout_of(roof), layout_of(roof, **WIDE)
    lanes = sum(zone.area for zone in found.zones if zone.kind == "gang")
    assert 0.9 * (1 - lanes / without.usable_area) < found.count / without.count < 1


def test_shade_zones_reach_north_and_aside_by_height_and_south_by_metres():
    unit = thing(9, 9, 2, 2, kind="kjoleaggregat", height=2.0)
    rules = {"obstacle_north_factor": 2, "obstacle_ew_factor": 1, "obstacle_south_m": 0.5}
    found = layout_of(flat(20, 20, [unit]), **rules)
    zone = next(zone for zone in found.zones if zone.kind == "skygge")
    assert zone.polygon.bounds == pytest.approx((7, 8.5, 13, 15))
    assert zone.source == "hoydemodell"


def test_a_height_that_was_not_measured_is_that_of_the_kind():
    unseen = [thing(9, 9, 2, 2, kind="takoppbygg", height=None, source="bilde")]
    low, high = (count(flat(20, 20, unseen), obstacle_height_m={"takoppbygg": h}) for h in (0.0, 4.0))
    assert high < low


def test_a_higher_part_of_the_building_shades_the_roof_beside_it():
    low = surface(1, falling(0, 180, (0, 0, 4)), [(0, 0), (20, 0), (20, 10), (0, 10)],
                  ("gable", "gable", "wall", "wall"), {3: 2})  # fmt: skip
    high = surface(2, falling(0, 180, (0, 0, 6)), [(-10, 0), (0, 0), (0, 10), (-10, 10)])
    found = layout_of(roof_of(low, high, form="flatt"))
    shade = [zone for zone in found.zones if zone.kind == "skygge"]
    assert [zone.surface for zone in shade] == [1]
    assert shade[0].polygon.bounds == pytest.approx((0, 0, 1.4, 10))


@pytest.mark.parametrize(("level", "reach"), [(6, 4.3), (7, 5.8), (3, None)])
def test_an_obstacle_shades_the_surface_beside_its_own_by_its_height_above_it(level, reach):
    """A shaft of 3 m, 0.2 m south of a surface at 6 m, on one at another level."""
    north = surface(1, falling(0, 180, (0, 0, 6)), [(0, 0), (20, 0), (20, 10), (0, 10)])
    south = surface(2, falling(0, 180, (0, 0, level)), [(0, -10), (20, -10), (20, 0), (0, 0)])
    shaft = replace(thing(8, -3.2, 3, 3, kind="heissjakt", height=3.0), surface=2)
    found = layout_of(roof_of(north, south, obstacles=[shaft], form="flatt"))
    shade = [zone.polygon.bounds[3] for zone in found.zones if (zone.kind, zone.surface) == ("skygge", 1)]
    assert shade == ([] if reach is None else [pytest.approx(reach)])


def test_edges_without_kinds_are_kept_free_like_gables_and_courts_too():
    points = [(0, 0), (12, 0), (12, 6), (0, 6)]
    court = [(5, 2), (6, 2), (6, 3), (5, 3)]
    roof = roof_of(surface(1, falling(20, 180), points, holes=[court]))
    found = layout_of(roof)
    assert faults(roof, found, Rules()) == []
    assert shapely.distance(Polygon(court), shapely.polygons(found.surfaces[0].modules)).min() > 0.28


# Shade, sums, regularity.


def test_positions_with_more_shade_than_accepted_are_left_out_and_counted():
    def shade(points, tilt, azimuth, more):
        assert not more
        assert np.allclose(points[:, 2], 6 + points[:, 1] * math.tan(math.radians(20)))
        return np.where(points[:, 0] > 7, 0.2, 0.0)[None]

    whole, lit = layout_of(shed()), layout_of(shed(), shade=shade)
    assert lit.count < whole.count
    assert lit.surfaces[0].lost_to_shade == whole.count - lit.count
    assert lit.surfaces[0].modules.mean(axis=1)[:, 0].max() <= 7
    every = layout_of(shed(), shade=shade, shade_loss_max=0.2)
    assert every.count == whole.count
    assert [one.surfaces[0].shade for one in (whole, lit, every)] == [
        None, 0, pytest.approx(0.2 * (1 - lit.count / whole.count))
    ]  # fmt: skip
    dark = layout_of(shed(), shade=lambda *a: np.ones((1, len(a[0])))).surfaces[0]
    assert (dark.count, dark.reason, dark.lost_to_shade) == (0, Reason("shade"), whole.count)


def test_an_east_west_unit_is_left_out_if_either_module_is_shaded():
    both = layout_of(flat(), shade=lambda p, tilt, azimuth, more: np.full((2, len(p)), 0.5 * (azimuth < 180)))
    assert both.count == 0


def by_rows(points, tilt, azimuth, more):
    """Shade of the racks in front alone."""
    return np.repeat([[0.0], *([one.max() / 100] for one in more)], len(points), axis=1)


def rows_of(group):
    """How far ahead each row stands, the first one first."""
    azimuth = math.radians(group.azimuth)
    return sorted({round(x, 3) for x in group.modules.mean(axis=1) @ [math.sin(azimuth), math.cos(azimuth)]})[::-1]


@pytest.mark.parametrize(("mounting", "tilt", "spacing"), [("south", 20, 1.2), ("east_west", 20, 2.3)])
def test_rows_that_shade_each_other_too_much_are_left_out_in_turn(mounting, tilt, spacing):
    options = Options(mounting, row_spacing=spacing, unit_spacing=spacing, rack_tilt=tilt)
    most = by_rows([[0]], tilt, 180, [row_horizon(tilt, 180, 1.134, spacing)])[1, 0]
    whole = layout_of(flat(), options, by_rows, shade_loss_max=most)
    half = layout_of(flat(), options, by_rows, shade_loss_max=most - 1e-6)
    rows, left = (rows_of(one.surfaces[0].groups[0]) for one in (whole, half))
    assert len(rows) > 3
    assert left == rows[::2]
    assert half.surfaces[0].lost_to_shade == whole.count - half.count
    assert (half.surfaces[0].shade, half.surfaces[0].spacing) == (0, spacing)
    assert 0.5 * most < whole.surfaces[0].shade < most


def test_obstacles_of_a_surface_without_room_are_told():
    roof = shed(4, 3, obstacles=[thing(1, 0.8, 2, 1.2, "solceller", 0.0)])
    found = layout_of(roof)
    assert (found.count, found.surfaces[0].reason, found.surfaces[0].grid.obstacles) == (0, Reason("no_room"), 1)
    assert [zone.kind for zone in found.zones] == ["solceller"]


def test_a_flat_surface_in_the_shade_of_a_shaft_on_another_says_so():
    annex = surface(1, falling(0, 180, (0, 0, 6)), [(0, 0), (9, 0), (9, 5), (0, 5)])
    main = surface(2, falling(0, 180, (0, 0, 6)), [(0, -12), (9, -12), (9, 0), (0, 0)])
    shaft = replace(thing(0, -2, 9, 2, kind="heissjakt", height=4.0), surface=2)
    found = layout_of(roof_of(annex, main, obstacles=[shaft], form="flatt"))
    assert (found.surfaces[0].count, found.surfaces[0].grid.obstacles) == (0, 1)
    assert [zone.kind for zone in found.zones if zone.surface == 1] == ["heissjakt", "skygge"]


def test_sums_are_those_of_the_modules():
    found = layout_of(gable(14, 12, 15), module=Module(400, 1.7, 1.1))
    assert found.kwp == pytest.approx(found.count * 0.4)
    assert found.module_area == pytest.approx(found.count * 1.87)
    racks = [layout_of(flat(), Options(mounting=mounting)) for mounting in ("east_west", "south")]
    for laid in (one for each in (found, *racks) for one in each.surfaces):
        assert sum(laid.grid.per_row) == sum(laid.grid.per_column) == laid.count
    for laid in found.surfaces:
        plan = shapely.area(shapely.polygons(laid.modules))
        assert plan == pytest.approx(1.87 * math.cos(math.radians(15)))


def test_a_full_rectangle_is_regular_and_a_triangle_without_obstacles_warns():
    full = layout_of(shed()).surfaces[0].grid
    assert (full.regular, full.rectangularity, full.warnings) == (True, 1.0, ())
    assert full.per_row == (8,) * len(full.per_row)
    triangle = surface(1, falling(20, 180), [(0, 0), (14, 0), (7, 9)], ("eave", "hip", "hip"))
    grid = layout_of(roof_of(triangle)).surfaces[0].grid
    assert not grid.regular
    assert Reason("irregular") in grid.warnings
    hidden = layout_of(roof_of(triangle, obstacles=[thing(6.7, 1)])).surfaces[0].grid
    assert hidden.obstacles == 1
    assert Reason("irregular") not in hidden.warnings


def test_a_roof_without_surfaces_or_room_has_no_modules():
    assert layout_of(flat(2.5, 2.5)).count == 0
    assert layout_of(shed(1, 1)).surfaces[0].modules.shape == (0, 4, 2)
    assert not layout_of(flat(1.5, 1.5)).surfaces[0].used


def test_an_edge_of_no_length_is_no_fault():
    one = shed().surfaces[0]
    twice = surface(
        1, one.plane, shapely.get_coordinates(one.polygon)[:-1].tolist(), ("eave", "gable", "wall", "gable")
    )
    point = Edge((0.0, 0.0), (0.0, 0.0), "gable")
    roof = roof_of(twice.__class__(1, one.plane, one.polygon, (*twice.edges, point)))
    assert count(roof) == count(shed())
