"""Labels hide neither modules nor each other."""

from itertools import combinations

import pytest
import shapely

from api.roof.drawing import dimensions, labels
from api.roof.drawing.svg import svg
from api.roof.drawing.view import HEIGHT, WIDTH, view_of
from tests.api.roof.drawing.drawings import huge_hall, made_labels, made_scene, scene_of, words_of
from tests.kernels.roof.layout import scenes


def placed_on(scene):
    return labels.place(scene, view_of(scene))


def modules_of(scene):
    view = view_of(scene)
    return shapely.union_all(
        [module for laid in scene.layout.surfaces for module in shapely.polygons(view.page(laid.modules))]
    )


def drains():
    """Drains so close to modules that some have no room for their name."""
    things = [scenes.thing(8 + 9 * i, 6 + 11 * j, 0.5, 0.5, "sluk", 0.0, "bilde") for i in range(6) for j in range(3)]
    return scene_of(scenes.flat(60, 40, things))


@pytest.mark.parametrize("seed", range(30))
def test_labels_hide_neither_each_other_nor_what_they_are_about(seed):
    scene, placed = made_scene(seed), made_labels(seed)
    numbers = [label.number for label in placed if label.kind == "surface"]
    assert sorted(numbers) == [surface.number for surface in scene.roof.surfaces]
    assert all(a.box.intersection(b.box).area < 1e-6 for a, b in combinations(placed, 2))
    assert all(shapely.box(0, 0, WIDTH, HEIGHT).covers(label.box) for label in placed)
    modules, roof = modules_of(scene), shapely.transform(scene.extent(), view_of(scene).page)
    texts = [label for label in placed if label.kind == "surface" and label.lines]
    assert not any(label.box.intersects(modules) for label in texts)
    assert not any(label.box.intersects(roof) for label in placed if label.kind == "dimension")


def test_surface_full_of_modules_has_its_text_outside_the_roof():
    scene = huge_hall()
    (label,) = (label for label in placed_on(scene) if label.kind == "surface")
    assert label.lines == ("flatt, 0°", "50\N{NO-BREAK SPACE}000 moduler · 32\N{NO-BREAK SPACE}500 kWp")
    roof = shapely.transform(scene.roof.outline, view_of(scene).page)
    assert not label.box.intersects(roof)
    assert roof.covers(shapely.Point(label.to))


def test_names_of_obstacles_do_not_lie_on_modules():
    scene = drains()
    names = [label for label in placed_on(scene) if label.kind == "obstacle"]
    modules = modules_of(scene)
    assert names
    assert not any(label.box.intersects(modules) for label in names)


def test_obstacle_without_room_for_its_name_has_the_letter_of_its_row_in_the_table():
    scene = drains()
    placed = placed_on(scene)
    assert {label.lines for label in placed if label.kind == "letter"} == {("A",)}
    assert len([label for label in placed if label.kind in ("letter", "obstacle")]) == 18
    said = words_of(svg(scene))
    assert said[said.index("18 × sluk: i takets plan, fra flyfoto") + 1] == "A"


def test_table_has_no_letters_where_the_plan_has_none():
    scene = scene_of(scenes.flat(40, 20, [scenes.thing(5, 5, 3, 2, "pipe", 1.2)]))
    assert "A" not in words_of(svg(scene))


@pytest.mark.parametrize("seed", range(30))
def test_dimensions_have_lines_that_cross_at_their_ends_only(seed):
    placed = [label for label in made_labels(seed) if label.kind == "dimension"]
    assert placed
    assert all(label.side for label in placed)
    lines = [label.middle for label in placed]
    assert not any(a.intersects(b) for a, b in combinations(lines, 2))
    assert not any(
        line.intersects(witness)
        for line, label in zip(lines, placed, strict=True)
        for other in placed
        if other is not label
        for witness in other.witnesses
    )


def test_teeth_of_an_edge_have_no_dimensions():
    teeth = [(x / 2, y) for x in range(8, 16) for y in ((0, 0.5) if x % 2 else (0.5, 0))]
    roof = scenes.flat(polygon=shapely.Polygon([(0, 0), *teeth, (12, 0), (12, 6), (0, 6)]))
    scene = scene_of(roof)
    view = view_of(scene)
    found = dimensions.sides(labels.board_of(scene, view).roof, view)
    assert min(side[2] for side in found) >= 1.0


def test_single_short_edge_has_a_dimension():
    scene = scene_of(scenes.flat(polygon=shapely.Polygon([(0, 0), (6, 0), (6, 4), (5.5, 4.6), (0, 4.6)])))
    said = [label.lines[0] for label in placed_on(scene) if label.kind == "dimension"]
    assert "0,8" in said


def test_both_long_sides_of_an_inner_corner_have_dimensions():
    scene = scene_of(scenes.flat(polygon=shapely.Polygon([(0, 0), (10, 0), (10, 4), (4, 4), (4, 9), (0, 9)])))
    said = [label.lines[0] for label in placed_on(scene) if label.kind == "dimension"]
    assert sorted(said) == ["10,0", "4,0", "4,0", "5,0", "6,0", "9,0"]
