"""`GET /api/results/{job}/{file}`: whoever has a link reads that file until it expires, and nobody else."""

import random
import secrets
import string
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from api.access.secret import Secret
from api.core.errors import ApiError
from api.jobs.leases import Leases
from api.jobs.links import Links
from api.jobs.queue import question_of
from tests.api.conftest import Api, MovableClock, Start
from tests.support.job_functions import KINDS

ALTERED = 10_000
_LETTERS = string.ascii_letters + string.digits + "-_."


class Result:
    """A result of two files, and links to them."""

    def __init__(self, api: Api, clock: MovableClock, job: str, link: str) -> None:
        self.api, self.clock, self.job, self.link = api, clock, job, link
        self.links: Links = api.app.resources.links


@pytest_asyncio.fixture
async def result(start: Start, tmp_path: Path) -> AsyncIterator[Result]:
    """A result, which expires in 7 days."""
    clock = MovableClock()
    api = await start(clock=clock, state_folder=tmp_path / "state")
    resources = api.app.resources
    job = await resources.jobs.ask("horizon_precise", question_of("x"), b"", b"somebody")
    leases = Leases(resources.database, resources.bell, clock, {**KINDS, "horizon_precise": KINDS["echo"]})  # type: ignore[arg-type]
    lease = await leases.take()
    assert lease is not None
    resources.results.put(lease.result, {"report-nb.pdf": b"%PDF-1", "horizon.csv": b"a,b\n"})
    await leases.done(lease)
    yield Result(api, clock, job.id, resources.links.to(job.id, "report-nb.pdf", job.expires_at))


def path_of(link: str) -> str:
    parts = urlsplit(link)
    return f"{parts.path}?{parts.query}"


async def test_a_link_opens_its_file(result: Result) -> None:
    asked = await result.api.ask(path_of(result.link))
    assert (asked.status, asked.body) == (200, b"%PDF-1")
    assert asked.headers["Content-Type"] == "application/pdf"
    assert asked.headers["Content-Disposition"] == "inline; filename=report-nb.pdf"


async def test_a_link_is_gone_after_seven_days(result: Result) -> None:
    result.clock.moment += timedelta(days=7) - timedelta(seconds=1)
    assert (await result.api.ask(path_of(result.link))).status == 200
    result.clock.moment += timedelta(seconds=1)
    asked = await result.api.ask(path_of(result.link))
    assert (asked.status, asked.json["code"]) == (410, "EXPIRED")


async def test_results_that_cannot_be_read_are_away_for_a_while(result: Result) -> None:
    [file] = (result.api.app.settings.state / "results").rglob("report-nb.pdf")
    file.unlink()
    file.symlink_to(file)
    asked = await result.api.ask(path_of(result.link))
    assert (asked.status, asked.headers["Retry-After"]) == (503, "5")


async def test_a_link_of_another_secret_or_for_another_file_is_refused(result: Result) -> None:
    other = Links(Secret(secrets.token_bytes(32)), "http://x")
    forged = other.to(result.job, "report-nb.pdf", result.clock.moment + timedelta(days=1))
    moved = result.link.replace("report-nb.pdf", "horizon.csv")
    later = result.link.replace("expires=1", "expires=2")
    for link in (forged, moved, later):
        asked = await result.api.ask(path_of(link))
        assert (asked.status, asked.json["code"]) == (403, "FORBIDDEN")


async def test_none_of_ten_thousand_altered_links_is_accepted(result: Result) -> None:
    draw, query = random.Random(27), dict(part.split("=") for part in path_of(result.link).partition("?")[2].split("&"))
    genuine = {"job": result.job, "file": "report-nb.pdf", **query}
    result.links.check(**genuine | {"now": result.clock.moment})  # type: ignore[arg-type]
    for number in range(ALTERED):
        part = draw.choice(list(genuine))
        altered = genuine | {part: _altered(genuine[part], draw)}
        with pytest.raises(ApiError) as refused:
            result.links.check(**altered | {"now": result.clock.moment})  # type: ignore[arg-type]
        assert refused.value.status == 403
        if number % 100 == 0:
            path = "/api/results/{job}/{file}?expires={expires}&signature={signature}".format(**altered)
            assert (await result.api.ask(path)).status in (400, 403)


def _altered(text: str, draw: random.Random) -> str:
    """Change, remove or add a character."""
    while True:
        at, one = draw.randrange(len(text)), draw.choice(_LETTERS)
        altered = draw.choice(
            (text[:at] + one + text[at + 1 :], text[:at] + text[at + 1 :], text[:at] + one + text[at:])
        )
        if altered not in ("", text):
            return altered
