"""Waiting for what happens soon."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Look again and again until something is true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)
