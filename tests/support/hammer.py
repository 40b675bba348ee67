"""Many clients at once on one address, and what each of them got."""

import asyncio
from collections import Counter
from typing import NamedTuple

import aiohttp

POINT = "/api/forecast?lat=59.91&lon=10.75"
CLIENTS = 64
_TIMEOUT = aiohttp.ClientTimeout(total=30)


class Got(NamedTuple):
    """An answer; status 0 where the connection broke.

    Parameters
    ----------
    status : int
    remaining, reset : str
        The headers of quota.
    """

    status: int
    remaining: str = ""
    reset: str = ""


async def one(session: aiohttp.ClientSession, url: str, address: str, path: str = POINT) -> Got:
    """Ask once, as a client behind a proxy on this machine."""
    try:
        async with session.get(url + path, headers={"X-Forwarded-For": address}) as answer:
            await answer.read()
            named = answer.headers
            return Got(answer.status, named.get("X-Quota-Remaining", ""), named.get("X-Quota-Reset", ""))
    except aiohttp.ClientConnectionError:
        return Got(0)


async def hammer(urls: list[str], address: str, clients: int = CLIENTS, each: int = 2) -> list[Got]:
    """Ask from one address with many clients, all at the same moment, each over a connection of its own.

    Parameters
    ----------
    urls : list of str
        The clients take turns among them.
    address : str
        Where they all come from.
    clients, each : int
        Clients, and requests of each.
    """
    ready = asyncio.Barrier(clients)

    async def client(number: int) -> list[Got]:
        url = urls[number % len(urls)]
        async with aiohttp.ClientSession(timeout=_TIMEOUT) as session:
            async with session.get(f"{url}/health"):  # connects; not counted, whatever it answers
                pass
            await ready.wait()
            return [await one(session, url, address) for _ in range(each)]

    answers = await asyncio.gather(*(client(number) for number in range(clients)))
    return [got for some in answers for got in some]


def granted(answers: list[Got], limit: int = 24) -> int:
    """Return how many requests were granted; all others must have been refused as used up.

    Raises
    ------
    AssertionError
        Something else came, or what was left was not counted down one by one.
    """
    kinds = Counter(got.status for got in answers)
    assert set(kinds) <= {200, 401}, kinds
    left = sorted(int(got.remaining) for got in answers if got.status == 200)
    assert left == list(range(limit - len(left), limit)), left
    return kinds[200]
