"""What the caller says of a file, in answer to questions."""

from typing import NamedTuple

from api.plants.interpretation.dates import Order


class Answers(NamedTuple):
    """Answers, by query parameters; None where nothing is said.

    Parameters
    ----------
    unit : str, optional
        `W`, `kW`, `MW`, `Wh`, `kWh` or `MWh`.
    zone : str, optional
        `Europe/Oslo`, `UTC` or an offset such as `+01:00`; of stamps without one.
    stamp : str, optional
        `start` or `slutt`.
    column : str, optional
        A heading, or numbers from 1 such as `3` and `3+4`.
    order : str, optional
        `dmy`, `mdy` or `ymd`.
    """

    unit: str | None = None
    zone: str | None = None
    stamp: str | None = None
    column: str | None = None
    order: Order | None = None


NOTHING_SAID = Answers()
