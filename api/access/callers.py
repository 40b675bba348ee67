"""Where a request comes from: the address it is counted by."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple

from aiohttp import web
from multidict import istr

from api.settings import Network

_FORWARDED_FOR = istr("X-Forwarded-For")
_IPV6_PREFIX = 64
# What is remembered is as long as this; a chain of ten proxies fits. A head may hold 800 kB of it.
_LONGEST_CHAIN = 512

Address = IPv4Address | IPv6Address


class _Client(NamedTuple):
    network: str
    is_trusted: bool


class Clients:
    """Finds the client behind the proxies that are trusted.

    Parameters
    ----------
    trusted : tuple of networks
        Whose `X-Forwarded-For` is believed.
    """

    def __init__(self, trusted: tuple[Network, ...]) -> None:
        self._trusted = trusted
        # Both are pure, and few addresses make most requests.
        self._known = lru_cache(4096)(self._find)
        self._is_proxy = lru_cache(4096)(self._believes)

    def of(self, request: web.BaseRequest) -> str:
        """Return the client's network as text: an IPv4 address, or the /64 of an IPv6 address.

        It is `local` where the connection has no address, such as a Unix socket's.
        """
        return self._client(request).network

    def is_trusted(self, request: web.BaseRequest) -> bool:
        """Return whether the client itself, not only its last proxy, is known to be one of the trusted."""
        return self._client(request).is_trusted

    def _client(self, request: web.BaseRequest) -> _Client:
        transport = request.transport
        peername = transport.get_extra_info("peername") if transport is not None else None
        peer = peername[0] if peername else ""
        forwarded = request.headers.getall(_FORWARDED_FOR, ())
        if not forwarded or not self._is_proxy(peer):
            return self._known(peer, None)
        chain = ",".join(forwarded)
        if len(chain) > _LONGEST_CHAIN:  # its end counts; the comma leaves a hop before that, which is no address
            chain = "," + chain[-_LONGEST_CHAIN:].partition(",")[2]
        return self._known(peer, chain)

    def _believes(self, peer: str) -> bool:
        address = _parse(peer)
        return address is not None and self._trusts(address)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)

    def _find(self, peer: str, chain: str | None) -> _Client:
        """Go back from the connection through the proxies, as far as each is trusted."""
        address = _parse(peer)
        if address is None:
            return _Client("local", is_trusted=False)
        is_trusted = self._trusts(address)
        for hop in reversed(chain.split(",")) if chain is not None else ():
            if not is_trusted:
                break
            before = _parse(hop)
            if before is None:
                # What is no address cannot be counted by: the proxy that wrote it is. But it is not the client.
                return _Client(_network(address), is_trusted=False)
            address, is_trusted = before, self._trusts(before)
        return _Client(_network(address), is_trusted)


CLIENTS = web.AppKey("clients", Clients)


def _parse(text: str) -> Address | None:
    """Return the address that a text is: bare, with a port, in brackets, or None."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _network(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _IPV6_PREFIX), strict=False))
