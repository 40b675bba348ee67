"""The client behind the proxies that are trusted, whatever strangers write into `X-Forwarded-For`."""

from ipaddress import ip_network

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from api.access.callers import Clients

PROXY = "10.0.0.1"
STRANGER = "192.0.2.1"
CLIENTS = Clients((ip_network("10.0.0.0/8"), ip_network("::1/128")))


def request(peer: str, *forwarded: str) -> web.BaseRequest:
    headers = CIMultiDict([("X-Forwarded-For", value) for value in forwarded])
    return make_mocked_request("GET", "/", headers).clone(remote=peer)


@pytest.mark.parametrize(
    ("peer", "forwarded", "network", "is_trusted"),
    [
        (STRANGER, (), STRANGER, False),
        (STRANGER, ("10.0.0.2",), STRANGER, False),
        ("", ("198.51.100.1",), "local", False),
        (PROXY, (), PROXY, True),
        ("::ffff:10.0.0.1", (), PROXY, True),
        (PROXY, ("10.0.0.3, 10.0.0.2",), "10.0.0.3", True),
        (PROXY, ("198.51.100.1",), "198.51.100.1", False),
        (PROXY, ("203.0.113.1, 198.51.100.1, 10.0.0.2",), "198.51.100.1", False),
        (PROXY, ("203.0.113.1", "198.51.100.1", "10.0.0.2"), "198.51.100.1", False),
        (PROXY, ("198.51.100.1:4711",), "198.51.100.1", False),
        (PROXY, ("[2001:db8:1:2:3::4]:4711",), "2001:db8:1:2::/64", False),
        ("::1", ("2001:db8:1:2:3::4",), "2001:db8:1:2::/64", False),
        # Proxies write these where they do not know the client, or it came by a Unix socket.
        (PROXY, ("unix:",), PROXY, False),
        (PROXY, ("unknown, 10.0.0.2",), "10.0.0.2", False),
        (PROXY, ("10.0.0.2", ""), PROXY, False),
        (PROXY, ("",), PROXY, False),
        (PROXY, ("10.0.0.3, " * 200 + "10.0.0.2",), "10.0.0.3", False),
    ],
)
def test_the_last_hop_that_no_trusted_proxy_vouches_for_is_counted(
    peer: str, forwarded: tuple[str, ...], network: str, is_trusted: bool
) -> None:
    asked = request(peer, *forwarded)
    assert (CLIENTS.of(asked), CLIENTS.is_trusted(asked)) == (network, is_trusted)


@pytest.mark.parametrize("before", ["198.51.100.9, " * 500, "x" * 8000 + ", ", "1" * 8000 + ", "])
def test_of_a_long_chain_the_end_counts(before: str) -> None:
    assert CLIENTS.of(request(PROXY, before + "198.51.100.1, 10.0.0.2")) == "198.51.100.1"
    assert CLIENTS.of(request(PROXY, *[before] * 20, "198.51.100.1")) == "198.51.100.1"
    assert CLIENTS.of(request(PROXY, before.rstrip(", ") + "198.51.100.1")) == PROXY  # which is no address
