"""The client behind the proxies that are trusted, whatever strangers write into `X-Forwarded-For`."""

import tracemalloc
from ipaddress import ip_network

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from api.access.callers import Clients

PROXY = "10.0.0.1"
STRANGER = "192.0.2.1"
CLIENTS = Clients((ip_network("10.0.0.0/8"), ip_network("::1/128")))


class Transport:
    """A connection of somebody."""

    def __init__(self, peer: str) -> None:
        self.peername = (peer, 50_000) if peer else ""

    def get_extra_info(self, name: str, default: object = None) -> object:
        return self.peername if name == "peername" else default

    def is_closing(self) -> bool:
        return False


def request(peer: str, *forwarded: str) -> web.Request:
    headers = CIMultiDict([("X-Forwarded-For", value) for value in forwarded])
    return make_mocked_request("GET", "/", headers, transport=Transport(peer))


@pytest.mark.parametrize(
    ("peer", "forwarded", "network"),
    [
        (STRANGER, (), STRANGER),
        (STRANGER, ("198.51.100.1",), STRANGER),
        (PROXY, (), PROXY),
        (PROXY, ("198.51.100.1",), "198.51.100.1"),
        (PROXY, ("203.0.113.1, 198.51.100.1, 10.0.0.2",), "198.51.100.1"),
        (PROXY, ("203.0.113.1", "198.51.100.1", "10.0.0.2"), "198.51.100.1"),
        (PROXY, ("198.51.100.1:4711",), "198.51.100.1"),
        (PROXY, ("[2001:db8:1:2:3::4]:4711",), "2001:db8:1:2::/64"),
        (PROXY, ("::ffff:198.51.100.1",), "198.51.100.1"),
        ("::1", ("2001:db8:1:2:3::4",), "2001:db8:1:2::/64"),
        (PROXY, ("10.0.0.3, 10.0.0.2",), "10.0.0.3"),
        (PROXY, ("nonsense, 10.0.0.2",), "10.0.0.2"),
        ("", ("198.51.100.1",), "local"),
    ],
)
def test_whom_a_request_is_counted_by(peer: str, forwarded: tuple[str, ...], network: str) -> None:
    assert CLIENTS.of(request(peer, *forwarded)) == network


@pytest.mark.parametrize(
    ("peer", "forwarded"),
    [(PROXY, ()), ("::1", ()), ("::ffff:10.0.0.1", ()), (PROXY, ("10.0.0.3, 10.0.0.2",))],
)
def test_who_is_trusted(peer: str, forwarded: tuple[str, ...]) -> None:
    assert CLIENTS.is_trusted(request(peer, *forwarded))


@pytest.mark.parametrize(
    ("peer", "forwarded"),
    [
        (STRANGER, ()),
        (STRANGER, ("10.0.0.2",)),
        ("", ()),
        (PROXY, ("198.51.100.1",)),
        (PROXY, ("10.0.0.3, 198.51.100.1",)),
        # Proxies write these where they do not know the client, or it came by a Unix socket.
        (PROXY, ("unix:",)),
        (PROXY, ("unknown",)),
        (PROXY, ("unknown, 10.0.0.2",)),
        (PROXY, ("",)),
        (PROXY, ("10.0.0.2", "")),
        (PROXY, ("10.0.0.3, " * 200 + "10.0.0.2",)),
    ],
)
def test_who_is_not(peer: str, forwarded: tuple[str, ...]) -> None:
    assert not CLIENTS.is_trusted(request(peer, *forwarded))


@pytest.mark.parametrize("before", ["198.51.100.9, " * 500, "x" * 8000 + ", ", "x" * 8000 + ",", "1" * 8000 + ", "])
def test_of_a_long_chain_the_end_counts(before: str) -> None:
    assert CLIENTS.of(request(PROXY, before + "198.51.100.1, 10.0.0.2")) == "198.51.100.1"
    assert CLIENTS.of(request(PROXY, *[before] * 20, "198.51.100.1")) == "198.51.100.1"
    assert CLIENTS.of(request(PROXY, before.rstrip(", ") + "198.51.100.1")) == PROXY  # which is no address


@pytest.mark.parametrize("peer", [STRANGER, PROXY])
def test_what_strangers_write_is_not_remembered(peer: str) -> None:
    clients = Clients((ip_network("10.0.0.0/8"),))
    tracemalloc.start()
    try:
        for number in range(100):
            assert clients.of(request(peer, f"{number}, " + "x" * 100_000 + ", 192.0.2.1")) == STRANGER
        assert tracemalloc.get_traced_memory()[0] < 1_000_000  # of 10 MB that were sent
    finally:
        tracemalloc.stop()
