"""The simulator in this process, which plays one external service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from infra.simulator.keys import RULES
from infra.simulator.misbehave import Rule
from infra.simulator.server import create_app


class Simulated:
    """What a service was asked, and faults to order."""

    def __init__(self, name: str, clock: Any, folder: Path) -> None:
        self.name, self.clock = name, clock
        self.asked: list[web.Request] = []
        self.server = TestServer(create_app(clock, folder, 5))

        @web.middleware
        async def note(request: web.Request, handler: Any) -> web.StreamResponse:
            self.asked.append(request)
            answer: web.StreamResponse = await handler(request)
            return answer

        self.server.app.middlewares.append(note)

    @property
    def url(self) -> str:
        """Its address."""
        return self.url_of(self.name)

    def url_of(self, name: str) -> str:
        """Return the address of another service."""
        return str(self.server.make_url(f"/{name}"))

    def misbehave(self, path: str = "*", **rule: Any) -> None:
        """Put a fault in force."""
        self.server.app[RULES].append(Rule.model_validate({"path": f"/{self.name}/{path}", **rule}))

    def behave(self) -> None:
        """Drop all faults."""
        self.server.app[RULES].clear()


@asynccontextmanager
async def simulated(name: str, clock: Any, folder: Path) -> AsyncIterator[Simulated]:
    """Run the simulator as a service of some name, by a clock."""
    service = Simulated(name, clock, folder)
    async with service.server:
        yield service
