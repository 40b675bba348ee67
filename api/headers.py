"""The headers that every answer carries."""

from multidict import CIMultiDict, istr

EXPOSED_HEADERS = (
    "ETag, Sunset, X-Data-Origin, X-Request-Id, X-Quota-Limit, X-Quota-Remaining, X-Quota-Reset, "
    "X-Quota-Plants-Limit, X-Quota-Plants-Remaining, Retry-After, X-Service-Cache, Content-Disposition, "
    "X-Tmy-Cell, X-Tmy-Cell-Distance-Km, X-Tmy-Product, X-Tmy-License, "
    "X-Snowsoil-Cache, X-Snow-Outlook-Cache, "
    "X-Horizon-Tile-Key, X-DTM-Year, X-Api-Tier, X-Api-Version, X-Worker-Request-Id"
)

_CONTENT_SECURITY = istr("Content-Security-Policy")
_FIXED = CIMultiDict(
    {
        # Browsers may call from anywhere, and read these.
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": EXPOSED_HEADERS,
        "Cross-Origin-Resource-Policy": "cross-origin",
        # A browser that shows an answer as if it were a page finds nothing to run, to load or to frame.
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Server": "solflis",
    }
)


def complete(headers: CIMultiDict[str]) -> None:
    """Add to an answer's headers what every answer carries; a page may bring a content policy of its own."""
    headers.update(_FIXED)
    headers.setdefault(_CONTENT_SECURITY, "default-src 'none'; frame-ancestors 'none'")
