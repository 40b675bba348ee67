"""The job that calibrates a plant, in a process of the worker."""

from api.data.plants import store
from api.database.engine import READS
from api.jobs.run import Run
from api.plants.job import opened


def run(run: Run) -> None:
    """Calibrate the plant whose id is the input; one that was deleted meanwhile needs no calibration."""
    with opened(run.settings) as engine, engine.execution_options(**READS).begin() as connection:
        store.find(connection, run.input.decode())
