"""What the route can answer that is no success, and its headers, as the document declares them."""

from api import texts
from api.pv.surfaces import MOST
from api.routing import Failure
from api.tmy.failures import HEADERS as TMY_HEADERS
from api.tmy.failures import LICENCE, PLACE
from api.tmy.file import PRODUCT

HEADERS = (
    *(header for header in TMY_HEADERS if header != LICENCE),
    (PRODUCT, "The product that answers."),
    ("Content-Disposition", "The file's name, of `format=csv` and `png`; `inline` for the picture."),
)

ERRORS = (
    *PLACE,
    Failure(400, texts.NOT_BETWEEN.format(name="...", low="...", high="..."), "no number, or one outside the range"),
    Failure(400, texts.NOT_A_CHOICE.format(name="...", choices="..."), "a value that is none of those listed"),
    Failure(400, f"{texts.PV_ARRAYS.format(most=MOST)} ...", "`arrays` cannot be read; the text says which surface"),
    Failure(400, texts.PV_OPTIMIZE_ARRAYS.format(optimize="..."), "`arrays` and `optimize` together"),
    Failure(400, texts.PV_ALIAS.format(name="...", alias="..."), "a parameter and its alias, with different values"),
    Failure(503, texts.PV_NO_TARGET.format(confidence="...", product="..."), "the year asked for is not known there"),
    Failure(503, texts.PV_NO_HORIZON, "the horizon is published and cannot be read"),
    Failure(
        503, texts.PV_NO_SNOW.format(why=texts.SNOW_FAILED), "`snowloss=1`, and no snow data can be had for the cell"
    ),
    Failure(503, texts.PV_BUSY, "too many plants are being calculated at once"),
    Failure(503, texts.PICTURES_BUSY, "too many pictures are waited for"),
    Failure(503, texts.NO_PICTURE, "the picture cannot be drawn"),
)
