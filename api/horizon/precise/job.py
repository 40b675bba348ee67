"""The job of level 3, in a process of the worker: from heights and light to answer, report and table."""

import time
from typing import Any

import numpy as np
import orjson

from api.data.heights.mosaic import Blocks, mosaic
from api.data.heights.squares import held_or_fetched, squares_of
from api.horizon.precise import result
from api.horizon.precise.report.relief import Relief
from api.horizon.precise.report.render import report
from api.horizon.problems import BACKEND_FAILED
from api.horizon.profile import Floats
from api.horizon.rooftop.calculation import FAN
from api.horizon.rooftop.heights import NEAR_M, REACH_M, around
from api.jobs.run import Run
from catalog.sources.errors import SourceError
from catalog.sources.kartverket.heights import Model
from kernels.horizon.levels import MISSING, Level
from kernels.horizon.moments import moments_of
from kernels.horizon.objects import OWN_ROOF_M, near_objects, own_roof
from kernels.horizon.rays import Profile, profile
from kernels.horizon.shade import shade_of
from kernels.tmy.sunlight import clear_sky_year

_MODELS: tuple[Model, ...] = ("dom", "dtm")
_FETCHED_WITHIN_S = 45.0
# Of the map in the report, m to each side.
_MAP_M = 150


def run(run: Run) -> None:
    """Calculate what a panel loses, and write `result.json`, table and report.

    Raises
    ------
    ApiError
        `BACKEND_FAILED`: heights that were there are gone, and cannot be fetched.
    """
    begun, inputs = time.perf_counter(), orjson.loads(run.input)
    run.report_progress(0.0, "reading heights")
    x, y = inputs["x"], inputs["y"]
    blocks = _blocks(run, x, y)
    dom, dtm = (mosaic(blocks, model, x, y, REACH_M) for model in _MODELS)
    run.report_progress(0.2, "looking for what stands near by")
    fields = inputs["fields"]
    plane = inputs["panel"]["panel_tilt_deg"], inputs["panel"]["panel_az_deg"]
    whole = Profile(_floats(fields["near_horizon_only"]), _floats(fields["near_distance_m"]))
    near = whole
    if (own := own_roof(whole, *plane)).any():
        beyond = profile(dom, x, y, fields["observer_z_masl"], reach=NEAR_M, begin=OWN_ROOF_M, fan=FAN)
        near = Profile(*(np.where(own, behind, seen) for behind, seen in zip(beyond, whole, strict=True)))
    far = np.full(near.elevation.shape, np.nan) if inputs["far"] is None else _floats(inputs["far"])
    objects, owner = near_objects(near, far, x, y, dom, dtm)
    run.report_progress(0.4, "adding up the year")
    horizon = np.fmax(near.elevation, far)
    terrain = np.where(owner < 0, horizon, np.fmax(far, 0.0))
    moments = moments_of(_light(inputs), fields["lat"], fields["lon"], fields["observer_z_masl"])
    shade = shade_of(moments, horizon, terrain, owner, *plane)
    answer = result.fields(inputs, objects, shade, fields["compute_ms"] + (time.perf_counter() - begun) * 1000)
    run.report_progress(0.6, "writing the report")
    relief = _relief(dom, x, y)
    answer = orjson.loads(orjson.dumps(answer))  # as whoever reads the result has it
    extra = {name: inputs[name] for name in ("method", "heights", "distance", "ends", "name")}
    documented = {**answer, "warnings": inputs["report_warnings"], "job_id": run.job_id}
    run.put(
        {
            "result.json": orjson.dumps({"fields": answer, **extra}),
            inputs["files"]["csv"]: result.table(answer, extra),
            inputs["files"]["pdf"]: report(documented, relief, inputs["language"]),
        }
    )


def _blocks(run: Run, x: float, y: float) -> Blocks:
    """Return the squares around a point; what the API has fetched may be gone, or lie on another machine."""
    try:
        return held_or_fetched(squares_of(run.settings), around(x, y, ground=True), _FETCHED_WITHIN_S)
    except SourceError as error:
        raise BACKEND_FAILED() from error


def _light(inputs: dict[str, Any]) -> Floats:
    light, fields = inputs["light"], inputs["fields"]
    if "linke_turbidity" in light:
        return clear_sky_year(fields["lat"], fields["lon"], fields["observer_z_masl"], light["linke_turbidity"])[1:]
    return np.array([light["dni"], light["dhi"]], np.float64)


def _relief(dom: Level, x: float, y: float) -> Relief:
    """Return the surface around a point, NaN where it is not known."""
    column, row = round((x - dom.x0) / dom.cell), round((y - dom.y0) / dom.cell)
    z = dom.z[row - _MAP_M : row + _MAP_M + 1, column - _MAP_M : column + _MAP_M + 1].copy()
    z[z == MISSING] = np.nan
    return Relief(z, dom.cell, x, y)


def _floats(values: list[float | None]) -> Floats:
    return np.array(values, np.float64)
