"""An application and a worker of jobs against the simulator's buildings, whose truth is exact."""

import itertools
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
import pytest_asyncio
from aiohttp import ClientSession
from anyio.from_thread import start_blocking_portal

from api.core.settings import Settings
from api.jobs.results import Results
from api.jobs.run import Run
from api.jobs.worker import Worker
from api.roof import job
from api.roof.answers import Result
from api.roof.schemas import RoofRequest
from infra.simulator.buildings.record import Building, buildings_in
from infra.simulator.keys import RULES
from infra.simulator.misbehave import Rule
from kernels import utm
from tests.api.conftest import Api, Asked, MovableClock, Start, applications, usual_store
from tests.support.horizon import publish_horizon
from tests.support.simulated import Simulated, simulated
from tiles.store import open_store

LAYOUT, JOBS = "/api/roof/layout", "/api/roof/jobs"
_addresses = itertools.count(1)


@cache
def buildings() -> list[Building]:
    """Buildings of a part of Oslo."""
    return buildings_in(262_000, 6_649_000, 262_800, 6_649_800)


def house(form: str, *, newer: bool = False, number: int = 0) -> Building:
    """A building of a form that falls to about south and north, without dormers, published where its walls are."""
    found = (one for one in buildings() if one.form == form and one.newer == newer and one.shift == (0, 0))
    plain = (one for one in found if not any(kind == "takoppbygg" for kind, *_ in one.objects))
    return [one for one in plain if abs(np.sin(one.turn)) < 0.5][number]


def point_of(building: Building) -> dict[str, float]:
    lat, lon = utm.inverse(building.x, building.y)
    return {"lat": float(lat), "lon": float(lon)}


def street() -> dict[str, float]:
    """A point more than 7 m from every building."""
    for x, y in itertools.product(range(262_100, 262_700, 5), range(6_649_100, 6_649_700, 5)):
        if all(np.hypot(one.x - x, one.y - y) - np.hypot(one.length, one.width) / 2 > 7 for one in buildings()):
            lat, lon = utm.inverse(x, y)
            return {"lat": float(lat), "lon": float(lon)}
    raise AssertionError("no such place")


def urls_of(service: Simulated) -> dict[str, str]:
    root = str(service.server.make_url("/"))
    urls = {name: root + name for name in ("kartverket_wcs", "bygninger", "bygningspunkt")}
    return urls | {"ortofoto": f"{root}ortofoto?LAYERS=ortofoto"}


class Roofs:
    """Asks about roofs."""

    def __init__(self, api: Api, clock: MovableClock, service: Simulated) -> None:
        self.api, self.clock, self.service = api, clock, service

    async def ask(self, path: str = JOBS, address: str = "", headers: Any = None, **body: Any) -> Asked:
        """Ask from an address of its own, without a drawing unless it is asked for."""
        own = address or f"2001:db8:{next(_addresses):x}::1"
        return await self.api.ask(
            path, "POST", json={"tegning": False} | body, headers={"X-Forwarded-For": own} | (headers or {})
        )

    async def done(self, job_id: str) -> Any:
        """Ask for a job until it has ended."""
        ended = await self.api.until(f"{JOBS}/{job_id}", lambda asked: asked.json["status"] in ("done", "failed"))
        return ended.json

    def misbehave(self, name: str, **rule: Any) -> None:
        self.service.server.app[RULES].append(Rule.model_validate({"path": f"/{name}*", **rule}))


@pytest.fixture(scope="package")
def kept_roofs(migrated_sqlite: Path, climate: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Roofs]:
    """An application with typical years and horizon of Oslo, a worker and the simulator for all tests."""
    clock, folder = MovableClock(), tmp_path_factory.mktemp("roofs")
    store = usual_store(folder / "tiles")
    shutil.copytree(climate, store, dirs_exist_ok=True)
    publish_horizon(open_store(str(store)))
    database = Path(shutil.copy(migrated_sqlite, folder / "solflis.sqlite"))
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(simulated("roofs", clock, folder / "simulator")) as service,
        portal.wrap_async_context_manager(applications(folder, store, database)) as starting,
    ):
        urls = urls_of(service)
        api = portal.call(partial(starting, clock=clock, kartverket_wcs_url=urls["kartverket_wcs"], urls=urls))
        with portal.wrap_async_context_manager(Worker(api.app.settings).lifespan()):
            yield Roofs(api, clock, service)


@pytest_asyncio.fixture
async def roofs(kept_roofs: Roofs) -> AsyncIterator[Roofs]:
    """That application, over connections of the test's own."""
    async with ClientSession() as session:
        yield Roofs(replace(kept_roofs.api, session=session), kept_roofs.clock, kept_roofs.service)
    kept_roofs.service.behave()


@pytest.fixture(scope="package")
def kept_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulated]:
    with start_blocking_portal() as portal:
        own = simulated("roofs", MovableClock(), tmp_path_factory.mktemp("simulator"))
        with portal.wrap_async_context_manager(own) as service:
            yield service


PARTS = "json", "collections"
Analyse = Callable[..., dict[str, Any]]


@pytest.fixture
def analyse(kept_service: Simulated, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Analyse]:
    """Run a job in this process, anew unless the body says else; `away` names services that do not answer."""
    state = tmp_path_factory.getbasetemp() / "roof-heights"

    def analysing(
        away: str = "", settings: dict[str, Any] | None = None, far: Any = None, **body: Any
    ) -> dict[str, Any]:
        if away:
            rule = {"path": f"/{away}*", "mode": "error", "status": 400}
            kept_service.server.app[RULES].append(Rule.model_validate(rule))
        request = RoofRequest.model_validate({"tegning": False, "tving_ny": True} | body).model_dump(
            exclude={"passord"}
        )
        inputs = {"far": far, "anew": request.pop("tving_ny"), "request": request, "unknown": ()}
        made = Settings(**{"store": str(tmp_path), "state": state, "urls": urls_of(kept_service)} | (settings or {}))
        job.run(Run("test", 1, orjson.dumps(inputs), made, "job/1", tmp_path / "progress"))
        parts = [orjson.loads(Results(made.results_address).get("job/1", f"result.{name}")) for name in PARTS]
        result: dict[str, Any] = parts[0] | parts[1]
        del result["tegning"]
        Result.model_validate(result)
        return result

    yield analysing
    kept_service.behave()


@asynccontextmanager
async def counted(start: Start, service: Simulated, access: str = "keys", **settings: Any) -> AsyncIterator[Roofs]:
    """An application of the test's own that asks for passwords unless its access is `open`, without a worker."""
    clock = MovableClock()
    urls = urls_of(service)
    api = await start(access=access, clock=clock, kartverket_wcs_url=urls["kartverket_wcs"], urls=urls, **settings)
    yield Roofs(api, clock, service)
