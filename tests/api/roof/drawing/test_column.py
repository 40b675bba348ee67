"""Figures, tables and legend beside the plan, and the head of the sheet."""

from dataclasses import replace

import pytest
import shapely

from api.roof.drawing import texts
from api.roof.drawing.svg import svg
from kernels.roof.layout.result import Reason
from kernels.roof.layout.rules import Rules
from tests.api.roof.drawing.drawings import scene_of, words_of
from tests.kernels.roof.layout import scenes


def said_of(scene):
    return words_of(svg(scene))


def with_laid(scene, **changes):
    """A scene whose first surface is laid out otherwise."""
    first, *others = scene.layout.surfaces
    return replace(scene, layout=replace(scene.layout, surfaces=(replace(first, **changes), *others)))


def test_legend_names_parts_that_heights_do_not_explain():
    scene = scene_of(scenes.flat(10, 6))
    assert not any("Ikke tolket" in words for words in said_of(scene))
    hole = shapely.box(4, 2, 6, 4)
    one = replace(scene.roof.surfaces[0], polygon=shapely.box(0, 0, 10, 6) - hole)
    scene = replace(scene, roof=replace(scene.roof, surfaces=(one,)))
    assert "Ikke tolket av høydene 4,0 m²" in said_of(scene)
    assert svg(scene).count("url(#ukjent)") == 2


def test_slivers_beside_surfaces_are_not_called_uninterpreted():
    scene = scene_of(scenes.flat(10, 6))
    scene = replace(scene, roof=replace(scene.roof, outline=shapely.box(-0.15, 0, 10, 6)))
    assert scene.uninterpreted().is_empty


def test_roof_whose_ridge_ends_a_hair_outside_is_drawn():
    west, east = (-8.65320244016761, 0.8531443888273201), (8.413249831960039, -0.4904010220923242)
    south = [(8.413191507986149, -8.095532359901007), (-5.553624277573589, -8.095532359901007),
             (-5.553624277573589, -8.33553235990101), (-8.65319150798615, -8.33553235990101)]  # fmt: skip
    north = [(-8.65319150798615, 8.33553235990101), (8.413191507986149, 8.33553235990101)]
    planes = [scenes.surface(1, scenes.falling(20, 180), [west, east, *south]),
              scenes.surface(2, scenes.falling(20, 0), [west, *north, east])]  # fmt: skip
    scene = scene_of(scenes.roof_of(*planes))
    assert scene.extent().area == pytest.approx(scene.roof.outline.area, rel=0.01)
    assert "Takflater" in said_of(scene)


def test_legend_has_widths_of_zones():
    said = said_of(replace(scene_of(scenes.gable(16, 12)), rules=Rules(ridge_setback_m=0.75)))
    assert any(words.startswith("Mønesone 0,75 m, ") for words in said)
    assert any(words.startswith("Kantsone 0,3 m, ") for words in said)


def test_outer_edges_of_flat_roofs_are_neither_gables_nor_eaves():
    said = said_of(scene_of(scenes.flat()))
    assert "Takkant" in said
    assert not {"Gavl", "Raft"} & set(said)
    assert "Takkant" not in said_of(scene_of(scenes.gable()))


def test_existing_panels_are_no_obstacles_of_unknown_height():
    said = said_of(scene_of(scenes.flat(40, 20, [scenes.thing(5, 5, 3, 2, "solceller", None, "bilde")])))
    assert "Eksisterende solceller" in said
    assert "1 × eksisterende solceller, fra flyfoto" in said
    assert not any("Hindring, fra" in words or "ukjent" in words for words in said)


def test_power_has_two_decimals():
    assert texts.kwp(12.345) == "12,35"
    assert texts.kwp(1300.0) == "1300,00"
    scene = scene_of(scenes.gable(16, 12))
    assert f"{scene.layout.kwp:.2f}".replace(".", ",") in said_of(scene)


def test_modules_left_out_for_shade_are_counted():
    scene = scene_of(scenes.gable(16, 12))
    assert "1 modul utelatt på grunn av skygge" in said_of(with_laid(scene, lost_to_shade=1))
    assert "2 moduler utelatt på grunn av skygge" in said_of(with_laid(scene, lost_to_shade=2))


def test_surface_that_is_not_used_for_shade_does_not_repeat_it():
    scene = scene_of(scenes.gable(16, 12))
    said = said_of(with_laid(scene, groups=(), reason=Reason("shade"), lost_to_shade=20))
    assert "For mye skygge: ikke brukt" in said
    assert not any("utelatt" in words for words in said)


def test_roof_without_surfaces_says_why_and_has_no_table():
    scene = scene_of(replace(scenes.gable(), surfaces=()), warnings=("høydene er eldre enn bygget",))
    said = said_of(scene)
    assert {"Ingen takflater", "Høydene er eldre enn bygget", "Omriss 12,0 × 10,0 m i plan"} <= set(said)
    assert not {"Takflater", "Sum", "Advarsler"} & set(said)
    assert not any("høyde 8,0 m" in words for words in said)


def test_title_of_coordinates_is_written_once():
    said = said_of(scene_of(scenes.gable(), title="59.91273 N 10.74609 Ø"))
    assert said.count("59,91273° N, 10,74609° Ø") == 1
    assert not any("59.91273" in words for words in said)
    assert "Tegnet 2025-03-14" in said


def test_fonts_end_with_any_serif():
    assert 'Times, serif"' in svg(scene_of(scenes.gable()))
