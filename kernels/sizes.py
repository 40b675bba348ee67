"""Sizes are checked before a numba loop runs, because the loop itself checks no bounds.

(The loops of `production_rows`, which answer requests one by one, begin with that themselves.)
"""

from numpy.typing import NDArray


def require_size(cells: int, **arrays: NDArray) -> None:  # type: ignore[type-arg]
    """Refuse arrays that are not of shape (cells,).

    Parameters
    ----------
    cells : int
        Number of cells.
    **arrays : (cells,)
        By the name the caller knows them by.

    Raises
    ------
    ValueError
        Naming the first array of another shape.
    """
    for name, array in arrays.items():
        if array.shape != (cells,):
            msg = f"{name} has shape {array.shape}, not ({cells},)"
            raise ValueError(msg)
