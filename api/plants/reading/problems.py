"""The error of a file that cannot be read; why is in `prose.toml`."""

from dataclasses import replace

from api.core.errors import ApiError, problem
from api.core.prose import prose
from api.plants.reading.workbook import MAX_CELLS, MAX_COLUMNS, MAX_ROWS

UNREADABLE = problem("plants.UNREADABLE")


def unreadable(reason: str) -> ApiError:
    """Return the error to raise.

    Parameters
    ----------
    reason : str
        Name of the sentence.
    """
    nb, en = (
        text.replace("{why}", prose(__file__, language)[reason])
        for language, text in (("nb", UNREADABLE.nb), ("en", UNREADABLE.en))
    )
    return replace(UNREADABLE, nb=nb, en=en)()


def check_size(rows: int, columns: int, cells: int) -> None:
    """Refuse tables that are too large.

    Raises
    ------
    ApiError
        `UNREADABLE`.
    """
    if rows > MAX_ROWS:
        raise unreadable("many_rows")
    if columns > MAX_COLUMNS:
        raise unreadable("many_columns")
    if cells > MAX_CELLS:
        raise unreadable("many_cells")
