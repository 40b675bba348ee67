"""What the route can answer that is no success, and its headers, as the document declares them."""

from api import texts
from api.routing import Failure

TILE_KEY, YEAR = "X-Horizon-Tile-Key", "X-DTM-Year"

HEADERS = (
    (TILE_KEY, "The tile that answers."),
    (YEAR, "Year of the terrain data; absent where it is not known."),
    ("X-Api-Tier", "`terrain`."),
    ("X-Api-Version", "Of the horizon answers."),
    ("X-Data-Origin", "`live`; `simulated` if any input is."),
    ("Cache-Control", "`public, max-age=86400`."),
    ("ETag", "Of the version that was read, the cell and the format; of JSON also of the position."),
    ("Content-Disposition", "The file's name, of all formats but JSON; `inline`."),
)

ERRORS = (
    Failure(400, f"{texts.HORIZON_POINT} ...", "lat or lon is missing, or no number"),
    Failure(400, texts.HORIZON_OUTSIDE, "outside 57-72 N, 4-32 E"),
    Failure(400, texts.NOT_A_CHOICE.format(name="format", choices="..."), "`format` is none of those listed"),
    Failure(404, f"{texts.HORIZON_NO_TILE}: ...", "sea, abroad, or not built; the text says what is known of it"),
    Failure(503, texts.HORIZON_DAMAGED, "the horizon is published and cannot be read"),
    Failure(503, texts.HORIZON_BUSY, "too many files are being written at once"),
    Failure(503, texts.PICTURES_BUSY, "too many pictures are waited for"),
    Failure(503, texts.NO_PICTURE, "the picture cannot be drawn"),
)
