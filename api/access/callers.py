"""Where a request comes from: the address it is counted by."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from aiohttp import web
from multidict import istr

from api.settings import Network

_FORWARDED_FOR = istr("X-Forwarded-For")
_IPV6_PREFIX = 64

Address = IPv4Address | IPv6Address


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
        self._address = lru_cache(4096)(self._find)
        self._network = lru_cache(4096)(_network)

    def of(self, request: web.BaseRequest) -> str:
        """Return the client's network as text: an IPv4 address, or the /64 of an IPv6 address."""
        return self._network(self.address(request))

    def address(self, request: web.BaseRequest) -> Address | None:
        """Return the client's address; None where the connection has none, such as a Unix socket's."""
        transport = request.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        forwarded = request.headers.getall(_FORWARDED_FOR, ())
        return self._address(peer[0] if peer else "", ",".join(forwarded))

    def is_trusted(self, request: web.BaseRequest) -> bool:
        """Return whether the client itself, not only its last proxy, is one of the trusted."""
        address = self.address(request)
        return address is not None and self._trusts(address)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)

    def _find(self, peer: str, forwarded: str) -> Address | None:
        """Go back from the connection through the proxies, as far as each is trusted."""
        address = _parse(peer)
        if address is None:
            return None
        for hop in reversed(forwarded.split(",")) if forwarded else ():
            if not self._trusts(address):
                break
            before = _parse(hop)
            if before is None:
                break  # what is no address cannot be counted by: the proxy that wrote it is
            address = before
        return address


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


def _network(address: Address | None) -> str:
    if address is None:
        return "local"
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _IPV6_PREFIX), strict=False))
