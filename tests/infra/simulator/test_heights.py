"""The simulated height services: read by our own source, alike in every window, and their faults."""

import asyncio
from typing import Any

import numpy as np

from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import Heights

OSLO = (262_000.0, 6_649_000.0)


async def window(client: Any, model: heights.Model, x: float, y: float, size: float, cell: float) -> Heights:
    url = str(client.make_url("/kartverket_wcs"))
    return await asyncio.to_thread(
        heights.window, url, model, x, y, x + size, y + size, cell, user_agent="test", deadline=20
    )


async def test_our_source_reads_it(client: Any) -> None:
    found = await window(client, "dtm", *OSLO, 1000, 10)
    assert found.z.shape == (100, 100)
    assert found.z.dtype == np.float32
    assert (found.west, found.south, found.cell) == (*OSLO, 10)
    assert (found.year, found.data_origin) == (2021, "simulated")
    assert np.isfinite(found.z).all()
