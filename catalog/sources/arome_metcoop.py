"""AROME-MetCoOp: MET Norway's and SMHI's 2.5 km model, two NetCDF4 files (or cut-outs of them) a cycle."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime

from catalog.sources.assemble import assemble
from catalog.sources.cycle import Cycle
from catalog.sources.errors import NotYetAvailable
from catalog.sources.http import Deadline, make_client
from catalog.sources.locate import open_first

NAME = "arome_metcoop"


def file_urls(url: str, kind: str, partition: datetime) -> list[str]:
    """Return where a cycle's "test2" (shortwave) or "default2" (weather) file may lie: cut-out, whole."""
    base = url.rstrip("/")
    return [f"{base}/arome_metcoop_{cut}{kind}_5km_{partition:%Y%m%d_%H}.nc" for cut in ("red_", "")]


@contextmanager
def open_cycle(url: str, partition: datetime, *, user_agent: str, deadline_s: float) -> Iterator[Cycle]:
    """Open the cycle of hour `partition` (aware UTC) under a base URL or folder.

    The shortwave file must be there; where the weather file does not exist, temperature and wind are missing
    variables. `deadline_s` bounds all reading, from here to the last instant.

    Raises
    ------
    NotYetAvailable where the upstream does not hold the cycle; SourceError for everything else.
    """
    hour, deadline = partition.astimezone(UTC), Deadline(deadline_s)
    with ExitStack() as opening:
        client = opening.enter_context(make_client(user_agent))
        files = [opening.enter_context(closing(open_first(NAME, file_urls(url, "test2", hour), client, deadline)))]
        with suppress(NotYetAvailable):  # an older or smaller collection: the shortwave alone makes a forecast
            weather = open_first(NAME, file_urls(url, "default2", hour), client, deadline)
            files.append(opening.enter_context(closing(weather)))
        yield opening.enter_context(closing(assemble(NAME, files, hour)))
