"""What the route can answer that is no success, and its headers, as the document declares them."""

from collections.abc import Mapping

from api import texts
from api.horizon.rooftop.models import CHOICES
from api.observing.request_id import current
from api.routing import Failure

REQUEST_ID, TIER = "X-Worker-Request-Id", "X-API-Tier"
WITHIN_S = 10.0
"""Whoever waits for an answer is told to come back after that; a machine fetches heights meanwhile."""

HEADERS = (
    (REQUEST_ID, "As `X-Request-Id`."),
    (TIER, "`rooftop`."),
    ("X-Quota-Remaining", "Requests left this hour for the IP address."),
    ("X-Data-Origin", "`live`; `simulated` if any input is."),
    ("Content-Disposition", "The file's name, of all formats but JSON; `inline`."),
)

ERRORS = (
    Failure(
        400, texts.ROOFTOP_BINARY.format(choices=", ".join(CHOICES)), "`format=binary`, which only level 1 answers with"
    ),
    Failure(400, texts.NOT_A_CHOICE.format(name="format", choices="..."), "`format` is none of those listed"),
    Failure(400, texts.FIELD_NOT_A_NUMBER.format(name="..."), "no number"),
    Failure(400, texts.FIELD_AT_LEAST.format(name="...", ge="..."), "a number below its range"),
    Failure(400, texts.FIELD_AT_MOST.format(name="...", le="..."), "a number beyond its range"),
    Failure(
        404,
        f"{texts.HORIZON_NO_TILE}: ... {texts.ROOFTOP_NEAR_ALONE}",
        "level 1, which `include_tier1` wants, is not built there",
    ),
    Failure(404, texts.ROOFTOP_NO_HEIGHTS, "nobody knows heights there"),
    Failure(404, texts.ROOFTOP_NO_GROUND, "the terrain's height is not known at the point"),
    Failure(502, texts.ROOFTOP_FAILED, "the heights cannot be had; see `Retry-After`"),
    Failure(503, texts.ROOFTOP_NO_HORIZON, "level 1 is published and cannot be read"),
    Failure(503, texts.ROOFTOP_BUSY, "too many roofs are being calculated at once"),
    Failure(503, texts.PICTURES_BUSY, "too many pictures are waited for"),
    Failure(503, texts.NO_PICTURE, "the picture cannot be drawn"),
    Failure(
        504,
        texts.ROOFTOP_SLOW.format(seconds=WITHIN_S),
        "it takes longer; heights go on being fetched, and a retry answers from what is kept; see `Retry-After`",
    ),
)


def of_errors() -> Mapping[str, str]:
    """Return the headers that errors carry too."""
    return {REQUEST_ID: current.get() or "", TIER: "rooftop"}
