"""MET Nordic: MET Norway's 1 km post-processed forecast, one NetCDF4 file per hourly cycle."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from catalog.sources.assemble import assemble
from catalog.sources.cycle import Cycle
from catalog.sources.http import Deadline, make_client
from catalog.sources.locate import open_first

NAME = "met_nordic"


def file_urls(url: str, partition: datetime) -> list[str]:
    """Return where a cycle's file may lie under a base: by date (the archive's way), then flat."""
    base = url.rstrip("/")
    name = f"met_forecast_1_0km_nordic_{partition:%Y%m%dT%H}Z.nc"
    return [f"{base}/{partition:%Y/%m/%d}/{name}", f"{base}/{name}"]


@contextmanager
def open_cycle(url: str, partition: datetime, *, user_agent: str, deadline_s: float) -> Iterator[Cycle]:
    """Open the cycle of hour `partition` (aware UTC) under a base URL or folder.

    `deadline_s` bounds all reading, from here to the last instant.

    Raises
    ------
    NotYetAvailable where the upstream does not hold the cycle; SourceError for everything else.
    """
    hour, deadline = partition.astimezone(UTC), Deadline(deadline_s)
    with (
        make_client(user_agent) as client,
        closing(open_first(NAME, file_urls(url, hour), client, deadline)) as file,
        closing(assemble(NAME, [file], hour)) as cycle,
    ):
        yield cycle
