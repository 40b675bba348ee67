"""What the route of this group can answer that is no success, and its headers, as the document declares them."""

from api import texts
from api.routing import Failure
from api.snowload.models import NoCell
from api.snowload.query import MOST_CELLS

HEADERS = (
    ("Cache-Control", "`public, max-age=86400`; a minute where the snow authority failed for some cells; not of CSV."),
    ("X-Data-Origin", "`live` or `simulated`: simulated data are invented."),
    ("Content-Disposition", "The file's name, of `format=csv` and `png`."),
)
_CELLS = {"cell_errors": [{"x": 262500, "y": 6649500, "error": texts.SNOWLOAD_CELL_FAILED}]}
ERRORS = (
    Failure(400, texts.SNOWLOAD_POINT, "neither lat and lon nor x and y are given"),
    Failure(400, texts.SNOWLOAD_OUTSIDE, "the point lies outside of Norway"),
    Failure(400, texts.SNOWLOAD_GRID.format(name="grid"), "another number"),
    Failure(400, texts.NOT_BETWEEN.format(name="variability", low=1, high=3), "no number, or one outside the range"),
    Failure(400, texts.SNOWLOAD_PERIOD.format(name="returnperiod"), "another number"),
    Failure(400, texts.SNOWLOAD_START.format(name="start"), "no date"),
    Failure(400, texts.SNOWLOAD_LATE.format(latest="...", least="..."), "a start that leaves too few winters"),
    Failure(400, texts.SNOWLOAD_CELLS.format(name="cells", most=MOST_CELLS), "no such list, or a longer one"),
    Failure(400, texts.SNOWLOAD_METRES.format(name="x"), "x or y is no whole number"),
    Failure(
        502,
        texts.SNOWLOAD_NO_CELL,
        "no cell could be computed; where the snow authority failed, see `Retry-After`",
        body=NoCell,
        fields=_CELLS,
    ),
    Failure(
        502,
        texts.SNOWLOAD_NO_PICTURE.format(why="..."),
        "of `png`: the point's own cell could not be computed",
        body=NoCell,
        fields=_CELLS,
    ),
    Failure(
        503,
        texts.SNOWLOAD_NO_CELL,
        "the cells are published and cannot be read",
        body=NoCell,
        fields={"cell_errors": [{"x": 262500, "y": 6649500, "error": texts.SNOWLOAD_CELL_DAMAGED}]},
    ),
    Failure(503, texts.PICTURES_BUSY, "too many pictures are waited for"),
    Failure(503, texts.NO_PICTURE, "the picture cannot be drawn"),
    Failure(503, texts.SNOWLOAD_BUSY, "too many answers are being made at once"),
)
