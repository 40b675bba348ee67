"""Roof analysis: whole analyses of made-up and real roofs with their drawings.

An analysis has its heights and outline at hand and no picture: planes, shade and layout, fields and GeoJSON, then PNG,
SVG and DXF. Each large building is analysed in a process of its own, whose peak memory is printed; a small house comes
before it, for what a worker does once. The real roofs are read from files, without shade.
"""

import resource
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
from shapely import Polygon

from api.roof.drawing import dxf, png, svg
from api.roof.drawing.geojson import collections
from api.roof.drawing.scene import Scene
from api.roof.frame import Frame
from api.roof.result import Analysis, result_of
from api.roof.schemas import RoofRequest
from infra.roofs.roofs import beside, roofs_of
from kernels.horizon.levels import Level
from kernels.roof.analysis import analyse
from kernels.roof.field import Field
from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.result import Layout
from kernels.roof.layout.rules import Module, Options, Rules
from kernels.roof.roof import Roof
from kernels.roof.shade import shade_of
from tests.support.made_halls import made_hall
from tests.support.made_roofs import made_roof

LAT, LON = 60.0, 10.0
ROOFS = 40
MOST_MB = 1024
HALLS = {
    "house of 120 m2, 1 m": ((12.0, 10.0), 1.0, 1, 1.5),
    "house of 120 m2, 0.5 m": ((12.0, 10.0), 0.5, 1, 1.5),
    "hall of 10 000 m2, 1 m": ((100.0, 100.0), 1.0, 20, 6.0),
    "hall of 10 000 m2, 0.5 m": ((100.0, 100.0), 0.5, 20, 6.0),
    "390 x 300 m, 1 m": ((390.0, 300.0), 1.0, 60, 20.0),
}
"""Size, cell, boxes, and the bar, s."""
_REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "roofs"
_FILES = ("delft_west_dsm050.tif", "jura_dsm100.tif")


class Took(NamedTuple):
    """Seconds by stage, number of modules, and the process's peak memory, MB."""

    stages: Mapping[str, float]
    modules: int
    peak: float

    @property
    def seconds(self) -> float:
        """Of all stages."""
        return sum(self.stages.values())


def measure(folder: Path) -> None:
    """Print the figures."""
    for name, (*_, bar) in HALLS.items():
        with ProcessPoolExecutor(1, get_context("spawn")) as own:
            took = own.submit(hall, name).result()
        stages = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in took.stages.items())
        print(
            f"{name:26}{took.seconds:6.2f} s (bar {bar:g}): {stages}; {took.modules} modules, "
            f"peak {took.peak:.0f} MB (bar {MOST_MB})",
            flush=True,
        )
    _print_percentiles(f"{ROOFS} made-up roofs, 0.5 m", [one.seconds for one in made()])
    for name in _FILES:
        file = _REAL / name
        if file.is_file():
            _print_percentiles(f"real roofs, {file.stem}", list(real(file)))
        else:
            print(f"real roofs are not here: {file.name}")


def hall(name: str) -> Took:
    """Return how long a building takes in this process, after a small house."""
    size, cell, boxes, _ = HALLS[name]
    for sides, number in (((9.0, 7.0), 0), (size, boxes)):
        took = whole(*made_hall(sides, cell, number))
    return took


def made() -> Iterator[Took]:
    """Yield how long each of the made-up roofs takes, after one more."""
    for seed in range(-1, ROOFS):
        roof = made_roof(seed + 1, 0.5, 0.05)
        z, axes = roof.field.z, roof.field.axes
        level = Level(z.astype(np.float32), float(axes[0]), float(axes[1]), 0.5)
        took = whole(roof.outline, roof.field, level)
        if seed >= 0:
            yield took


def real(file: Path) -> Iterator[float]:
    """Yield how long each roof of a file takes with its drawings, s."""
    ground, outlines = beside(file)
    if outlines is not None:
        for one in roofs_of(file, ground, outlines):
            begun = time.perf_counter()
            draw(scene_of(one.roof, one.layout))
            yield one.seconds + time.perf_counter() - begun


def whole(outline: Polygon, field: Field, level: Level) -> Took:
    """Analyse a roof as the job does, heights and outline given."""
    request = RoofRequest.model_validate({"lat": LAT, "lon": LON}).model_dump(exclude={"passord"})
    at = [time.perf_counter()]
    roof = analyse(field, outline)
    at.append(time.perf_counter())
    layout = lay_out(roof, Module(), Options(), Rules(), latitude=LAT, shade=shade_of(level, LAT, LON))
    at.append(time.perf_counter())
    texts = {"hoydemodell": "DOM", "ortofoto": None, "omriss": "kart"}
    found = Analysis(request, Frame.at(LAT, LON), roof, layout, Module(), None, texts, "bygninger", [], (), (), 0.0)
    scene = scene_of(roof, layout)
    orjson.dumps(result_of(found) | collections(scene, found.frame.lonlat), option=orjson.OPT_SERIALIZE_NUMPY)
    at.append(time.perf_counter())
    draw(scene)
    at.append(time.perf_counter())
    stages = dict(zip(("planes", "shade and layout", "result", "drawings"), np.diff(at).tolist(), strict=True))
    return Took(stages, layout.count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def scene_of(roof: Roof, layout: Layout) -> Scene:
    """Return what a drawing shows."""
    return Scene(roof, layout, Module(), "tak", ("DOM",), (), True, LAT, LON, "2026-01-01", Rules())


def draw(scene: Scene) -> None:
    """Make all drawings."""
    for form in (png.png, svg.svg, dxf.dxf):
        form(scene)


def _print_percentiles(name: str, took: list[float]) -> None:
    p50, p95 = np.percentile(took, [50, 95])
    print(f"{name}: {len(took)} roofs, p50 {p50:.2f} s (bar 2), p95 {p95:.2f} s (bar 5)", flush=True)
