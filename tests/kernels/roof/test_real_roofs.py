"""Bars of roof analysis on real heights with truth, through what `solflis roof` runs."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import shapely
from shapely import Polygon

from infra.roofs.roofs import beside, roofs_of

LEAST_OVERLAP, TILT_WITHIN, AZIMUTH_WITHIN = 0.3, 15.0, 25.0


class Match(NamedTuple):
    building: str
    truth: dict[str, Any]
    plane: dict[str, Any] | None
    found: bool

    @property
    def tilt(self) -> float:
        assert self.plane
        return abs(self.plane["tilt"] - self.truth["tilt"])

    @property
    def azimuth(self) -> float:
        """NaN where the truth has none, 180 where the plane has none."""
        assert self.plane
        if self.truth["azimuth_true"] is None:
            return float("nan")
        if self.plane["azimuth_true"] is None:
            return 180.0
        return abs((self.plane["azimuth_true"] - self.truth["azimuth_true"] + 180) % 360 - 180)

    @property
    def area(self) -> float:
        assert self.plane
        return abs(self.plane["area_slope"] / self.truth["area_slope"] - 1)

    def line(self) -> str:
        said = "tilt {tilt} azimuth {azimuth_true} area {area_slope}"
        ours = said.format(**self.plane) if self.plane else "nothing"
        return f"{self.building:>26}  truth: {said.format(**self.truth)}; found: {ours}"


class Graded(NamedTuple):
    """Matches of graded planes, and (building, true form, ours) of checked forms."""

    matches: list[Match]
    forms: list[tuple[str, str, str]]

    def errors(self, name: str) -> np.ndarray[Any, Any]:
        values = np.array([getattr(one, name) for one in self.matches if one.found])
        return values[np.isfinite(values)]

    def table(self) -> str:
        missed = [one.line() for one in self.matches if not one.found]
        off = sorted((one for one in self.matches if one.found), key=lambda one: -one.tilt)
        forms = [f"{name:>26}  truth: {true}; found: {ours}" for name, true, ours in self.forms if true != ours]
        figures = [
            f"{name}: median {np.median(v):.2f}, 90 % {np.percentile(v, 90):.2f}"
            for name in ("tilt", "azimuth", "area")
            if len(v := self.errors(name))
        ]
        parts = {
            "figures": figures,
            "not found": missed,
            "farthest off": [one.line() for one in off[:8]],
            "forms": forms,
        }
        return "\n".join(f"{title}:\n  " + "\n  ".join(lines) for title, lines in parts.items() if lines)


def match(building: str, truth: dict[str, Any], planes: list[dict[str, Any]]) -> Match:
    """Match with the plane of the largest overlap."""
    ring = Polygon(truth["ring"]).buffer(0)
    shared = [shapely.intersection(ring, Polygon(one["ring"]).buffer(0)).area for one in planes]
    if not shared or max(shared) < LEAST_OVERLAP * ring.area:
        return Match(building, truth, None, found=False)
    one = Match(building, truth, planes[int(np.argmax(shared))], found=False)
    return one._replace(found=one.tilt <= TILT_WITHIN and not one.azimuth > AZIMUTH_WITHIN)


@cache
def graded(folder: Path, place: str, cells: str) -> Graded:
    file = folder / f"{place}_dsm{cells}.tif"
    ground, outlines = beside(file)
    assert outlines is not None
    truth = {one["id"]: one for one in json.loads((folder / f"{place}_truth.json").read_text())["buildings"]}
    matches, forms = [], []
    for found in roofs_of(file, ground, outlines):
        known = truth.get(found.id)
        if known is None:
            continue
        planes = found.as_json()["planes"]
        matches += [match(found.id, one, planes) for one in known["planes"] if one["graded"]]
        if known["form_checked"]:
            forms.append((found.id, known["form"], found.roof.form))
    return Graded(matches, forms)


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    if not (shared_data / "roofs").is_dir():
        pytest.skip(f"real roofs are not here: {shared_data / 'roofs'} does not exist")
    return shared_data / "roofs"


def require(of: Graded, *, found: float, tilt: tuple[float, float], azimuth: float, forms: int) -> None:
    """Assert the bars: share found, tilt's median and 90 %, azimuth's 90 %, and forms."""
    tilts = of.errors("tilt")
    figures = {
        "found": (np.mean([one.found for one in of.matches]), found),
        "tilt_median": (np.median(tilts), tilt[0]),
        "tilt_90": (np.percentile(tilts, 90), tilt[1]),
        "azimuth_90": (np.percentile(of.errors("azimuth"), 90), azimuth),
        "forms": (sum(true == ours for _, true, ours in of.forms), forms),
    }
    least = ("found", "forms")
    failed = [
        f"{name} is {value:.3f}, the bar {bar}"
        for name, (value, bar) in figures.items()
        if (value < bar if name in least else value > bar)
    ]
    assert not failed, "; ".join(failed) + "\n" + of.table()


def test_detached_houses_at_1_m(folder: Path) -> None:
    of = graded(folder, "jura", "100")
    assert (len(of.matches), len(of.forms)) == (12, 4)
    require(of, found=1.0, tilt=(0.3, 1.0), azimuth=1.5, forms=4)


def test_detached_houses_at_50_cm(folder: Path) -> None:
    require(graded(folder, "jura", "050"), found=1.0, tilt=(0.3, 0.7), azimuth=0.5, forms=4)


@pytest.mark.slow
def test_detached_houses_at_25_cm(folder: Path) -> None:
    require(graded(folder, "jura", "025"), found=1.0, tilt=(0.3, 0.3), azimuth=1.5, forms=4)


def test_terraces_at_1_m(folder: Path) -> None:
    of = graded(folder, "delft_west", "100")
    assert (len(of.matches), len(of.forms)) == (143, 17)
    require(of, found=0.94, tilt=(0.8, 4.0), azimuth=2.0, forms=13)


@pytest.mark.slow
def test_terraces_at_50_cm(folder: Path) -> None:
    require(graded(folder, "delft_west", "050"), found=0.99, tilt=(0.7, 0.7), azimuth=0.5, forms=15)


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "bar"), [("050", 0.08), ("100", 0.15)])
def test_areas_of_found_planes(folder: Path, cells: str, bar: float) -> None:
    both = [graded(folder, place, cells) for place in ("jura", "delft_west")]
    error = float(np.median(np.concatenate([of.errors("area") for of in both])))
    assert error <= bar, "\n".join(of.table() for of in both)


@pytest.mark.slow
def test_confident_planes_are_within_3_degrees(folder: Path) -> None:
    files = [("jura", "100"), ("jura", "050"), ("jura", "025"), ("delft_west", "100"), ("delft_west", "050")]
    matches = [one for file in files for one in graded(folder, *file).matches if one.plane]
    sure = [one for one in matches if one.plane and one.plane["confidence"] >= 0.7]
    off = [one for one in sure if one.tilt > 3 or one.azimuth > 3]
    assert len(sure) > 0.5 * len(matches)
    worst = "\n".join(one.line() for one in off)
    assert len(off) <= 0.1 * len(sure), (
        f"{len(off)} of {len(sure)} are not, {Counter(one.building for one in off)}\n{worst}"
    )
