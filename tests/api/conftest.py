"""An application over a fabricated tile, asked through a real socket on loopback."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal, TextIO

import jsonschema
import orjson
import pytest
import pytest_asyncio
from aiohttp import ClientSession, web
from anyio.from_thread import BlockingPortal, start_blocking_portal
from yarl import URL

from api.core.app import Application
from api.core.routing import Route
from api.core.server import Patience, serving
from api.core.settings import Settings
from tests.api.fabricated import CYCLE, entry, hydrate, hydrate_turbidity, turbidity_entry, write_index
from tests.support.county_now import publish_counties
from tests.support.horizon import publish_horizon
from tests.support.snow import publish_snow
from tests.support.snowload import publish_snowload, publish_squares
from tiles.clock import Clock
from tiles.store import open_store

HALF_PAST_TWO = CYCLE + timedelta(hours=2, minutes=30)
NOBODY = "http://127.0.0.1:9"  # where an upstream would be: nobody listens


@dataclass
class MovableClock:
    """A clock that stands where the test puts it."""

    moment: datetime = field(default=HALF_PAST_TWO)

    is_real = False
    anchor = None

    def now(self) -> datetime:
        """What it shows."""
        return self.moment


@dataclass
class Asked:
    """An answer, read."""

    status: int
    headers: Any
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)


@dataclass
class Client:
    """Whoever asks something that is served."""

    url: str
    session: ClientSession

    async def ask(self, path: str, method: str = "GET", **options: Any) -> Asked:
        """Ask once."""
        async with self.session.request(method, URL(self.url + path, encoded=True), **options) as answer:
            return Asked(answer.status, answer.headers, await answer.read())

    async def good(self, path: str) -> Any:
        """Ask for an answer that there is; return its body."""
        asked = await self.ask(path)
        assert asked.status == 200, asked.text
        return asked.json

    async def until(self, path: str, true_of: Callable[[Asked], bool], seconds: float = 60) -> Asked:
        """Ask again and again until something is true of the answer."""
        deadline = time.monotonic() + seconds
        while not true_of(asked := await self.ask(path)):
            assert time.monotonic() < deadline, f"{path} still answers {asked.status} {asked.text[:300]}"
            await asyncio.sleep(0.02)
        return asked


@dataclass
class Api(Client):
    """A running application."""

    app: Application


Start = Callable[..., Awaitable[Api]]
StartKept = Callable[..., Api]


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with the hydrated tiles of CYCLE and of turbidity; tests that change it make their own."""
    folder = tmp_path_factory.mktemp("state")
    hydrate(folder, entry())
    hydrate_turbidity(folder)
    return folder


def usual_store(folder: Path) -> Path:
    """Publish CYCLE and turbidity in a folder."""
    write_index(folder, entry())
    write_index(folder, turbidity_entry(), product="turbidity")
    return folder


@pytest.fixture(scope="session")
def full_store(climate: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with everything that examples ask, which no test changes."""
    folder = usual_store(tmp_path_factory.mktemp("full") / "tiles")
    for product in climate.iterdir():
        (folder / product.name).symlink_to(product)
    publish_horizon(open_store(str(folder)))
    publish_snow(open_store(str(folder)), date(2026, 5, 31))
    publish_snowload(open_store(str(folder)))
    publish_squares(open_store(str(folder)), folder.parent / "borders")
    publish_counties(open_store(str(folder)))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store in which CYCLE and turbidity are published."""
    return usual_store(tmp_path / "tiles")


@asynccontextmanager
async def applications(state: Path, store: Path, database_file: Path) -> AsyncIterator[Start]:
    """Yield what starts applications."""
    stack = AsyncExitStack()

    async def starting(
        *,
        clock: Any = None,
        state_folder: Path = state,
        store_folder: Path = store,
        more_routes: tuple[Route, ...] = (),
        patience: Patience | None = None,
        access_log: TextIO | None = None,
        database: str = f"sqlite:///{database_file}",
        access: Literal["keys", "open"] = "open",
        poll_s: float = 0.05,
        locationforecast_url: str = NOBODY,
        kartverket_wcs_url: str = NOBODY,
        nve_gts_url: str = NOBODY,
        urls: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Api:
        settings = Settings(
            store=str(store_folder),
            state=state_folder,
            clock=clock or MovableClock(),
            poll_s=poll_s,
            first_look_s=120.0,  # it hydrates, slowly on a busy machine
            database=database,
            access=access,
            urls={
                "locationforecast": locationforecast_url,
                "kartverket_wcs": kartverket_wcs_url,
                "nve_gts": nve_gts_url,
                "kartverket_adresser": NOBODY,
                **dict.fromkeys(("ar50", "ar5"), "/nowhere.gpkg"),
                "corine": NOBODY,
                **(urls or {}),
            },
            **more,
        )
        app = Application(settings, more_routes)
        app.answers.write_to(access_log)
        await stack.enter_async_context(app.lifespan())
        running = serving(app.router, app.answers, finish_s=1, patience=patience or Patience())
        runner = await stack.enter_async_context(running)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        session = await stack.enter_async_context(ClientSession())
        port = runner.addresses[0][1]
        return Api(f"http://127.0.0.1:{port}", session, app)

    async with stack:
        yield starting


@pytest_asyncio.fixture
async def start(state: Path, store: Path, migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[Start]:
    """Start an application: `open`, that is without quotas, unless `access="keys"` is asked for."""
    own_database = Path(shutil.copy(migrated_sqlite, tmp_path / "solflis.sqlite"))
    async with applications(state, store, own_database) as starting:
        yield starting


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[BlockingPortal]:
    """An event loop in a thread of its own, for what outlives a test."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def start_kept(
    elsewhere: BlockingPortal, state: Path, migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StartKept]:
    """Start an application that all tests of a module ask: to make one takes a tenth of a second."""
    folder = tmp_path_factory.mktemp("kept")
    database = Path(shutil.copy(migrated_sqlite, folder / "solflis.sqlite"))
    kept = applications(state, usual_store(folder / "tiles"), database)
    with elsewhere.wrap_async_context_manager(kept) as starting:
        yield lambda **settings: elsewhere.call(partial(starting, poll_s=1, **settings))


@pytest.fixture(scope="module")
def kept(start_kept: StartKept) -> Api:
    """An application at half past two, when the cycle of midnight is the newest; `api` asks it."""
    return start_kept()


@pytest_asyncio.fixture
async def api(kept: Api) -> AsyncIterator[Api]:
    """The module's application, over connections of the test's own. Who changes anything of it uses `start`."""
    async with ClientSession() as session:
        yield replace(kept, session=session)


def frozen(moment: datetime) -> Clock:
    """A frozen clock, as `SOLFLIS_CLOCK=T!` makes it."""
    return Clock.parse(moment.isoformat() + "!")


def damage(store: Path, product: str, variable: str) -> None:
    """Overwrite the first half of each shard of a variable."""
    for shard in store.glob(f"{product}/*/*.zarr/{variable}/c/**/*"):
        if shard.is_file():
            data = shard.read_bytes()
            shard.write_bytes(bytes(len(data) // 2) + data[len(data) // 2 :])


async def require_documented(api: Api, route: str, *answers: Asked) -> Callable[[Any], None]:
    """Require that answers are as the document says; return what validates a body."""
    method, path = route.lower().split()
    document = (await api.ask("/openapi.json")).json
    success = document["paths"][path][method]["responses"]["200"]["content"]["application/json"]
    validator = jsonschema.Draft202012Validator({**success["schema"], "components": document["components"]})
    for asked in answers:
        validator.validate(asked.json)
    return validator.validate
