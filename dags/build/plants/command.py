"""Calling the `solflis` command from a workflow."""

import os
import subprocess
import sys
from collections import deque

from dags.build.context import BuildContext

_SHOWN = 5  # lines of a failure


def solflis(context: BuildContext, *words: str) -> None:
    """Run a subcommand with the context's store and clock, and report its lines as they come.

    Raises
    ------
    RuntimeError
        It ended with another code than 0; the text has its last lines.
    """
    argv = [sys.executable, "-m", "infra.cli", *words]
    own = {"SOLFLIS_STORE": context.store_url, "SOLFLIS_CLOCK": type(context.clock).text(context.clock)}
    last: deque[str] = deque(maxlen=_SHOWN)
    with subprocess.Popen(
        argv, env={**os.environ, **own}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None  # noqa: S101 -- a pipe
        try:
            for line in process.stdout:
                last.append(line.rstrip())
                context.report(last[-1])
        except BaseException:  # the task is stopped, or late
            process.terminate()
            raise
    if process.returncode != 0:
        raise RuntimeError(f"solflis {' '.join(words)} ended with code {process.returncode}: {' | '.join(last)}")
