"""Where a request comes from: the address it is counted by."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from aiohttp import web
from multidict import istr

from api.core.settings import Network

_FORWARDED_FOR = istr("X-Forwarded-For")
_IPV6_PREFIX = 64
# What is remembered is as long as this; a chain of ten proxies fits. A head may hold 800 kB of it.
_LONGEST_CHAIN = 512


class Clients:
    """Finds the client behind the proxies that are trusted.

    Parameters
    ----------
    trusted : tuple of networks
        Whose `X-Forwarded-For` is believed.
    """

    def __init__(self, trusted: tuple[Network, ...]) -> None:
        self._trusted = trusted
        self._known = lru_cache(4096)(self._find)  # few addresses make most requests

    def of(self, request: web.BaseRequest) -> str:
        """Return the client's network as text: an IPv4 address, or the /64 of an IPv6 address.

        It is `local` where the connection has no address, such as a Unix socket's.
        """
        return self._client(request)[0]

    def is_trusted(self, request: web.BaseRequest) -> bool:
        """Return whether the client itself, not only its last proxy, is known to be one of the trusted."""
        return self._client(request)[1]

    def _client(self, request: web.BaseRequest) -> tuple[str, bool]:
        """Return the client's network, and whether it is trusted."""
        chain = request.remote or ""
        if forwarded := request.headers.getall(_FORWARDED_FOR, ()):
            chain = ",".join((*forwarded, chain))
        if len(chain) > _LONGEST_CHAIN:  # its end counts; the comma leaves a hop before that, which is no address
            chain = "," + chain[-_LONGEST_CHAIN:].partition(",")[2]
        return self._known(chain)

    def _find(self, chain: str) -> tuple[str, bool]:
        """Go back from the connection, the last of the chain, through the proxies, as far as each is trusted."""
        client, is_trusted = "local", False
        for hop in reversed(chain.split(",")):
            if (address := _parse(hop)) is None:
                # What is no address cannot be counted by: the proxy that wrote it is. But it is not the client.
                return client, False
            client, is_trusted = _network(address), any(address in network for network in self._trusted)
            if not is_trusted:
                break
        return client, is_trusted


def _parse(text: str) -> IPv4Address | IPv6Address | None:
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
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _network(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _IPV6_PREFIX), strict=False))
