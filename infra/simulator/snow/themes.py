"""The themes of the snow authority, and the numbers that its answers hold of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the server starts without numpy
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Theme:
    """What the authority says of one.

    Parameters
    ----------
    full_name, unit : str
        In its own words and spelling.
    no_data : int
    kept : str
        The field of `store.Kept` that holds it.
    per_number : float
        The unit in one of the numbers kept.
    """

    full_name: str
    unit: str
    no_data: int
    kept: str
    per_number: float = 1.0


THEMES = {
    "swe": Theme("Snømengde v2.0.1", "mm", 65535, "swe_mm"),
    "sd": Theme("Snødybde v2.0.1", "cm", 65535, "depth_cm"),
    "fsw": Theme("Nysnø siste døgn v2.0.1", "mm", 255, "new_snow_mm"),
    # 100 kg/m3: a millimetre of water is a centimetre of new snow
    "sdfsw": Theme("Nysnødybde siste døgn v2.0.1", "cm", 65535, "new_snow_mm"),
    "tm": Theme("Døgntemperatur v2.0", "Celcius", 65535, "tenths_of_degree", 0.1),
}
_OTHER_UNIT = {"mm": ("cm", 0.1), "cm": ("mm", 10.0)}


def other_unit(unit: str) -> tuple[str, float]:
    """Return the unit that an authority might change its mind to, and how many of it are in one."""
    return _OTHER_UNIT.get(unit, (unit, 1.0))


def numbers(
    kept: "NDArray[np.integer[Any]]", theme: Theme, factor: float, there: "NDArray[np.bool_]"
) -> "NDArray[np.generic]":
    """Return the numbers of an answer: whole ones, or with one decimal.

    Parameters
    ----------
    kept : integers (n_days, n)
    theme : Theme
    factor : float
        To another unit than its own.
    there : bool (n_days,)
        The days that have data.

    Returns
    -------
    int64 or float64 (n, n_days), C-contiguous
    """
    import numpy as np

    scale = theme.per_number * factor
    whole = scale == int(scale)
    values = kept.astype(np.int64) * int(scale) if whole else np.round(kept * scale, 1)
    return np.ascontiguousarray(np.where(there[:, None], values, theme.no_data).T)
