"""What a file format says of itself."""

from collections.abc import Callable
from dataclasses import dataclass

from api.tmy.year import QUANTITIES, TypicalYear

UTC_START = "UTC, hour-start"
LOCAL_END = "local standard time (UTC+1, no daylight saving), hour-end"


@dataclass(frozen=True)
class Format:
    """One value of `format`.

    Parameters
    ----------
    value : str
    extension : str
        With its point.
    media_type : str
    convention : str
        What a row's time stamp means.
    write : callable
        From a `TypicalYear` to the file.
    inline : bool
        A browser shows it; else it saves it.
    tool : str
        The program whose format it is.
    aliases : texts
        Other names of the value.
    lacks : texts
        Which of the seven quantities it cannot carry.
    unverified : str
        One sentence on what no public document confirms; it is also in the file.
    """

    value: str
    extension: str
    media_type: str
    convention: str
    write: Callable[[TypicalYear], bytes]
    inline: bool = False
    tool: str = ""
    aliases: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    unverified: str = ""

    @property
    def carries(self) -> tuple[str, ...]:
        """Which of the seven quantities it carries."""
        return tuple(name for name in QUANTITIES if name not in self.lacks)
