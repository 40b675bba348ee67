"""What the routes of this group can answer that is no success, and their headers, as the document declares them."""

from api import texts
from api.routing import Failure
from api.tmy.failures import HEADERS as TMY_HEADERS
from api.tmy.failures import LICENCE, PLACE

SOILING_CACHE, OUTLOOK_CACHE = "X-Snowsoil-Cache", "X-Snow-Outlook-Cache"
_COMMON = tuple(header for header in TMY_HEADERS if header[0] not in (LICENCE[0], "Cache-Control"))
SOILING_HEADERS = (
    *_COMMON,
    ("Cache-Control", "`public, max-age=86400`."),
    (SOILING_CACHE, "`HIT` where a worker of this machine made the answer in the last 7 days, else `MISS`."),
    ("Content-Disposition", "The file's name, of `format=csv`."),
)
OUTLOOK_HEADERS = (
    *_COMMON,
    ("Cache-Control", "`public, max-age=3600`."),
    (OUTLOOK_CACHE, "`HIT` where a worker of this machine made the answer in the last hour, else `MISS`."),
)

_ASKED = (
    *PLACE,
    Failure(400, texts.NOT_BETWEEN.format(name="...", low="...", high="..."), "no number, or one outside the range"),
    Failure(400, texts.NOT_WHOLE_BETWEEN.format(name="...", low="...", high="..."), "the same of whole numbers"),
    Failure(400, texts.NOT_A_CHOICE.format(name="...", choices="..."), "a value that is none of those listed"),
)
_MISSING = (
    Failure(502, texts.SNOW_NO_CELL, "the snow authority has nothing near the place"),
    Failure(503, texts.SNOW_DAMAGED, "the snow is published and cannot be read"),
    Failure(503, texts.SNOW_NO_HORIZON, "the horizon is published and cannot be read"),
    Failure(503, texts.SNOW_BUSY, "too many answers are being made at once"),
)
SOILING = (
    *_ASKED,
    Failure(
        502,
        texts.SNOW_FAILED,
        "the snow of the cell is neither published nor kept, and the authority does not answer; see `Retry-After`",
    ),
    Failure(502, texts.SNOW_NOTHING.format(start="..."), "the authority knows no whole month"),
    *_MISSING,
)
OUTLOOK = (
    *_ASKED,
    Failure(
        502,
        texts.SNOW_FORECAST_FAILED,
        "the season of the cell is neither published nor kept, and the authority does not answer; see `Retry-After`",
    ),
    Failure(502, texts.SNOW_FORECAST_NOTHING, "the authority knows nothing of the days ahead"),
    *_MISSING,
)
