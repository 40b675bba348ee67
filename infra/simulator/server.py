"""The simulator's HTTP server: the paths, names and headers of the authority's file server, on loopback."""

import asyncio
import os
import re
import signal
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aiohttp import web

from infra.simulator import archive_server, borders, borders_municipal, frost, locationforecast
from infra.simulator.archive_server import ARCHIVES
from infra.simulator.archive_store import ArchiveStore
from infra.simulator.bias import Bias
from infra.simulator.files import PROGRAM, CycleFiles, GenerationError
from infra.simulator.heights import points, wcs
from infra.simulator.keys import CLOCK, RULES
from infra.simulator.misbehave import Rule, RuleError, Rules, damaged
from infra.simulator.small import plain_fault
from infra.simulator.snow import serve as snow
from infra.simulator.snow.store import SnowStore
from tiles.clock import Clock, floor_hour, format_moment, iso

FILES = web.AppKey("FILES", CycleFiles)
IMAGES = web.AppKey("IMAGES", CycleFiles)
DELAY = web.AppKey("DELAY", timedelta)

HELD = timedelta(hours=72)
ARCHIVE_SPACING_KM = 12.0
_AROME_EVERY_H = 6
# An image is out so long after the time that names it.
IMAGE_LAG = timedelta(minutes=15)
# Spacings of images, degrees, the real one first: the coarsest that is not much coarser than the models' grid is taken.
_IMAGE_SPACINGS_DEG = (0.05, 0.1, 0.2, 0.25, 0.4, 0.5, 0.8, 1.0)
_KEPT_IMAGES = 24
_IMAGE_PROGRAM = (sys.executable, "-m", "infra.simulator.meteosat")
_CONNECTION_CHUNK = 1 << 18

_MET_NORDIC = re.compile(
    r"/(?P<source>met_nordic)/(?P<y>\d{4})/(?P<m>\d{2})/(?P<d>\d{2})/"
    r"met_forecast_1_0km_nordic_(?P=y)(?P=m)(?P=d)T(?P<h>\d{2})Z\.nc",
    re.ASCII,
)
_AROME = re.compile(
    r"/(?P<source>arome_metcoop)/arome_metcoop_red_(?P<kind>test2|default2)_5km_"
    r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})_(?P<h>\d{2})\.nc",
    re.ASCII,
)
_METEOSAT = re.compile(
    r"/(?P<source>meteosat)/(?P<y>\d{4})/(?P<m>\d{2})/(?P<d>\d{2})/"
    r"NETCDF4_LSASAF_MSG_MDSSFTD_MSG-Disk_(?P=y)(?P=m)(?P=d)(?P<h>\d{2})(?P<min>00|15|30|45)\.nc",
    re.ASCII,
)


def parse_path(path: str) -> tuple[str, datetime] | None:
    """Return the kind of file (`meteosat`, or see `layout.Source`) and the cycle that a path names, or None."""
    match = _MET_NORDIC.fullmatch(path) or _AROME.fullmatch(path) or _METEOSAT.fullmatch(path)
    if match is None:
        return None
    source = match["source"] + (f"_{match['kind']}" if match.re is _AROME else "")
    try:
        year, month, day, hour = (int(match[part]) for part in "ymdh")
        minute = int(match["min"]) if match.re is _METEOSAT else 0
        return source, datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:  # the 31st of February
        return None


def unavailable(source: str, cycle: datetime, now: datetime, delay: timedelta) -> str | None:
    """Return why a cycle is not held at a moment, or None where it is."""
    if source.startswith("arome") and cycle.hour % _AROME_EVERY_H:
        return "AROME-MetCoOp runs at 00, 06, 12 and 18 UTC"
    if source == "meteosat":
        delay = max(delay, IMAGE_LAG)
    if cycle + delay > now:
        return f"this cycle is published at {iso(cycle + delay)}; the simulator's clock shows {iso(now)}"
    if cycle < now - HELD:
        return f"cycles are held for 72 hours; the simulator's clock shows {iso(now)}"
    return None


async def serve_file(request: web.Request) -> web.StreamResponse:
    """Answer a cycle's file, or the fault that a rule asks for."""
    rule = request.app[RULES].meet(request.path)
    if rule is None:
        return await _file(request)
    if (fault := plain_fault(request, rule)) is not None:
        return fault
    mode = rule.mode
    if mode == "slow":
        await asyncio.sleep(rule.seconds)
        return await _file(request)
    if mode == "stale":
        return await _file(request, older=timedelta(hours=rule.hours))
    if mode == "truncate" and rule.how == "connection":
        return await _break_off(request, await _path_of(request), rule.fraction)
    good = await _path_of(request)
    return web.FileResponse(await asyncio.to_thread(damaged, good, rule))


async def _file(request: web.Request, older: timedelta = timedelta()) -> web.StreamResponse:
    return web.FileResponse(await _path_of(request, older))


async def _path_of(request: web.Request, older: timedelta = timedelta()) -> Path:
    named = parse_path(request.path)
    if named is None:
        raise web.HTTPNotFound(text="no such file; / tells which there are\n")
    source, cycle = named
    app = request.app
    if reason := unavailable(source, cycle, app[CLOCK].now(), app[DELAY]):
        raise web.HTTPNotFound(text=f"{reason}\n")
    try:
        return await app[IMAGES if source == "meteosat" else FILES].get(source, cycle - older)
    except GenerationError as error:
        raise web.HTTPInternalServerError(text=f"{error}\n") from error


async def _break_off(request: web.Request, path: Path, fraction: float) -> web.StreamResponse:
    """Promise all the bytes asked for, send some, and close the connection."""
    size = path.stat().st_size
    try:
        start, stop, _ = request.http_range.indices(size)
    except ValueError:
        start, stop = 0, size
    ranged = "Range" in request.headers
    response = web.StreamResponse(status=206 if ranged else 200)
    if ranged:
        response.headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    response.content_length = stop - start
    await response.prepare(request)
    if request.method != "HEAD":
        left = int((stop - start) * fraction)
        with path.open("rb") as file:
            file.seek(start)
            while left > 0:
                chunk = file.read(min(left, _CONNECTION_CHUNK))
                await response.write(chunk)
                left -= len(chunk)
        if request.transport is not None:
            request.transport.close()
    return response


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
            rules.add(Rule.parse(await request.json()))
        except (RuleError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=400)
    elif request.method == "DELETE":
        rules.clear()
    return web.json_response([rule.as_json() for rule in rules.all()])


def create_app(
    clock: Clock,
    state_dir: Path,
    spacing_km: float,
    publish_delay_min: float = 0,
    bias: Bias | None = None,
    archive_spacing_km: float = ARCHIVE_SPACING_KM,
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
    publish_delay_min : float
        How long after its hour a cycle is out, minutes.
    bias : Bias, optional
        Planted in the forecasts' radiation.
    archive_spacing_km : float
        Grid spacing of the climate archives.
    """
    app = web.Application()
    app[CLOCK], app[RULES], app[DELAY] = clock, Rules(), timedelta(minutes=publish_delay_min)
    program = PROGRAM if bias is None else (*PROGRAM, f"--bias={bias.text}")
    cycles = state_dir if bias is None else state_dir / f"bias-{bias.text}"
    app[FILES] = CycleFiles(cycles, spacing_km, program=program)
    degrees = max((d for d in _IMAGE_SPACINGS_DEG if d <= spacing_km / 100), default=_IMAGE_SPACINGS_DEG[0])
    app[IMAGES] = CycleFiles(state_dir / "images", degrees, _KEPT_IMAGES, _IMAGE_PROGRAM, format_moment)

    app[ARCHIVES] = ArchiveStore(archive_spacing_km)
    app[snow.SNOW] = SnowStore()

    async def mark(_: web.Request, response: web.StreamResponse) -> None:
        response.headers["X-Data-Origin"] = "simulated"

    async def close(app: web.Application) -> None:
        await app[FILES].close()
        await app[IMAGES].close()
        await app[ARCHIVES].close()

    app.on_response_prepare.append(mark)
    app.on_shutdown.append(close)
    app.router.add_get("/", index)
    for method in ("GET", "POST", "DELETE"):
        app.router.add_route(method, "/_misbehave", misbehave)
    app.router.add_get("/locationforecast/{version:(?:.+/)?}{kind:complete|compact}", locationforecast.serve)
    app.router.add_get("/kartverket/Fylker-M.geojson", borders.serve)
    app.router.add_get("/kartverket/Kommuner-M.geojson", borders_municipal.serve)
    app.router.add_get(wcs.ROUTE, wcs.serve)
    app.router.add_get(points.ROUTE, points.serve)
    app.router.add_get("/frost/sources/v0.jsonld", frost.serve_sources)
    app.router.add_get("/frost/observations/v0.jsonld", frost.serve_observations)
    app.router.add_get(snow.ROUTE, snow.serve_cell)
    app.router.add_post(snow.MANY_ROUTE, snow.serve_cells)
    app.router.add_get(archive_server.ROUTE, archive_server.serve)
    app.router.add_get("/{source:met_nordic|arome_metcoop|meteosat}/{name:.+}", serve_file)
    return app


def main(
    host: str,
    port: int,
    clock: Clock,
    state_dir: Path,
    spacing_km: float,
    publish_delay_min: float = 0,
    bias: Bias | None = None,
    archive_spacing_km: float = ARCHIVE_SPACING_KM,
) -> None:
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
    asyncio.run(
        _serve(host, port, create_app(clock, state_dir, spacing_km, publish_delay_min, bias, archive_spacing_km))
    )


async def _serve(host: str, port: int, app: web.Application) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        bound = runner.addresses[0][1]
        # whoever starts us asks for the newest cycle next
        newest = floor_hour(app[CLOCK].now() - app[DELAY])
        ahead = asyncio.create_task(app[FILES].get("met_nordic", newest))
        print(f"simulator: http://{host}:{bound}/ serves SIMULATED weather", flush=True)
        await stop.wait()
        ahead.cancel()
        with suppress(asyncio.CancelledError, GenerationError):
            await ahead
    finally:
        await runner.cleanup()
