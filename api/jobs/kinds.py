"""The kinds of jobs, a row each."""

from datetime import timedelta
from typing import NamedTuple

_WAITS = timedelta(days=1)  # two hundred jobs of two minutes are done by then


class Kind(NamedTuple):
    """One kind of job.

    Parameters
    ----------
    function : str
        `package.module:name`, called with a `Run` in a process of the worker; it is imported there alone.
    seconds : float
        Longest run, s.
    kept : timedelta
        How long job and result are kept after its end and after the last request for them.
    runs : int
        At most; a run that does not end is followed by another.
    queued : int
        At most; more are refused.
    apart : bool
        Whether it has a process of its own: what hangs there, or is long, then holds up no other kind.
    """

    function: str
    seconds: float
    kept: timedelta
    runs: int = 3
    queued: int = 200
    apart: bool = False

    @property
    def waits(self) -> timedelta:
        """How long a job is kept that has not ended, after the last request for it."""
        return max(self.kept, _WAITS)


KINDS = {
    "horizon_precise": Kind("api.horizon.precise.job:run", seconds=120, kept=timedelta(days=7)),
    "terrain": Kind("api.terrain.job:run", seconds=120, kept=timedelta(minutes=15)),
    "roof": Kind("api.roof.job:run", seconds=120, kept=timedelta(minutes=15), queued=20),
    # The input is somebody's file, of 10 MB: it is not kept for long. Whoever asks waits: a second run would be late.
    "plant_upload": Kind("api.plants.job:run", seconds=60, kept=timedelta(minutes=5), runs=1, queued=20, apart=True),
    "plant_calibration": Kind("api.plants.calibration_job:run", seconds=60, kept=timedelta(minutes=5)),
    # a mail server that is away is tried again after 1, 2, 4 .. 64 minutes
    "mail": Kind("api.core.mail:deliver", seconds=30, kept=timedelta(days=1), runs=8, queued=10_000, apart=True),
}
APART = frozenset(name for name, kind in KINDS.items() if kind.apart)
"""Kinds that wait for none of the others."""
