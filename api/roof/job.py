"""The job of a roof, in a process of the worker: outline, heights, picture, layout, drawings."""

import time
from dataclasses import replace
from typing import Any

import orjson
import shapely
from shapely import Point

from api.core.settings import Settings
from api.jobs.run import Run
from api.roof import problems
from api.roof.cache import ResultCache
from api.roof.drawing import dxf, png, svg
from api.roof.drawing.geojson import collections
from api.roof.drawing.scene import Scene
from api.roof.frame import Frame
from api.roof.heights import Heights, best_field, holes, is_stale, level_of
from api.roof.image import Look, look
from api.roof.obstacles import placed
from api.roof.result import SURE, Analysis, Fields, marked, point_of, result_of, warning
from api.roof.site import Site, site_of
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from kernels.roof.analysis import analyse
from kernels.roof.correction import corrected
from kernels.roof.field import Field
from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.result import Layout
from kernels.roof.layout.rules import RACK_TILT, Module, Options, Rules
from kernels.roof.layout.zones import is_ignored
from kernels.roof.roof import Roof
from kernels.roof.shade import shade_of

_MOUNTINGS = {"ost_vest": "east_west", "sor": "south", "auto": "auto"}
_DIRECTIONS = {"auto": "auto", "bygg": "building", "himmel": "compass"}
_AWAY = ("uten_omriss", "egne_hoyder_borte", "ortofoto_borte", "ortofoto_feil_oppsett", "bildeanalyse_borte")
"""Warnings of a service that may be back at the next question: such a result is not shared."""

BUDGET_S = 100.0
"""For all that is fetched: of the 120 s that a job has, some are left to compute and draw."""

_BESIDE_M = 1.0
"""Distance of the point from the walls that is told: roofs reach beyond them."""

_MUCH = 0.1  # of the roof

_MOST_W_PER_M2 = 260.0
"""Of a module: those on sale reach 25 % of 1000 W/m2."""

_COLLECTIONS = {"moduler": "moduler", "utelukkelser": "utelukkelser_geojson", "frie_soner": "frie_soner_geojson"}


def run(run: Run) -> None:
    """Analyse a roof, and write `result.json`, `result.collections`, `result.geojson` and the drawings.

    Raises
    ------
    ApiError
        `NO_BUILDING`, `BUILDING_TOO_LARGE`; `BACKEND_FAILED`: heights cannot be fetched.
    """
    begun, deadline, inputs = time.monotonic(), Deadline(BUDGET_S), orjson.loads(run.input)
    request = inputs["request"]
    run.report_progress(0.0, "leser omriss og høyder")
    try:
        site = site_of(run.settings, request, deadline)
        cache = ResultCache(run.settings, site, request)
        files = None if inputs["anew"] else cache.get()
        if files is None:
            found = _analysed(run, inputs, site, deadline)._replace(seconds=time.monotonic() - begun)
            files = _files(run, found)
            if not inputs["anew"] and not {warning(key) for key in _AWAY} & set(found.warnings):
                cache.put(files)
    except SourceError as error:
        raise problems.BACKEND_FAILED() from error
    result = orjson.loads(files["json"]) | {"punkt": point_of(site.frame, request)}
    away = 0.0 if request["omriss"] else site.outline.distance(Point(0, 0))
    if away >= _BESIDE_M:
        result["grunnlag"]["advarsler"].append(warning("utenfor", avstand=away))
    if inputs["unknown"]:
        result["grunnlag"]["advarsler"].append(warning("ukjente_felt", felt=", ".join(inputs["unknown"])))
    files["json"] = orjson.dumps(result)
    run.put({f"result.{name}": content for name, content in files.items()})


def _analysed(run: Run, inputs: dict[str, Any], site: Site, deadline: Deadline) -> Analysis:
    request, frame, own, heights = inputs["request"], site.frame, site.outline, site.heights
    run.report_progress(0.4, "finner takflater")
    field, text, lack = best_field(frame, run.settings, heights, own)
    stale = is_stale(field, own, site.others)
    roof = Roof(own, (), (), "sammensatt", 0.0, 0.0) if stale else analyse(field, own, site.others)
    warnings = [*site.warnings, *_warnings_of(roof, stale, holes(field, own), lack)]
    seen, key = look(run.settings, frame, roof, deadline) if request["ai"] else (None, "ai_av")
    if key:
        warnings.append(warning(key))
    roof, numbers, refused = _with_picture(field, roof, seen, request) if seen else (roof, (), ())
    run.report_progress(0.6, "legger ut moduler")
    module = Module(request["modul_wp"], request["modul_lengde_mm"] / 1000, request["modul_bredde_mm"] / 1000)
    options, rules = _options(request), Rules(**request["regler"])
    layout = lay_out(
        roof, module, options, rules, latitude=request["lat"],
        shade=_shade(frame, heights, field, roof, inputs) if roof.surfaces else None,
    )  # fmt: skip
    warnings += _warnings_of_layout(roof, layout, options, rules)
    counted = tuple(one for one in roof.obstacles if not is_ignored(one, rules))
    roof = replace(roof, obstacles=counted)
    if (density := module.wp / (module.length * module.width)) > _MOST_W_PER_M2:
        warnings.append(warning("modul_for_sterk", tetthet=density, grense=_MOST_W_PER_M2))
    sources = {
        "hoydemodell": marked(text, heights.data_origin),
        "ortofoto": seen and marked(f"Norge i bilder, {seen.year or 'ukjent år'}", seen.data_origin),
        "omriss": site.source_text,
    }
    found = Analysis(request, frame, roof, layout, module, seen, sources, site.source, warnings, numbers, refused, 0.0)
    if found.is_simulated:
        warnings.insert(0, warning("simulert"))
    return found


def _warnings_of(roof: Roof, stale: bool, missing: float, lack: str | None) -> list[str]:
    found = [warning("stale")] if stale else []
    if missing > 0.01:
        found.append(warning("hull", prosent=f"{100 * missing:.0f}"))
    if not stale and not roof.surfaces:
        found.append(warning("uten_flater"))
    if sum(one.area for one in roof.surfaces if one.confidence < SURE) > _MUCH * sum(one.area for one in roof.surfaces):
        found.append(warning("usikker_form"))
    return found + ([warning(lack)] if lack else [])


def _warnings_of_layout(roof: Roof, layout: Layout, options: Options, rules: Rules) -> list[str]:
    asked = {"south": options.row_spacing, "east_west": options.unit_spacing}
    racks = {(laid.spacing, asked[laid.mounting]) for laid in layout.surfaces if laid.spacing}
    found = [
        warning("for_tett", avstand=round(1000 * spacing)) for spacing, wanted in racks if wanted and spacing > wanted
    ]
    ignored = sum(is_ignored(one, rules) for one in roof.obstacles)
    if ignored and rules.protrusion_min_m > Rules.protrusion_min_m:
        found.append(warning("lave_hindringer", antall=ignored))
    return found


def _with_picture(
    field: Field, roof: Roof, seen: Look, request: dict[str, Any]
) -> tuple[Roof, tuple[int, ...], tuple[str, ...]]:
    """Return a roof with obstacles and tilt of a picture; surfaces with that tilt; kinds of obstacles not believed."""
    surfaces, numbers = roof.surfaces, tuple[int, ...]()
    if request["kvalitetssjekk"] and seen.tilt is not None and seen.confidence >= SURE:
        surfaces, numbers = corrected(field, surfaces, seen.tilt)
    more, refused = placed(seen.obstacles, roof, field, request["regler"]["protrusion_min_m"])
    found = replace(roof, surfaces=surfaces, obstacles=(*roof.obstacles, *more))
    return found, numbers, tuple(one.kind for one in refused)


def _options(request: dict[str, Any]) -> Options:
    return Options(
        mounting=_MOUNTINGS[request["montering"]],  # type: ignore[arg-type]
        direction=_DIRECTIONS[request["retning"]],  # type: ignore[arg-type]
        south_only=request["skraa_bare_sor"],
        row_spacing=request["radavstand_sor_m"],
        unit_spacing=request["enhetsavstand_ost_vest_m"],
        rack_tilt=request["helning_grader"] or RACK_TILT,
        row_azimuth=request["rad_retning_grader"],
    )


def _shade(frame: Frame, heights: Heights, field: Field, roof: Roof, inputs: dict[str, Any]) -> Any:
    level, place = level_of(frame, heights, roof.outline, field), inputs["request"]
    ground = heights.dtm.height_at(*frame.utm(shapely.get_coordinates(roof.outline.centroid)[0]))
    return shade_of(level, place["lat"], place["lon"], altitude=ground or 0.0, far=inputs["far"])


def _files(run: Run, found: Analysis) -> dict[str, bytes]:
    """Return the files of a result by their extensions; `collections` are large fields, apart from `json`."""
    fields, request = result_of(found), found.request
    scene = _scene(run.settings, found, fields["grunnlag"]["advarsler"])
    made = collections(scene, found.frame.lonlat)
    features = [one | {"properties": {"lag": name} | one["properties"]}
                for name, collection in made.items() for one in collection["features"]]  # fmt: skip
    origin = "simulated" if found.is_simulated else "live"
    files = {"geojson": orjson.dumps({"type": "FeatureCollection", "data_origin": origin, "features": features})}
    if request["tegning"]:
        run.report_progress(0.8, "tegner")
        files |= {"png": png.png(scene), "svg": svg.svg(scene).encode(), "dxf": dxf.dxf(scene)}
    shown = {own: made[name] for name, own in _COLLECTIONS.items()} if request["geojson"] else {}
    files["collections"] = orjson.dumps(shown, option=orjson.OPT_SERIALIZE_NUMPY)
    fields |= {"tegning": request["tegning"], "data_origin": origin}
    return files | {"json": orjson.dumps(fields, option=orjson.OPT_SERIALIZE_NUMPY)}


def _scene(settings: Settings, found: Analysis, warnings: Fields) -> Scene:
    request = found.request
    return Scene(
        roof=found.roof, layout=found.layout, module=found.module,
        title=f"{request['lat']:.5f} N {request['lon']:.5f} Ø",
        sources=tuple(text for text in found.sources.values() if text), warnings=tuple(warnings),
        simulated=found.is_simulated, lat=request["lat"], lon=request["lon"],
        date=settings.clock.now().date().isoformat(), rules=Rules(**request["regler"]),
    )  # fmt: skip
