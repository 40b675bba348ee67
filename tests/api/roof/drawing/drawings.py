"""Scenes to draw, and what a drawing's text contains."""

import re
from functools import cache

import numpy as np
from shapely import box

from api.roof.drawing import labels
from api.roof.drawing.board import Label
from api.roof.drawing.scene import Scene
from api.roof.drawing.view import view_of
from kernels.roof.analysis import analyse
from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.result import Group, Layout, SurfaceLayout, Zone
from kernels.roof.layout.rules import Module, Options, Rules
from kernels.roof.roof import Plane, Roof, Surface
from tests.support.made_roofs import made_roof

_SVG_TEXT = re.compile(r"<text[^>]*>(.*?)</text>")
_MODULES = re.compile(r'<path d="([^"]+)"[^>]*class="module"')


def scene_of(roof: Roof, options: Options | None = None, **changes) -> Scene:
    layout = lay_out(roof, Module(), options or Options(), Rules(), latitude=60.0)
    usual = {
        "title": "Storgata 1, 0155 Oslo", "sources": ("Høyder: NDH Oslo 2023", "Omriss: Kartverket 2024-11-02"),
        "warnings": (), "simulated": False, "lat": 59.91273, "lon": 10.74609, "date": "2025-03-14",
        "rules": Rules(),
    }  # fmt: skip
    return Scene(roof, layout, Module(), **{**usual, **changes})


@cache
def made_scene(seed: int) -> Scene:
    made = made_roof(seed, 0.5, 0.04)
    return scene_of(analyse(made.field, made.outline))


@cache
def made_labels(seed: int) -> list[Label]:
    scene = made_scene(seed)
    return labels.place(scene, view_of(scene))


def huge_hall() -> Scene:
    """400 x 350 m with 50,000 modules."""
    at = np.array([(i * 2.4, j * 1.16) for i in range(166) for j in range(302)])[:50_000]
    modules = at[:, None, :] + np.array([[0, 0], [2.38, 0], [2.38, 1.13], [0, 1.13]])
    outline = box(-1, -1, 400, 351)
    groups = Group(modules[::2], 10.0, 90.0), Group(modules[1::2], 10.0, 270.0)
    laid = SurfaceLayout(1, "east_west", 0.0, None, groups, "landscape", free=outline, usable_area=130_000.0)
    zone = Zone("kant", "regler", outline - box(0, 0, 399, 350), 1500.0, 1)
    roof = Roof(outline, (Surface(1, Plane(0, 0, 10), outline),), (), "flatt", 90.0, 12.0)
    layout = Layout((laid,), (zone,), 141_000.0, 130_000.0, 135_000.0, 32_500.0)
    return Scene(roof, layout, Module(), "Hall", ("Høyder",), (), False, 60.0, 10.0, "2025-03-14", Rules())


def words_of(drawing: str) -> list[str]:
    """The texts of an SVG, without tags."""
    return [re.sub(r"<[^>]*>", "", text) for text in _SVG_TEXT.findall(drawing)]


def modules_of(drawing: str) -> np.ndarray:
    """Corners (n, 4, 2) of the modules on the sheet."""
    paths = "".join(_MODULES.findall(drawing)).split("Z")[:-1]
    return np.array([[[float(v) for v in xy.split()] for xy in path[1:].split("L")] for path in paths])
