"""The drawing shows all that it should, within its sheet."""

import re
import time
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
import shapely

from api.reports.metrics import width
from api.roof.drawing import labels, texts
from api.roof.drawing.style import colour_of
from api.roof.drawing.svg import svg
from api.roof.drawing.view import HEIGHT, PLAN, WIDTH, view_of
from kernels.roof.layout.rules import Options
from tests.api.roof.drawing.drawings import huge_hall, made_scene, modules_of, scene_of, words_of
from tests.kernels.roof.layout import scenes

_TEXT = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)" text-anchor="(\w+)"([^>]*)>([^<]*)</text>')


def in_order(corners):
    return corners[np.lexsort(corners.mean(axis=1).T)]


@pytest.mark.parametrize("seed", [3, 4, 33, 35])
def test_every_module_is_drawn_where_it_stands(seed):
    scene = made_scene(seed)
    view = view_of(scene)
    wanted = view.page(np.concatenate([laid.modules for laid in scene.layout.surfaces]))
    drawn = modules_of(svg(scene))
    assert len(drawn) == scene.layout.count > 0
    assert np.abs(in_order(drawn) - in_order(wanted)).max() < 0.02


def test_a_metre_of_the_roof_is_a_metre_at_the_scale_of_the_sheet():
    view = view_of(scene_of(scenes.gable()))
    ends = view.page(np.array([[0.0, 0.0], [1.0, 0.0]]))
    millimetres = np.diff(ends[:, 0])[0] * 420 / WIDTH
    assert millimetres == pytest.approx(1000 / view.denominator)


def test_labels_of_many_thin_surfaces_and_obstacles_do_not_overlap():
    falling = [scenes.falling(25, azimuth) for azimuth in (10, 190)]
    strips = [
        scenes.surface(i + 1, falling[i % 2], [(3 * i, 0), (3 * i + 3, 0), (3 * i + 3, 40), (3 * i, 40)])
        for i in range(36)
    ]
    things = [scenes.thing(2.5 * i, 4 * (i % 9), 1, 1) for i in range(40)]
    scene = scene_of(scenes.roof_of(*strips, obstacles=things))
    placed = labels.place(scene, view_of(scene))
    assert sum(label.kind == "surface" for label in placed) == 36
    assert all(a.box.intersection(b.box).area < 1e-6 for a, b in combinations(placed, 2))


def test_label_of_a_large_surface_lies_inside_it():
    scene = scene_of(scenes.gable(16, 12))
    view = view_of(scene)
    placed = {label.number: label for label in labels.place(scene, view) if label.kind == "surface"}
    for surface in scene.roof.surfaces:
        assert shapely.transform(surface.polygon, view.page).covers(placed[surface.number].box)


def test_surfaces_are_named_by_tilt_and_fall():
    scene = scene_of(scenes.gable(16, 12, 38, turn=-34))
    assert "38° mot SV 214°" in words_of(svg(scene))
    assert "38° mot NØ 34°" in words_of(svg(scene))


def test_flat_surfaces_have_no_direction_of_fall():
    said = words_of(svg(scene_of(scenes.flat())))
    assert "flatt, 0°" in said
    assert not any("mot N 0°" in words for words in said)


def test_dimensions_name_all_sides_of_a_rectangle():
    scene = scene_of(scenes.gable(16.4, 12.2))
    said = [label.lines[0] for label in labels.place(scene, view_of(scene)) if label.kind == "dimension"]
    assert sorted(said) == ["12,2", "12,2", "16,4", "16,4"]


def test_simulated_data_are_marked_on_plan_and_banner():
    scene = scene_of(scenes.gable())
    assert "SIMULERT" not in svg(scene)
    assert words_of(svg(replace(scene, simulated=True))).count("SIMULERT") == 2


def test_north_is_up():
    assert "Sann nord er opp." in words_of(svg(scene_of(scenes.gable(16, 8, turn=25))))


def test_legend_has_only_what_the_drawing_shows():
    said = " ".join(words_of(svg(scene_of(scenes.gable()))))
    assert "Møne" in said
    assert "Grat" not in said
    assert "Gangbane" not in said
    assert "Hindring, fra" not in said
    said = " ".join(words_of(svg(scene_of(scenes.hip(obstacles=[scenes.thing(3, 1)])))))
    assert "Grat" in said
    assert "Hindring, fra høydemodell" in said


def test_obstacles_have_height_and_source():
    things = [scenes.thing(5, 5, 3, 2, "pipe", 1.2), scenes.thing(25, 5, 2, 2, "overlys", None, "bilde")]
    said = words_of(svg(scene_of(scenes.flat(40, 20, things))))
    assert "pipe 1,2 m" in said
    assert "1 × pipe: 1,2 m, fra høydemodell" in said
    assert "1 × overlys: høyde ukjent, fra flyfoto" in said


@pytest.mark.parametrize(("mounting", "told"), [("south", "radavstand 1,85 m"), ("east_west", "enhetsavstand 2,43 m")])
def test_row_spacing_is_that_of_the_racks(mounting, told):
    scene = scene_of(scenes.turned(scenes.flat(100, 60), 12), Options(mounting=mounting))
    assert any(told in words for words in words_of(svg(scene)))


def test_unsure_surfaces_are_marked_to_be_checked():
    roof = scenes.gable()
    one, other = roof.surfaces
    said = words_of(svg(scene_of(replace(roof, surfaces=(replace(one, confidence=0.52), other)))))
    assert "! 52 %" in said
    assert any("kontroller på stedet" in words for words in said)


def test_title_sources_and_warnings_are_text_and_not_markup():
    scene = scene_of(
        scenes.gable(), title="<b>Ås & co</b>", warnings=("<script>",), sources=("x" * 900, "\u202e \u0000")
    )
    root = ElementTree.fromstring(svg(scene))
    assert {element.tag.split("}")[1] for element in root.iter()}.isdisjoint({"b", "script"})
    assert "<b>Ås & co</b>" in [element.text for element in root.iter()]


@pytest.mark.parametrize("seed", [3, 33])
def test_no_text_reaches_beyond_the_sheet(seed):
    scene = replace(
        made_scene(seed), title="Lang adresse " * 20, sources=("Kilde " * 90,), warnings=("Advarsel " * 90,) * 3,
        simulated=True,
    )  # fmt: skip
    for x, y, size, anchor, look, words in _TEXT.findall(svg(scene)):
        if "transform" in look or float(x) == 0:  # turned, or the N of a group that is placed as a whole
            continue
        wide = width(words.replace("&amp;", "&"), float(size), bold='font-weight="600"' in look)
        left = float(x) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        assert left >= 0
        assert left + wide <= WIDTH
        assert -30 <= float(y) <= HEIGHT


def test_surfaces_of_opposite_falls_have_different_fills():
    one, other = scenes.gable().surfaces
    assert colour_of(one) != colour_of(other)


def test_hall_of_50000_modules_is_small_and_fast():
    scene = huge_hall()
    started = time.perf_counter()
    drawn = svg(scene)
    assert time.perf_counter() - started < 5
    assert len(drawn) < 15e6
    assert len(modules_of(drawn)) == 50_000


@pytest.mark.parametrize("size", [2, 3, 30, 399, 3000])
def test_roof_of_any_size_fits_the_plan(size):
    roof = scenes.turned(scenes.flat(size, size / 2), 30)
    page = shapely.transform(roof.outline, view_of(replace(scene_of(scenes.gable()), roof=roof)).page)
    assert shapely.box(*PLAN).covers(page)
    assert np.hypot(*np.subtract(page.bounds[2:], page.bounds[:2])) > 400


def test_roof_without_surfaces_is_drawn_by_its_outline():
    scene = scene_of(replace(scenes.gable(), surfaces=()))
    assert words_of(svg(scene))[-1]
    assert [label.kind for label in labels.place(scene, view_of(scene))] == ["dimension"] * 4


def test_numbers_have_decimal_commas():
    assert texts.number(12.34) == "12,3"
    assert texts.number(1234.5) == "1234"
    assert texts.number(32500.4) == "32\N{NO-BREAK SPACE}500"
