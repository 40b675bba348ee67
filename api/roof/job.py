"""The job of a roof, in a process of the worker: outline, heights, picture, layout, drawings."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import orjson
import shapely
from shapely import Polygon

from api.jobs.run import Run
from api.roof import outlines, problems
from api.roof.frame import Frame
from api.roof.heights import Heights, field_of, fine_field, heights_around, holes, is_stale, level_of
from api.roof.image import look
from api.roof.result import SURE, Analysis, maps, result_of, warning
from catalog.sources.errors import SourceError
from kernels.roof.analysis import analyse
from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.rules import Module, Options, Rules
from kernels.roof.roof import Roof
from kernels.roof.shade import REACH, shade_of

MOST_M = 400.0
"""Longest building."""

_HEIGHTS_S = 45.0
_SEEN_M = 60.0  # around the point, where the outline is to be found in the surface
_MOUNTINGS = {"ost_vest": "east_west", "sor": "south", "auto": "auto"}
_DIRECTIONS = {"auto": "auto", "bygg": "building", "himmel": "compass"}


def run(run: Run) -> None:
    """Analyse a roof, and write `result.json`, `result.geojson` and the drawings.

    Raises
    ------
    ApiError
        `NO_BUILDING`, `BUILDING_TOO_LARGE`; `BACKEND_FAILED`: heights cannot be fetched.
    """
    begun = time.monotonic()
    request = orjson.loads(run.input)["request"]
    try:
        found = _analysed(run, request, begun)
    except SourceError as error:
        raise problems.BACKEND_FAILED() from error
    fields, collections = result_of(found), maps(found)
    simulated = "SIMULERT" in str(found.sources)
    fields["tegning"] = request["tegning"]
    fields["data_origin"] = "simulated" if simulated else "live"
    files = {"geojson": orjson.dumps(_one_collection(collections))}
    if request["tegning"]:
        run.report_progress(0.8, "tegner")
        files |= _drawings(
            found, fields["grunnlag"]["advarsler"], simulated, run.settings.clock.now().date().isoformat()
        )
    if request["geojson"]:
        fields |= collections
    files["json"] = orjson.dumps(fields, option=orjson.OPT_SERIALIZE_NUMPY)
    run.put({f"result.{name}": content for name, content in files.items()})


def _analysed(run: Run, request: dict[str, Any], begun: float) -> Analysis:
    settings, warnings = run.settings, list[str]()
    frame = Frame.at(request["lat"], request["lon"])
    run.report_progress(0.0, "leser omriss")
    own, others, outline_text, outline_source = _outline(run, frame, request, warnings)
    run.report_progress(0.2, "leser høyder")
    if own is None:
        heights = heights_around(settings, frame.x, frame.y, _SEEN_M + REACH + 5, _HEIGHTS_S)
        seen = field_of(frame, heights, shapely.Point(0, 0).buffer(_SEEN_M))
        anchored = warning("uten_omriss") in warnings
        own = outlines.from_surface(settings, frame, seen, anchored=anchored)
        if own is not None and own.distance(shapely.Point(0, 0).buffer(_SEEN_M).exterior) < 5:
            heights = heights_around(settings, frame.x, frame.y, MOST_M + REACH, _HEIGHTS_S)
            seen = field_of(frame, heights, shapely.Point(0, 0).buffer(MOST_M))
            own = outlines.from_surface(settings, frame, seen, anchored=anchored)
        if own is None:
            raise problems.NO_BUILDING()
    else:
        west, south, east, north = own.bounds
        if max(east - west, north - south) > MOST_M:
            raise problems.BUILDING_TOO_LARGE(limit=MOST_M)
        x, y = frame.utm([(west + east) / 2, (south + north) / 2])
        reach = np.hypot(east - west, north - south) / 2 + REACH + 5
        heights = heights_around(settings, float(x), float(y), float(reach), _HEIGHTS_S)
    west, south, east, north = own.bounds
    if max(east - west, north - south) > MOST_M:
        raise problems.BUILDING_TOO_LARGE(limit=MOST_M)
    field, fine = field_of(frame, heights, own), fine_field(frame, settings, heights, own)
    text = f"Kartverket, Nasjonal høydemodell (DOM og DTM, 1 m, {heights.year or 'ukjent år'})"
    stale = is_stale(field, own, others)
    if fine is not None:
        field, text = fine[0], f"egne høyder, {fine[1].cell:g} m, {fine[1].year or 'ukjent år'}"
        stale = is_stale(field, own, others)
    run.report_progress(0.4, "finner takflater")
    roof = Roof(own, (), (), "sammensatt", 0.0, 0.0) if stale else analyse(field, own, others)
    warnings += _warnings_of(roof, stale, holes(field, own), coarse=fine is None)
    seen_in, key = look(settings, frame, roof) if request["ai"] else (None, "ai_av")
    if key:
        warnings.append(warning(key))
    if seen_in is not None:
        roof = replace(roof, obstacles=(*roof.obstacles, *_on_roof(seen_in.obstacles, roof)))
    run.report_progress(0.6, "legger ut moduler")
    module = Module(request["modul_wp"], request["modul_lengde_mm"] / 1000, request["modul_bredde_mm"] / 1000)
    layout = lay_out(
        roof, module, _options(request), Rules(**request["regler"]), latitude=request["lat"],
        shade=_shade(frame, heights, roof, request) if roof.surfaces else None,
    )  # fmt: skip
    origins = {"hoydemodell": heights.data_origin, "ortofoto": seen_in.data_origin if seen_in else "live"}
    year = seen_in.year or "ukjent år" if seen_in else None
    texts = {"hoydemodell": text, "ortofoto": f"Norge i bilder, {year}" if seen_in else None, "omriss": outline_text}
    for name, origin in origins.items():
        texts[name] = _marked(texts[name], origin)
    if "SIMULERT" in str(texts):
        warnings.insert(0, warning("simulert"))
    seconds = time.monotonic() - begun
    return Analysis(request, frame, roof, layout, module, seen_in, texts, outline_source, warnings, seconds)


def _outline(
    run: Run, frame: Frame, request: dict[str, Any], warnings: list[str]
) -> tuple[Polygon | None, list[Polygon], str, str]:
    """Return the outline (None: to be found in the surface), those around, and their source as text and as a word."""
    try:
        around = outlines.buildings_around(run.settings, frame)
    except SourceError:
        around = None
    polygons = around.polygons if around else []
    if request["omriss"]:
        return *outlines.given(frame, request["omriss"], polygons), "oppgitt av brukeren", "oppgitt"
    if (found := outlines.chosen(polygons)) is not None and around is not None:
        return *found, str(_marked("Kartverket, bygningsomriss", around.data_origin)), "bygninger"
    warnings.append(warning("uten_omriss" if around is None else "omriss_av_overflate"))
    return None, polygons, "laget av overflatemodellen", "overflate"


def _warnings_of(roof: Roof, stale: bool, missing: float, *, coarse: bool) -> list[str]:
    found = [warning("stale")] if stale else []
    if missing > 0.01:
        found.append(warning("hull", prosent=f"{100 * missing:.0f}"))
    if not stale and not roof.surfaces:
        found.append(warning("uten_flater"))
    if roof.surfaces and min(one.confidence for one in roof.surfaces) < SURE:
        found.append(warning("usikker_form"))
    return found + ([warning("grov")] if coarse and not stale else [])


def _on_roof(obstacles: Any, roof: Roof) -> list[Any]:
    """Return obstacles of a picture that lie on a surface, with its number, but not those that the heights show."""
    found = []
    for one in obstacles:
        polygon = shapely.make_valid(one.polygon)
        known = any(polygon.intersection(other.polygon).area > 0.3 * polygon.area for other in roof.obstacles)
        on = [s for s in roof.surfaces if polygon.intersection(s.polygon).area > 0.5 * polygon.area]
        if polygon.geom_type == "Polygon" and on and not known:
            found.append(replace(one, polygon=polygon, surface=on[0].number))
    return found


def _options(request: dict[str, Any]) -> Options:
    tilt = {} if request["helning_grader"] is None else {"rack_tilt": request["helning_grader"]}
    return Options(
        mounting=_MOUNTINGS[request["montering"]],  # type: ignore[arg-type]
        direction=_DIRECTIONS[request["retning"]],  # type: ignore[arg-type]
        south_only=request["skraa_bare_sor"],
        row_spacing=request["radavstand_sor_m"],
        unit_spacing=request["enhetsavstand_ost_vest_m"],
        row_azimuth=request["rad_retning_grader"],
        **tilt,
    )


def _shade(frame: Frame, heights: Heights, roof: Roof, request: dict[str, Any]) -> Any:
    level = level_of(frame, heights, roof.outline)
    ground = heights.dtm.height_at(*frame.utm(shapely.get_coordinates(roof.outline.centroid)[0]))
    return shade_of(level, request["lat"], request["lon"], altitude=ground or 0.0)


def _drawings(found: Analysis, warnings: list[str], simulated: bool, date: str) -> dict[str, bytes]:
    """Return the drawings by their file names' extensions."""
    from api.roof.drawing import dxf, png, svg  # type: ignore[import-not-found,unused-ignore]
    from api.roof.drawing.scene import Scene  # type: ignore[import-not-found,unused-ignore]

    request = found.request
    scene = Scene(
        roof=found.roof, layout=found.layout, module=found.module,
        title=f"{request['lat']:.5f} N {request['lon']:.5f} Ø",
        sources=tuple(text for text in found.sources.values() if text), warnings=tuple(warnings), simulated=simulated,
        lat=request["lat"], lon=request["lon"], date=date,
    )  # fmt: skip
    return {"png": png.png(scene), "svg": svg.svg(scene).encode(), "dxf": dxf.dxf(scene)}


def _one_collection(collections: dict[str, Any]) -> dict[str, Any]:
    features = [
        {**feature, "properties": {"lag": name.removesuffix("_geojson"), **feature["properties"]}}
        for name, collection in collections.items()
        for feature in collection["features"]
    ]
    return {"type": "FeatureCollection", "features": features}


def _marked(text: str | None, origin: str) -> str | None:
    return f"{text} (SIMULERT)" if text and origin == "simulated" else text
