"""`terrengkategori` waits for its job, gives its id where that takes longer, and is called again with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from api.jobs.worker import Worker
from tests.api.conftest import Start
from tests.api.mcp.conftest import Server

SITE = {"lat": 65.0, "lon": 12.0}


@asynccontextmanager
async def working(server: Server) -> AsyncIterator[None]:
    """Run a worker of jobs."""
    async with Worker(server.api.app.settings).lifespan():
        yield


async def test_job_that_takes_longer_is_fetched_by_its_id(start: Start, land_store, tmp_path) -> None:
    settings = {"store_folder": land_store, "state_folder": tmp_path / "state", "mcp_wait_s": 0.3}
    server = Server(await start(**settings), "")
    waiting = await server.call("terrengkategori", SITE, key=False)
    fields = waiting["structuredContent"]
    assert fields["status"] == "queued"
    assert "resultat" not in fields
    summary = waiting["content"][0]["text"]
    assert fields["jobb_id"] in summary
    assert "15 minutter" in summary
    async with working(server):
        for _ in range(100):
            again = await server.call("terrengkategori", {"jobb_id": fields["jobb_id"]}, key=False)
            if again["structuredContent"]["status"] == "done":
                break
    assert len(again["structuredContent"]["resultat"]["sektorer"]) == 72


async def test_same_site_is_the_same_job(start: Start, land_store, tmp_path) -> None:
    settings = {"store_folder": land_store, "state_folder": tmp_path / "state", "mcp_wait_s": 0.1}
    server = Server(await start(**settings), "")
    first, second = [await server.call("terrengkategori", SITE, key=False) for _ in range(2)]
    assert first["structuredContent"]["jobb_id"] == second["structuredContent"]["jobb_id"]


@pytest.mark.parametrize("job_id", ["madeup", "0" * 32])
async def test_job_that_is_gone_is_asked_for_by_place_again(server: Server, job_id: str) -> None:
    text = await server.refusal("terrengkategori", {"jobb_id": job_id})
    assert "finnes ikke lenger" in text
    assert "lat og lon" in text


async def test_what_is_no_job_id(server: Server) -> None:
    assert "lat og lon" in await server.refusal("terrengkategori", {"jobb_id": "../../etc"})


async def test_neither_site_nor_job(server: Server) -> None:
    text = await server.refusal("terrengkategori", {})
    assert "jobb_id" in text
    assert "adressesok" in text


async def test_job_that_fails_is_an_error_of_the_tool(server: Server) -> None:
    """Nobody plays the heights of this site here."""
    assert "kan ikke hentes" in await server.refusal("terrengkategori", {"lat": 61.5, "lon": 9.0})
