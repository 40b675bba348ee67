"""What the routes of this group can answer that is no success, and their headers, as the document declares them."""

from api import texts
from api.routing import Failure
from api.tmy.file import CELL, DISTANCE, PRODUCT
from api.tmy.licence import HEADER

LICENCE = (HEADER, "Version of the licence, its last day, and whether it has expired.")
HEADERS = (
    (CELL, "The cell that answers."),
    (DISTANCE, "From the position to its centre, km."),
    ("X-Data-Origin", "`live`; `simulated` if any input is."),
    ("Cache-Control", "`public, max-age=86400`."),
    ("ETag", "Of what was read, and of what was asked."),
    LICENCE,
)
FILE_HEADERS = (
    *HEADERS,
    (PRODUCT, "The product that answers."),
    ("Content-Disposition", "The file's name; `inline` for JSON."),
)

PLACE = (
    Failure(400, f"{texts.TMY_POINT} ...", "lat or lon is missing, or no number"),
    Failure(400, texts.TMY_OUTSIDE, "outside the coverage"),
    Failure(404, texts.TMY_NO_CELL, "no cell of land within 6 km"),
    Failure(
        503,
        f"{texts.TMY_UNAVAILABLE} ...",
        "not published, not built in this cell, damaged, or just being published anew",
    ),
    Failure(503, f"{texts.TMY_UNAVAILABLE}: ...", "nothing is published"),
)
CHOICE = (
    Failure(503, texts.TMY_BUSY, "too many files are being made at once"),
    Failure(400, texts.NOT_A_CHOICE.format(name="format", choices="..."), "a value that is none of those listed"),
    Failure(
        400,
        texts.TMY_PERIOD.format(source="...", period="...", choices="..."),
        "no product is of that source and period",
    ),
    Failure(
        400,
        texts.TMY_CONTRADICTION.format(product="...", given="...", source="...", period="..."),
        "the product is of another source or period than those given beside it",
    ),
    Failure(
        404,
        texts.TMY_NO_PRODUCT.format(product="...", choices="..."),
        "the product does not exist in this cell: of the solar model there is none north of 65 degrees",
    ),
    Failure(
        503,
        texts.TMY_NO_TARGET.format(confidence="...", product="..."),
        "the long-term value that `confidence` asks for is missing in this cell",
    ),
)
NO_LEADS = Failure(503, texts.NO_LEADS, "the database cannot be written")
