"""What is done for all plants at night: forecasts are kept, and plants with new measurements are calibrated."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from api.core.settings import Settings
from api.data.plants import measurements, store
from api.database.engine import READS, address, opened
from api.plants.archive import archive, log_failure
from api.plants.background import Background
from api.plants.calibrate import calibrate
from tiles.store import open_store

Report = Callable[[str], None]


def run(settings: Settings, report: Report, *, everybody: bool = False, dry_run: bool = False) -> int:
    """Keep forecasts, then calibrate; return how many plants could not be calibrated.

    Parameters
    ----------
    settings : Settings
    report : callable
        Takes a line; none tells where a plant stands.
    everybody : bool
        Whether plants without new measurements are calibrated too.
    dry_run : bool
        Whether nothing is stored; then each plant has a line.
    """
    now, tiles = settings.clock.now(), open_store(settings.store)
    with opened(address(settings.database, settings.state)) as engine:
        if not dry_run:
            archive(engine, tiles, now, report)
        with engine.execution_options(**READS).begin() as connection:
            plants = store.to_calibrate(connection)
            if everybody:
                measured = measurements.hours_by_plant(connection)
                plants = [plant for plant in store.every(connection) if plant.id in measured]
        background, methods = Background(tiles, now), Counter[str]()
        for plant in plants:
            try:
                found = calibrate(engine, background, plant.id, now, dry_run=dry_run)
            except Exception as error:  # noqa: BLE001 -- that of one plant must not stop the others
                log_failure(plant, "is not calibrated", error)
                methods["failed"] += 1
                continue
            methods["none" if found is None else found["method"]] += 1
            if dry_run and found is not None:
                report(f"{plant.id}: {_described(plant.calibration)} -> {_described(found)} ({found['reason']})")
    counts = ", ".join(f"{count} {method}" for method, count in sorted(methods.items()))
    report(
        f"calibration: {len(plants)} plants{': ' if counts else ''}{counts}{'; nothing is stored' if dry_run else ''}"
    )
    return methods["failed"]


def _described(calibration: dict[str, Any] | None) -> str:
    if calibration is None:
        return "none"
    clip = "" if calibration["clip_w"] is None else f", {calibration['clip_w'] / 1000:.2f} kW"
    return f"{calibration['method']} {calibration['factor']:.3f}{clip}"
