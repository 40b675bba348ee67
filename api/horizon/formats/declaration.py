"""What a file format says of itself."""

from collections.abc import Callable
from dataclasses import dataclass

from api.horizon.profile import HorizonProfile


@dataclass(frozen=True)
class Format:
    """One value of `format`.

    Parameters
    ----------
    value : str
    extension : str
        With its point.
    media_type : str
    write : callable
        From a `HorizonProfile` to the file.
    tool : str
        The program whose format it is.
    aliases : tuple of str
        Other names of the value.
    tiers : tuple of str
        Which levels answer with it.
    unverified : str
        One sentence on what no public document confirms.
    """

    value: str
    extension: str
    media_type: str
    write: Callable[[HorizonProfile], bytes]
    tool: str = ""
    aliases: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ("terrain", "rooftop")
    unverified: str = ""


def name_of(prefix: str, lat: float, lon: float, extension: str) -> str:
    """Return what a file is called: by the position as it was asked for, degrees with at most four decimals."""
    return f"{prefix}_{_degrees(lat)}_{_degrees(lon)}{extension}"


def _degrees(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
