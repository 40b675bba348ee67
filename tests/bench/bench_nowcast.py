"""The nowcast against persistence and v2.3b: where the clouds are known to travel, and in the simulator's own weather.

Each case is an image by day with the three before it, made as files, read, and carried as the builder does it; the
forecast that it is blended into is the freshest there can be, of the hour that the nowcast begins with. Persistence
keeps the clear-sky index of the last image. Errors are of hour means whose middle lies 1 to 3 hours after the image, in
all places that it covers, with the sun up.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catalog.sources.meteosat import file_urls, read_image
from dags.build.forecast.nowcast import IMAGES
from dags.build.forecast.nowcast_fields import Carried, Hours, Sky, motion_over, sky_of, window_around
from dags.build.forecast.nowcast_motion import Motion
from infra.simulator.forecast_error import forecast_error
from infra.simulator.grids import REAL_DEGREES
from infra.simulator.meteosat import Sky as Clouds
from infra.simulator.meteosat import make_image_file
from infra.simulator.weather import Weather
from tests.bench.clouds import Truth, cells_per_second, translating
from tiles.clock import IMAGE_EVERY_MIN, IMAGE_OUT_AFTER, floor_hour
from tiles.grid import RegularGrid

# Every fifth cell of the forecast's grid.
PLACES = RegularGrid(lat0=57.0, lon0=4.0, step=0.15, n_lat=101, n_lon=187)
MOTION_BAR, SKILL_BAR = 0.15, 0.20
_LEADS_H = (0.75, 3.25)
# Image, and how the clouds travel, m/s eastwards and northwards.
TRAVELLING = (
    (datetime(2026, 6, 21, 7, 30, tzinfo=UTC), 9.0, 3.0),
    (datetime(2026, 6, 21, 11, 0, tzinfo=UTC), -6.0, -9.0),
    (datetime(2026, 4, 10, 9, 15, tzinfo=UTC), 16.0, 7.0),
    (datetime(2026, 4, 10, 12, 0, tzinfo=UTC), -3.0, 5.0),
    (datetime(2026, 8, 30, 8, 45, tzinfo=UTC), 2.0, -12.0),
    (datetime(2026, 8, 30, 12, 30, tzinfo=UTC), 13.0, -4.0),
    (datetime(2026, 10, 5, 10, 0, tzinfo=UTC), -9.0, 2.0),
)
SIMULATED = (
    datetime(2026, 6, 21, 9, 0, tzinfo=UTC),
    datetime(2026, 4, 10, 7, 30, tzinfo=UTC),
    datetime(2026, 8, 30, 9, 30, tzinfo=UTC),
    datetime(2026, 5, 14, 12, 0, tzinfo=UTC),
)
HourMean = Callable[[int, int | None], NDArray[np.float32]]


Errors = defaultdict[str, list[NDArray[np.float32]]]
"""By who made them, of each hour in all places, W/m2."""


def measure(folder: Path) -> int:
    """Print the figures; return 1 where a bar is missed."""
    travelling, simulated, motion = Errors(list), Errors(list), []
    for seed, (nominal, east, north) in enumerate(TRAVELLING):
        clouds = translating(seed, east, north)
        skies, moving = look(folder / f"travelling{seed}", nominal, clouds)
        motion.append(_motion_error(skies, moving, east, north))
        judge(skies, moving, Truth(*_places(), clouds).hour_mean, travelling)
    for seed, nominal in enumerate(SIMULATED):
        skies, moving = look(folder / f"simulated{seed}", nominal, None)
        judge(skies, moving, _weather(), simulated)
    worst = max(motion)
    print(f"motion of travelling clouds: {np.median(motion):.1%} off, at worst {worst:.1%} (bar {MOTION_BAR:.0%})")
    missed = worst > MOTION_BAR
    for name, errors, bar in (("travelling clouds", travelling, SKILL_BAR), ("simulated weather", simulated, None)):
        rmse = {of: float(np.sqrt(np.mean(np.concatenate(hours) ** 2.0))) for of, hours in errors.items()}
        print(f"1-3 h, {name}: RMSE W/m2, {sum(hour.size for hour in errors['nowcast'])} hours of places")
        for other in ("persistence", "v23b", "satellite_alone"):
            below = 1 - rmse["nowcast"] / rmse[other]
            said = f" (bar {bar:.0%})" if bar is not None and other != "satellite_alone" else ""
            print(f"  nowcast {rmse['nowcast']:6.1f}   {other} {rmse[other]:6.1f}   below by {below:.0%}{said}")
            missed |= bool(said) and below < (bar or 0)
    return int(missed)


def look(folder: Path, nominal: datetime, clouds: Clouds | None) -> tuple[list[Sky], Motion]:
    """Make and read the images of a case, and see how they move."""
    folder.mkdir()
    skies = []
    for back in reversed(range(IMAGES)):
        moment = nominal - timedelta(minutes=back * IMAGE_EVERY_MIN)
        make_image_file(Path(file_urls(str(folder), moment)[1]), "meteosat", moment, 5.0, clouds)
        image = read_image(str(folder), moment, window_around(PLACES), user_agent="bench", deadline_s=60)
        skies.append(sky_of(image))
    return skies, motion_over(skies)


def judge(skies: list[Sky], motion: Motion, hour_mean: HourMean, errors: Errors) -> None:
    """Add the errors of a case."""
    last = skies[-1].image
    still = Motion(np.zeros_like(motion.row_speed), np.zeros_like(motion.column_speed), 0)
    carried = Carried(skies, motion, PLACES)
    hours = Hours(carried, PLACES, last.nominal)
    kept = Hours(Carried(skies[-1:], still, PLACES), PLACES, last.nominal)
    cycle = round(floor_hour(last.nominal + IMAGE_OUT_AFTER).timestamp())
    for start, lead in _hours(cycle, carried.seen_at(skies[-1])):
        model, truth = (hour_mean(start, by).reshape(PLACES.shape) for by in (cycle, None))
        hour = hours.hour(start)
        persistence = kept.hour(start).satellite
        there = np.isfinite(hour.satellite) & np.isfinite(persistence) & (hour.clearsky > 10)
        for name, values in (
            ("nowcast", hour.blended(model, lead)["ghi"]),
            ("satellite_alone", hour.satellite),
            ("persistence", persistence),
            ("v23b", model),
        ):
            errors[name].append((values - truth)[there])


def _hours(cycle: int, seen_at: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    for start in range(cycle, cycle + 5 * 3600, 3600):
        lead = (start + 1800 - seen_at).astype(np.float32)
        if _LEADS_H[0] <= float(lead.mean()) / 3600 <= _LEADS_H[1]:
            yield start, lead


def _motion_error(skies: list[Sky], motion: Motion, east: float, north: float) -> float:
    """Return the length of the median difference, over places that are seen, as a share of the true motion."""
    row, column = cells_per_second(east, north, REAL_DEGREES)
    seen = np.isfinite(skies[-1].index)
    # in metres of the map on which the clouds travel alike
    row_m, column_m = (1 / speed for speed in cells_per_second(1.0, 1.0, REAL_DEGREES))
    rows, columns = (motion.row_speed[seen] - row) * row_m, (motion.column_speed[seen] - column) * column_m
    return float(np.median(np.hypot(rows, columns)) / np.hypot(east, north))


def _places() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lat, lon = np.meshgrid(*PLACES.axes, indexing="ij")
    return lat.ravel(), lon.ravel()


def _weather() -> HourMean:
    weather = Weather(*_places())

    def hour_mean(start: int, cycle: int | None) -> NDArray[np.float32]:
        given = () if cycle is None else (partial(forecast_error, "met_nordic", cycle),)
        found: NDArray[np.float32] = weather.ghi_hour_mean(np.array([float(start)]), *given)[0]
        return found

    return hour_mean
