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

    def disposition(self, profile: HorizonProfile, lat: float, lon: float) -> str:
        """Return how a browser takes the file, and what it calls it: by the position as it was asked for."""
        return f"inline; filename={profile.prefix}_{degrees(lat)}_{degrees(lon)}{self.extension}"


def degrees(value: float) -> str:
    """Return a coordinate with at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".")
