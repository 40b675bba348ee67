"""A worker as `solflis serve` starts it: an inherited socket, a graceful end, and nothing heavy in it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from api.horizon.formats.registry import FORMATS
from api.settings import Settings, SettingsError
from infra.serve import GRACE_S
from tests.api.fabricated import CYCLE
from tests.support.coverages import Coverages
from tests.support.horizon import publish_horizon
from tests.support.snow import publish_snow
from tests.support.snowload import publish_snowload, publish_squares
from tiles.store import open_store

HEAVY = {"airflow", "pandas", "xarray", "pvlib", "matplotlib", "zarr", "h5py", "rasterio"}


def environment(state: Path, store: Path, heights: str = "http://127.0.0.1:9") -> dict[str, str]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith("SOLFLIS_")}
    now = CYCLE.isoformat() + "!"
    settings = {
        "STATE": str(state),
        "STORE": str(store),
        "CLOCK": now,
        "KARTVERKET_WCS_URL": heights,
        "NVE_GTS_URL": "http://127.0.0.1:9",
    }
    return {**ours, **{f"SOLFLIS_{name}": value for name, value in settings.items()}}


@contextmanager
def worker(
    state: Path, store: Path, argv: tuple[str, ...] = ("-m", "api.worker"), **more: str
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port, fd = sock.getsockname()[1], sock.fileno()
        process = subprocess.Popen(
            [sys.executable, *argv, "--fd", str(fd)],
            env=environment(state, store, **more), pass_fds=(fd,), stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    try:
        yield port, process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def ask(port: int, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET" if body is None else "POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_it_serves_and_ends_on_sigterm(state: Path, store: Path) -> None:
    with worker(state, store) as (port, process):
        assert ask(port, "/api/forecast?lat=59.91&lon=10.75")[0] == 200
        idle = socket.create_connection(("127.0.0.1", port))  # a keep-alive connection does not hold it up
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert time.monotonic() - begin < 5
        idle.close()


SLOW = """
    import asyncio, sys
    from aiohttp import web
    import api.app, api.worker
    from api.routing import Route

    async def slow(_, __):
        print("in", file=sys.stderr, flush=True)
        await asyncio.sleep(1)
        return web.Response(body=b"done")

    make = api.app.create_app
    api.worker.create_app = lambda settings: make(settings, (Route("GET", "/slow", slow, summary="-", tag="-"),))
    sys.exit(api.worker.main(sys.argv[1:]))
"""


def test_a_running_request_is_finished(state: Path, store: Path) -> None:
    with worker(state, store, ("-c", textwrap.dedent(SLOW))) as (port, process):
        answers: list[tuple[int, bytes]] = []
        asking = threading.Thread(target=lambda: answers.append(ask(port, "/slow")))
        asking.start()
        while "in" not in process.stderr.readline().split():
            pass
        process.send_signal(signal.SIGTERM)
        asking.join(10)
        assert answers == [(200, b"done")]
        assert process.wait(10) == 0


COLLECTOR = """
    import gc, sys
    gc.disable()  # as api.worker does where it is the program
    from aiohttp import web
    import api.app, api.worker
    from api.routing import Route

    async def collector(_, __):
        return web.json_response([gc.isenabled(), gc.get_freeze_count()])

    make = api.app.create_app
    route = Route("GET", "/collector", collector, summary="-", tag="-")
    api.worker.create_app = lambda settings: make(settings, (route,))
    sys.exit(api.worker.main(sys.argv[1:]))
"""


def test_garbage_of_requests_is_collected_and_what_start_up_made_is_never_walked(state: Path, store: Path) -> None:
    with worker(state, store, ("-c", textwrap.dedent(COLLECTOR))) as (port, _):
        enabled, frozen = json.loads(ask(port, "/collector")[1])
        assert enabled
        assert frozen > 50_000


LONG = """
    import asyncio, sys
    from aiohttp import web
    import api.app, api.worker
    from api.routing import Route

    async def hang(_, __):
        print("in", file=sys.stderr, flush=True)
        await asyncio.sleep(60)

    async def stubborn(_, __):
        print("in", file=sys.stderr, flush=True)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)

    async def stream(request, _):
        response = web.StreamResponse()
        await response.prepare(request)
        print("in", file=sys.stderr, flush=True)
        await asyncio.sleep(60)

    async def cleaned(_):
        print("cleaned", file=sys.stderr, flush=True)

    routes = [Route("GET", f"/{one.__name__}", one, summary="-", tag="-") for one in (hang, stubborn, stream)]
    make = api.app.create_app

    def create_app(settings):
        app = make(settings, tuple(routes))
        app.on_cleanup.append(cleaned)
        return app

    api.worker.create_app = create_app
    sys.exit(api.worker.main(sys.argv[1:]))
"""


def test_requests_that_outlive_the_end_are_answered_before_the_parent_kills(state: Path, store: Path) -> None:
    with worker(state, store, ("-c", textwrap.dedent(LONG))) as (port, process):
        paths = ("/hang", "/stubborn", "/stream")
        clients = {path: http.client.HTTPConnection("127.0.0.1", port, timeout=20) for path in paths}
        for path, client in clients.items():
            client.request("GET", path)
            while "in" not in process.stderr.readline().split():
                pass
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        answer = clients["/hang"].getresponse()
        assert (answer.status, answer.getheader("Retry-After")) == (503, "2")
        assert json.loads(answer.read()) == {"error": "Tjenesten stopper. Prøv igjen om litt."}
        _, said = process.communicate(timeout=20)
        assert time.monotonic() - begin < GRACE_S - 1  # the last second is the ledger's
        assert process.returncode == 0
        with pytest.raises(http.client.RemoteDisconnected):
            clients["/stubborn"].getresponse()
        for client in clients.values():
            client.close()
    assert "cleaned" in said.splitlines()
    lines = [json.loads(line) for line in said.splitlines() if '"endpoint"' in line]
    assert [(line["endpoint"], line["status"]) for line in lines if line["endpoint"] == "/hang"] == [("/hang", 503)]


MODULES = """
    import sys
    import api.horizon.rooftop.routes, api.worker

    api.horizon.rooftop.routes.WITHIN_S = 120.0  # on a busy machine the first answer takes more than ten seconds
    code = api.worker.main(sys.argv[1:])
    print("MODULES", *{name.split(".")[0] for name in sys.modules}, file=sys.stderr, flush=True)
    sys.exit(code)
"""


def test_nothing_heavy_is_loaded_after_one_request_to_every_route(state: Path, store: Path, climate: Path) -> None:
    for product in climate.iterdir():
        (store / product.name).symlink_to(product)
    publish_horizon(open_store(str(store)))
    publish_snow(open_store(str(store)), CYCLE.date() - timedelta(1))
    publish_snowload(open_store(str(store)))
    publish_squares(open_store(str(store)), store.parent / "borders")
    command = ("-c", textwrap.dedent(MODULES))
    with Coverages() as heights, worker(state, store, command, heights=heights.url) as (port, process):
        import orjson

        document = orjson.loads(ask(port, "/openapi.json")[1])
        examples = [e for item in document["paths"].values() for op in item.values() for e in op.get("x-examples", ())]
        for example in (*examples, "/api/forecast", "/nowhere", "/api/forecast?lat=70&lon=20"):
            ask(port, example)
        for path in ("/api/pv/calc", "/api/horizon/terrain", "/api/snowload/calc"):
            pictured = next(e for e in examples if e.startswith(path)) + "&format=png"
            assert ask(port, pictured)[1].startswith(b"\x89PNG")
        for form in FORMATS:
            assert ask(port, f"/api/horizon/terrain?lat=59.91&lon=10.75&format={form}")[0] == 200
        for path in (path for path in document["paths"] if path.startswith("/api/forecast")):
            if operation := document["paths"][path].get("post"):
                example = operation["requestBody"]["content"]["application/json"]["example"]
                assert ask(port, path, orjson.dumps(example))[0] in (200, 403, 503)
        for form in ("json", "csv", "png"):
            assert ask(port, f"/api/horizon/rooftop?format={form}", b'{"lat": 59.91, "lon": 10.75}')[0] == 200
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    [line] = [line for line in said.splitlines() if line.startswith("MODULES")]
    loaded = set(line.split())
    assert "aiohttp" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    ("variable", "value"),
    [("CLOCK", "yesterday"), ("RATE_STORE", "memory"), ("MAIL_FROM", "me"), ("DATABASE", "mine"), ("SITES", "none"),
     ("SNOWLOAD_TABLE", "none.csv")],
)  # fmt: skip
def test_a_bad_setting_ends_it_with_one_sentence(state: Path, store: Path, variable: str, value: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        ended = subprocess.run(
            [sys.executable, "-m", "api.worker", "--fd", str(sock.fileno())],
            env={**environment(state, store), f"SOLFLIS_{variable}": value},
            pass_fds=(sock.fileno(),), capture_output=True, text=True, timeout=20,
        )  # fmt: skip
    assert ended.returncode == os.EX_CONFIG
    [line] = ended.stderr.splitlines()
    assert (value if variable in ("SITES", "SNOWLOAD_TABLE") else f"SOLFLIS_{variable}") in line


def test_settings() -> None:
    settings = Settings.from_environment({"SOLFLIS_STATE": "x", "SOLFLIS_STORE": "s3://bucket/tiles"})
    assert settings.state == Path("x").resolve()
    assert settings.store == "s3://bucket/tiles"
    assert Settings.from_environment({"SOLFLIS_STATE": "x"}).store == str(Path("x").resolve() / "tiles")
    assert Settings.from_environment({}).clock.is_real
    with pytest.raises(SettingsError, match="SOLFLIS_CLOCK"):
        Settings.from_environment({"SOLFLIS_CLOCK": "soon"})


@pytest.mark.parametrize(
    ("name", "authority"),
    [
        ("locationforecast", "https://api.met.no/weatherapi/locationforecast/2.0"),
        ("kartverket_wcs", "https://wcs.geonorge.no/skwms1"),
        ("nve_gts", "https://gts.nve.no"),
    ],
)
def test_where_external_services_are_asked(name: str, authority: str) -> None:
    assert Settings.from_environment({}).address(name) == authority
    variable = f"SOLFLIS_{name.upper()}_URL"
    ours = {variable: "http://127.0.0.1:8082/service/"}
    assert Settings.from_environment(ours).address(name) == "http://127.0.0.1:8082/service"
    with pytest.raises(SettingsError, match=variable):
        Settings.from_environment({variable: "./answers"})


def test_how_much_of_the_heights_is_kept() -> None:
    assert Settings.from_environment({}).heights_bytes == 2_000_000_000
    assert Settings.from_environment({"SOLFLIS_HEIGHTS_MB": "500"}).heights_bytes == 500_000_000
    for value in ("0", "-5", "much", "1e3", "2000000"):
        with pytest.raises(SettingsError, match="SOLFLIS_HEIGHTS_MB"):
            Settings.from_environment({"SOLFLIS_HEIGHTS_MB": value})


@pytest.mark.parametrize("url", ["https://solflis.no", "http://10.0.0.1:8080", "http://[::1]:80", "https://a.no/sol/"])
def test_where_callers_reach_it(url: str) -> None:
    assert Settings.from_environment({"SOLFLIS_BASE_URL": url}).base_url == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    ["solflis.no", "ftp://solflis.no", "javascript:alert(1)", "https://", "https:///sol", "https://me:pw@solflis.no",
     "https://solflis.no?a=b", "https://solflis.no#a", "https://solflis .no", "https://a.no:port", "//a.no"],
)  # fmt: skip
def test_where_nobody_reaches_it(url: str) -> None:
    with pytest.raises(SettingsError, match="SOLFLIS_BASE_URL"):
        Settings.from_environment({"SOLFLIS_BASE_URL": url})


def test_mails_to_people_need_an_address_for_their_links_and_a_sender() -> None:
    smtp = {"SOLFLIS_SMTP": "smtp://mail:25"}
    base, sender = {"SOLFLIS_BASE_URL": "https://solflis.no"}, {"SOLFLIS_MAIL_FROM": "post@solflis.no"}
    assert Settings.from_environment({**smtp, **base, **sender}).smtp == "smtp://mail:25"
    for given, missing in (({}, "SOLFLIS_BASE_URL and SOLFLIS_MAIL_FROM"), (base, "set SOLFLIS_MAIL_FROM"),
                           (sender, "set SOLFLIS_BASE_URL")):  # fmt: skip
        with pytest.raises(SettingsError, match=missing):
            Settings.from_environment({**smtp, **given})
