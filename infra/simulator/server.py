"""The simulator's HTTP server: the paths, names and headers of the authority's file server, on loopback."""

import asyncio
import hashlib
import json
import os
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aiohttp import web

from catalog.sources.registry import FORECAST_SOURCES
from infra.simulator import borders, frost, locationforecast
from infra.simulator.addresses import serve as addresses
from infra.simulator.bias import Bias
from infra.simulator.buildings import features, vision, wmts
from infra.simulator.buildings import wms as ortofoto
from infra.simulator.files import Files, GenerationError, Maker
from infra.simulator.heights import wcs
from infra.simulator.keys import CLOCK, RULES
from infra.simulator.landcover import wfs, wms
from infra.simulator.misbehave import Rule, Rules, damaged
from infra.simulator.small import with_faults
from infra.simulator.snow import serve as snow
from tiles.clock import Clock, floor_hour, iso

FILES = web.AppKey("FILES", Mapping[str, Files])

HELD = timedelta(hours=72)
ARCHIVE_SPACING_KM = 12.0
ARCHIVES = ("nora3", "sarah3")
FIRST_MONTH, LAST_MONTH = datetime(1990, 12, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
# An image is out so long after the time that names it.
IMAGE_LAG = timedelta(minutes=15)
_KEPT_IMAGES = 24
_LARGEST_QUESTION = 20_000_000  # bytes: a picture for the vision model
# Months of the archives: of areas 1 MB each, so many that nine years can be built at once; of the whole grid 80 MB.
_KEPT_MONTHS, _KEPT_WHOLE_MONTHS = 256, 64
_WEATHER_VERSION = 3  # raise it when the same file would come out differently

# Folder and name of each kind of file: `meteosat`, the archives, and see `netcdf.Source`.
_NAMES = {
    "met_nordic": ("/met_nordic/%Y/%m/%d/", "met_forecast_1_0km_nordic_%Y%m%dT%HZ.nc"),
    "arome_metcoop_test2": ("/arome_metcoop/", "arome_metcoop_red_test2_5km_%Y%m%d_%H.nc"),
    "arome_metcoop_default2": ("/arome_metcoop/", "arome_metcoop_red_default2_5km_%Y%m%d_%H.nc"),
    "meteosat": ("/meteosat/%Y/%m/%d/", "NETCDF4_LSASAF_MSG_MDSSFTD_MSG-Disk_%Y%m%d%H%M.nc"),
    "nora3": ("/nora3/", "arome3km_1hr_%Y%m.nc"),
    "sarah3": ("/sarah3/", "SIShm%Y%m010000004231000101MA.nc"),
}


def parse_path(path: str) -> tuple[str, datetime] | None:
    """Return the kind of file and the moment that a path names."""
    for source, (folder, name) in _NAMES.items():
        with suppress(ValueError):
            moment = datetime.strptime(path.rpartition("/")[2], name).replace(tzinfo=UTC)
            if moment.strftime(folder + name) == path and moment.minute % 15 == 0:
                return source, moment
    return None


def unavailable(source: str, moment: datetime, now: datetime) -> str | None:
    """Return why a cycle or month is not held at a moment, or None where it is."""
    if source in ARCHIVES:
        there = FIRST_MONTH <= moment <= LAST_MONTH
        return None if there else f"the archives have the months {FIRST_MONTH:%Y-%m} to {LAST_MONTH:%Y-%m}"
    if source.startswith("arome") and moment.hour % FORECAST_SOURCES["arome_metcoop"]:
        return "AROME-MetCoOp runs at 00, 06, 12 and 18 UTC"
    published = moment + (IMAGE_LAG if source == "meteosat" else timedelta())
    if published > now:
        return f"this cycle is published at {iso(published)}; the simulator's clock shows {iso(now)}"
    if moment < now - HELD:
        return f"cycles are held for 72 hours; the simulator's clock shows {iso(now)}"
    return None


@with_faults
async def serve_file(request: web.Request, rule: Rule | None) -> web.StreamResponse:
    """Answer a file."""
    path = await _path_of(request, timedelta(hours=rule.hours if rule and rule.mode == "stale" else 0))
    if rule is None or rule.mode in ("slow", "stale"):
        return web.FileResponse(path)
    if rule.mode == "truncate" and rule.how == "connection":
        return _part(request, await asyncio.to_thread(path.read_bytes))
    return web.FileResponse(await asyncio.to_thread(damaged, path, rule))


async def _path_of(request: web.Request, older: timedelta) -> Path:
    named = parse_path(request.path)
    if named is None:
        raise web.HTTPNotFound(text="no such file; / tells which there are\n")
    source, moment = named
    app = request.app
    if reason := unavailable(source, moment, app[CLOCK].now()):
        raise web.HTTPNotFound(text=f"{reason}\n")
    moment -= older
    if source in ARCHIVES:
        moment = moment.replace(day=1, hour=0)  # a little older is the month before
    try:
        return await app[FILES][source].get(source, moment)
    except GenerationError as error:
        raise web.HTTPInternalServerError(text=f"{error}\n") from error


def _part(request: web.Request, data: bytes) -> web.Response:
    """Return the bytes asked for."""
    if "Range" not in request.headers:
        return web.Response(body=data)
    start, stop, _ = request.http_range.indices(len(data))
    headers = {"Content-Range": f"bytes {start}-{stop - 1}/{len(data)}"}
    return web.Response(status=206, body=data[start:stop], headers=headers)


async def index(request: web.Request) -> web.Response:
    """Explain the simulator in plain text."""
    readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    now = iso(request.app[CLOCK].now())
    return web.Response(text=f"EVERYTHING HERE IS SIMULATED. The simulator's clock shows {now}.\n\n{readme}")


async def misbehave(request: web.Request) -> web.Response:
    """Put a rule in force (POST) or drop them all (DELETE), and answer the rules in force."""
    rules = request.app[RULES]
    if request.method == "POST":
        try:
            rules.append(Rule.model_validate(await request.json()))
        except ValueError as error:
            return web.json_response({"error": str(error)}, status=400)
    elif request.method == "DELETE":
        rules.clear()
    return web.json_response([rule.model_dump() for rule in rules])


def create_app(
    clock: Clock,
    state_dir: Path,
    spacing_km: float,
    bias: Bias | None = None,
    archive_spacing_km: float = ARCHIVE_SPACING_KM,
    areas: Sequence[tuple[float, float]] = (),
) -> web.Application:
    """Return the application.

    Parameters
    ----------
    clock : Clock
        What time it is: which cycles are out.
    state_dir : Path
        Where the files are kept; one server to a folder.
    spacing_km : float
        Grid spacing of the files.
    bias : Bias, optional
        Planted in the forecasts' radiation.
    archive_spacing_km : float
        Grid spacing of the climate archives.
    areas : sequence of (lat, lon)
        Around which the climate archives have data; the whole country where there are none.
    """
    app = web.Application(client_max_size=_LARGEST_QUESTION)
    app[CLOCK], app[RULES] = clock, Rules()
    maker = Maker()
    app[FILES] = _files(maker, state_dir, spacing_km, bias, archive_spacing_km, areas)

    async def mark(_: web.Request, response: web.StreamResponse) -> None:
        response.headers["X-Data-Origin"] = "simulated"

    async def close(app: web.Application) -> None:
        await maker.close()
        for files in set(app[FILES].values()):
            files.drop_half_made()

    app.on_response_prepare.append(mark)
    app.on_cleanup.append(close)  # when nobody waits for a file any more
    app.router.add_get("/", index)
    for method in ("GET", "POST", "DELETE"):
        app.router.add_route(method, "/_misbehave", misbehave)
    app.router.add_get("/locationforecast/{version:(?:.+/)?}{kind:complete|compact}", locationforecast.serve)
    app.router.add_get("/kartverket/{name:Fylker|Kommuner}-M.geojson", borders.serve)
    app.router.add_get(addresses.ADDRESSES_ROUTE, addresses.serve_addresses)
    app.router.add_get(addresses.NAMES_ROUTE, addresses.serve_names)
    app.router.add_get(wcs.ROUTE, wcs.serve)
    app.router.add_get(wfs.ROUTE, wfs.serve)
    app.router.add_get(wms.ROUTE, wms.serve)
    app.router.add_get(features.OUTLINES_ROUTE, features.serve_outlines)
    app.router.add_get(features.ITEMS_ROUTE, features.serve_items)
    app.router.add_get(features.POINTS_ROUTE, features.serve_points)
    app.router.add_get(ortofoto.ROUTE, ortofoto.serve)
    for route in (wmts.ROUTE, wmts.CAPABILITIES_ROUTE, wmts.TILE_ROUTE):
        app.router.add_get(route, wmts.serve)
    app.router.add_post(vision.ROUTE, vision.serve)
    app.router.add_get("/frost/sources/v0.jsonld", frost.serve_sources)
    app.router.add_get("/frost/observations/v0.jsonld", frost.serve_observations)
    app.router.add_get(snow.ROUTE, snow.serve_cell)
    app.router.add_post(snow.MANY_ROUTE, snow.serve_cells)
    app.router.add_get("/{source:met_nordic|arome_metcoop|meteosat|nora3|sarah3}/{name:.+}", serve_file)
    return app


def _files(
    maker: Maker,
    state_dir: Path,
    spacing_km: float,
    bias: Bias | None,
    archive_spacing_km: float,
    areas: Sequence[tuple[float, float]],
) -> dict[str, Files]:
    """Return where the files of each kind are, and how they are made."""

    def files(root: str, name: str, function: str, keep: int = 12, **options: object) -> Files:
        folder = state_dir / f"{root}-{_WEATHER_VERSION}"
        return Files(folder, name, maker, f"infra.simulator.{function}", keep, **options)

    areas = _with_earlier(areas, state_dir / "areas.json")
    biased = "" if bias is None else f"-bias-{bias.text}"
    cycles = files("weather", f"{spacing_km:g}{biased}", "netcdf:make_cycle_file", spacing_km=spacing_km, bias=bias)
    images = files("images", f"{spacing_km:g}", "meteosat:make_image_file", _KEPT_IMAGES, spacing_km=spacing_km)
    where = f"{archive_spacing_km:g}-{hashlib.sha256(repr(areas).encode()).hexdigest()[:8]}"
    keep, options = _KEPT_MONTHS if areas else _KEPT_WHOLE_MONTHS, {"spacing_km": archive_spacing_km, "areas": areas}
    archives = files("archives", where, "archive:make_month_file", keep, **options)
    kinds = ("met_nordic", "arome_metcoop_test2", "arome_metcoop_default2")
    return {**dict.fromkeys(kinds, cycles), "meteosat": images, **dict.fromkeys(ARCHIVES, archives)}


def _with_earlier(areas: Sequence[tuple[float, float]], file: Path) -> tuple[tuple[float, float], ...]:
    """Return areas and those of earlier starts: cells that were published of them are read again with their block."""
    if not areas:
        return ()
    with suppress(FileNotFoundError, ValueError):
        areas = [*areas, *map(tuple, json.loads(file.read_text()))]
    every = tuple(sorted(set(areas)))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(every))
    return every


def main(host: str, port: int, clock: Clock, state_dir: Path, spacing_km: float, **options: Any) -> None:
    """Serve until SIGTERM or SIGINT, then stop within two seconds; port 0 takes a free one.

    One line on standard output tells where it listens. The newest MET Nordic cycle is made at once, unasked.

    Parameters are those of `create_app`.

    Raises
    ------
    OSError
        The port cannot be had.
    """
    # before numpy is loaded: threads of its matrix products wait for each other where the machine is busy, and cost
    # ten times what they save
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    app = create_app(clock, state_dir, spacing_km, **options)
    app.cleanup_ctx.append(_making_newest)
    with socket.create_server((host, port)) as listening:
        print(f"simulator: http://{host}:{listening.getsockname()[1]}/ serves SIMULATED weather", flush=True)
        web.run_app(app, sock=listening, print=None, access_log=None, shutdown_timeout=0.5)


async def _making_newest(app: web.Application) -> AsyncIterator[None]:
    """Make what whoever started us asks for next."""
    newest = floor_hour(app[CLOCK].now())
    ahead = asyncio.create_task(app[FILES]["met_nordic"].get("met_nordic", newest))
    yield
    ahead.cancel()
    with suppress(asyncio.CancelledError, GenerationError):
        await ahead
