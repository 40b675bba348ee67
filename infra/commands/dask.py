"""`solflis dask`."""

import os
import sys

import click

from infra.commands.common import naming_the_error
from infra.settings import Settings

_DEFAULT = "tcp://127.0.0.1:8786"
# One thread each: what makes blocks holds the GIL, or uses the CPU whole.
_SINGLE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


@click.group(short_help="Start the scheduler or workers of a Dask cluster.")
def command() -> None:
    """Start a Dask scheduler, or workers, on which `solflis build` makes blocks where SOLFLIS_DASK names it.

    A scheduler runs code of anybody who reaches it: so it listens on loopback, or with TLS by SOLFLIS_DASK=tls://host:8786
    and the certificates SOLFLIS_DASK_CA, SOLFLIS_DASK_CERT and SOLFLIS_DASK_KEY. Sizes for the nation: dags/README.md.

    \b
    Examples:
      solflis dask scheduler
      solflis dask worker --processes 4
      SOLFLIS_DASK=tcp://127.0.0.1:8786 solflis build horizon
    """


@command.command()
def scheduler() -> None:
    """Start the scheduler at SOLFLIS_DASK, or on loopback at port 8786."""
    _run(["scheduler", "--no-dashboard", "--no-jupyter"], role="--host")


@command.command()
@click.option("--processes", type=click.IntRange(1, 1024), help="Workers; as many as there are CPUs for us.")
@click.option("--memory", default="auto", help="Limit of each worker, such as 4GiB; a fair share when not given.")
def worker(processes: int | None, memory: str) -> None:
    """Start single-thread workers of the scheduler at SOLFLIS_DASK."""
    from dags.build.executor import cpus

    count = str(processes or cpus())
    _run(["worker", "--nworkers", count, "--nthreads", "1", "--memory-limit", memory, "--no-dashboard"], role="")


def _run(arguments: list[str], role: str) -> None:
    """Become Dask's own command, with our settings and certificates."""
    from dags.build.executor import ExecutorSettings, require_safe

    settings = Settings.from_environment()
    with naming_the_error():
        executor = ExecutorSettings.from_environment()
        address = executor.dask or _DEFAULT
        require_safe(address)
    files = (("--tls-ca-file", executor.ca), ("--tls-cert", executor.cert), ("--tls-key", executor.key))
    options = [part for pair in files if pair[1] for part in pair]
    where = [role, address] if role else [address]
    environment = {**os.environ, **settings.child_environment(), **_SINGLE, "SOLFLIS_DASK": ""}
    # of workers that are killed others make the blocks; a scheduler that is gone ends its workers
    ends = [] if role else ["--death-timeout", "60"]
    os.execve(sys.executable, [sys.executable, "-m", "dask", *arguments, *where, *options, *ends], environment)  # noqa: S606
