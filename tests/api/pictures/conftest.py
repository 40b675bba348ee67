"""Workers run on uvloop, whose processes and pipes are its own; other tests of the API on asyncio's loop: here both."""

import asyncio
from collections.abc import Callable

import uvloop


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run each test here on both."""
    return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}
