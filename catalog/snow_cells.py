"""Snow of a 1 km cell fetched on demand, for places that no tile holds: kept 30 days (history) or a day (outlook)."""

from datetime import timedelta
from pathlib import Path

from catalog.sources.http import Deadline
from catalog.sources.nve_gts import Point, SnowData
from tiles.clock import Clock

KEPT_FOR = timedelta(days=30)


class SnowCells:
    """The snow authority's cells, read through a folder that the processes of a machine share.

    Safe to use from several threads; it waits for the authority.

    Parameters
    ----------
    url : str
        Of the snow authority.
    user_agent : str
        Names this installation and whom to ask.
    folder : Path
        Made when first needed.
    clock : Clock
    """

    def __init__(self, url: str, user_agent: str, folder: Path, clock: Clock) -> None:
        self._url, self._user_agent, self._folder, self._clock = url, user_agent, folder, clock

    def history(self, centre: Point, deadline: Deadline) -> SnowData:
        """Return the days from 1957-09-01 to the last 31 August of the cell nearest to a point that has data.

        Parameters
        ----------
        centre : (easting, northing)
            Of a 1 km or 3 km cell, m, UTM 33. The cell found is `points[0]` of what is returned.
        deadline : Deadline

        Raises
        ------
        NoCell
            There is no cell with data within 5 km.
        SourceError
            The authority cannot answer, and nothing that may still be used is kept.
        """
        raise NotImplementedError

    def outlook(self, centre: Point, deadline: Deadline) -> SnowData:
        """Return the days from the last 1 September to 9 days ahead of the cell nearest to a point that has data.

        Fetched once a day; where the authority fails, what was kept on one of the last 8 days answers.

        Parameters and raises as `history`.
        """
        raise NotImplementedError

    def trim(self) -> None:
        """Remove what is too old or too much; it may wait for the disk."""
        raise NotImplementedError
