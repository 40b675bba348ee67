"""A worker of made-up jobs, in a process: `python -m tests.support.job_worker`."""

import asyncio
import sys

from api.core.settings import Settings
from api.jobs.worker import run
from api.observing import logs
from tests.support.job_functions import KINDS

if __name__ == "__main__":
    logs.install(sys.stderr)
    asyncio.run(run(Settings.from_environment(), 1, KINDS))
