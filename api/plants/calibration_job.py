"""The job that calibrates a plant, in a process of the worker."""

from api.database.engine import address, opened
from api.jobs.run import Run
from api.plants.background import Background
from api.plants.calibrate import calibrate
from tiles.store import open_store


def run(run: Run) -> None:
    """Calibrate the plant whose id is the input; one that was deleted meanwhile needs no calibration."""
    now = run.settings.clock.now()
    with opened(address(run.settings.database, run.settings.state)) as engine:
        calibrate(engine, Background(open_store(run.settings.store), now), run.input.decode(), now)
