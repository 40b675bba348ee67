"""What a file format says of itself."""

from dataclasses import dataclass

from api.core import file_formats
from api.tmy.year import QUANTITIES

UTC_START = "UTC, hour-start"
LOCAL_END = "local standard time (UTC+1, no daylight saving), hour-end"


@dataclass(frozen=True, kw_only=True)
class FileFormat(file_formats.FileFormat):
    """One value of `format`; `write` makes the file from a `TypicalYear`, with the sentence `unverified` in it.

    Parameters
    ----------
    convention : str
        What a row's time stamp means.
    lacks : tuple of str
        Which of the seven quantities it cannot carry.
    """

    extension: str = ".csv"
    media_type: str = "text/csv"
    convention: str
    lacks: tuple[str, ...] = ()

    @property
    def carries(self) -> tuple[str, ...]:
        """Which of the seven quantities it carries."""
        return tuple(name for name in QUANTITIES if name not in self.lacks)
