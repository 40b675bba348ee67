"""The job of an uploaded file, in a process of the worker: reads it, checks it, and stores the upload."""

from sqlalchemy import Engine

from api.core.settings import Settings
from api.data.plants import measurements, store, uploads
from api.data.plants.plant import Plant
from api.data.plants.uploads import KEPT, Upload
from api.database.engine import READS, WRITES, address, opened
from api.jobs.run import Run
from api.plants import problems, upload
from api.plants.head import Head, Processed, read_content


def run(run: Run) -> None:
    """Read and check a file, and store what came of it; where that was asked for, confirm it.

    Raises
    ------
    ApiError
        `UNREADABLE`, `NOT_INTERPRETED`; `NOT_FOUND`: the plant was deleted meanwhile.
    """
    head, file = read_content(run.input)
    with opened(address(run.settings.database, run.settings.state)) as engine:
        plant, head = _read(engine, head)
        _store(engine, head, upload.process(plant, file, head, run.settings), run.settings)


def _read(engine: Engine, head: Head) -> tuple[Plant, Head]:
    with engine.execution_options(**READS).begin() as connection:
        plant = store.find(connection, head.plant_id)
        known = uploads.remembered(connection, head.plant_id)
    if plant is None:
        raise problems.NOT_FOUND()
    return plant, head._replace(remembered=known)


def _store(engine: Engine, head: Head, processed: Processed, settings: Settings) -> None:
    now = settings.clock.now()
    with engine.execution_options(**WRITES).begin() as connection:
        if not store.lock(connection, head.plant_id):
            raise problems.NOT_FOUND()
        overlap = measurements.count_among(connection, head.plant_id, processed.reading.hours.starts)
        content = processed.content | {"lagt_inn_automatisk": processed.is_known, "overlapper": overlap}
        new = Upload(head.upload_id, head.plant_id, "venter", now, now + KEPT, content)
        uploads.add(connection, new, processed.reading)
        if head.bekreft or processed.is_known:
            uploads.confirm(connection, head.plant_id, head.upload_id, now)
