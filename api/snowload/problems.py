"""The problems of this group."""

from api.core import problems
from api.core.errors import Error, problem
from api.core.fields import Closed

MOST_CELLS = 36


class CellError(Closed):
    """A cell that could not be computed, and why."""

    x: int
    y: int
    error: str
    code: str


class NoCell(Error):
    """No cell could be computed."""

    cell_errors: list[CellError]


POINT = problem("snowload.POINT")
OUTSIDE = problem("snowload.OUTSIDE")
METRES = problem("snowload.METRES")
GRID = problem("snowload.GRID")
PERIOD = problem("snowload.PERIOD")
START = problem("snowload.START")
START_LATE = problem("snowload.START_LATE")
CELLS = problem("snowload.CELLS", most=MOST_CELLS)

# Of a cell; beside these `FAILED` and `DAMAGED`, as of all snow.
CELL_OUTSIDE = problem("snowload.CELL_OUTSIDE")
CELL_AT_SEA = problem("snowload.CELL_AT_SEA")
CELL_SHORT = problem("snowload.CELL_SHORT")


NO_LAND = problem("snowload.NO_LAND", NoCell)
NO_CELL = problem("snowload.NO_CELL", NoCell)
DAMAGED = problem("snowload.DAMAGED", NoCell)
NO_CENTRE = problem("snowload.NO_CENTRE", NoCell)
PROBLEMS = (
    POINT, OUTSIDE, METRES, GRID, PERIOD, START, START_LATE, CELLS, problems.NOT_BETWEEN, problems.NOT_A_CHOICE,
    NO_LAND, NO_CELL, DAMAGED, NO_CENTRE, problems.BUSY, problems.NO_PICTURE,
)  # fmt: skip
