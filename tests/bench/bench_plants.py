"""Measurements of many plants in SQLite: 35 years of hours of 1,000 plants by default.

Prints the size of the database, and milliseconds (median and 99th of a hundred) of what owners ask: a plant, the plants
of a key, a month written by the API; and of what jobs do: reading all hours of a plant, storing a year of them.
"""

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import numpy as np
import sqlalchemy as sa
from sqlalchemy import Engine

from api.data.plants import measurements, store
from api.data.plants.measurements import HOUR_S, Hours
from api.data.plants.plant import Plant
from api.database.engine import address, make_engine, truncate_log
from api.database.migrate import migrate
from tests.support.plants import made_plant
from tests.support.worker import until, worker

_FIRST_YEAR, _ASKED = 1991, 100
_CLOCK = "2026-07-01T12:00:00Z!"


def year_of(year: int, chance: np.random.Generator) -> Hours:
    """Return a year of a plant of 10 kWp: a bell in the day, longer in summer, under passing clouds."""
    start, end = (int(datetime(one, 1, 1, tzinfo=UTC).timestamp()) for one in (year, year + 1))
    starts = np.arange(start, end, HOUR_S)
    days, hours = (starts - start) / 86_400, starts // HOUR_S % 24
    season = 0.5 - 0.45 * np.cos(2 * np.pi * (days + 10) / 365)
    height = np.cos((hours - 11) / 24 * 2 * np.pi) - 0.9 + 1.4 * season
    return Hours(starts, np.maximum(6000 * height * season * chance.uniform(0.2, 1, len(starts)), 0))


def fill(engine: Engine, plants: int, years: int) -> list[Plant]:
    """Store measurements, year by year, as they would come."""
    chance = np.random.default_rng(1)
    made = [made_plant() for _ in range(plants)]
    with engine.begin() as connection:
        for plant in made:
            store.add(connection, plant)
    for year in range(_FIRST_YEAR, _FIRST_YEAR + years):
        hours = [year_of(year, chance) for _ in range(20)]
        with engine.begin() as connection:
            for number, plant in enumerate(made):
                measurements.put(connection, plant.id, hours[number % 20], "upload")
    return made


def told(name: str, work: Callable[[int], object], times: int = _ASKED) -> None:
    """Print how long some work takes."""
    took = []
    for number in range(times):
        begin = time.perf_counter()
        work(number)
        took.append(1000 * (time.perf_counter() - begin))
    print(f"{name:<42} {statistics.median(took):8.1f} ms {np.quantile(took, 0.99):8.1f} ms", flush=True)


def measure(folder: Path, plants: int = 1000, years: int = 35) -> None:
    """Print the figures."""
    file = folder / "solflis.sqlite"
    url = address(f"sqlite:///{file}", folder)
    migrate(url)
    engine = make_engine(url)
    begin = time.perf_counter()
    made = fill(engine, plants, years)
    with engine.connect() as connection:
        hours = sum(measurements.hours_by_plant(connection).values())
        content = connection.scalar(sa.text("SELECT avg(length(content)) FROM plant_month"))
    truncate_log(url)
    print(f"{plants} plants, {hours / 1e6:.1f} million hours, filled in {time.perf_counter() - begin:.0f} s")
    print(f"{file.stat().st_size / 1e6:.0f} MB, {content:.0f} bytes a month")
    last = year_of(_FIRST_YEAR + years - 1, np.random.default_rng(2))

    def read(number: int) -> None:
        with engine.connect() as connection:
            assert len(measurements.read(connection, made[7 * number % plants].id).starts) > 0

    def put(number: int) -> None:
        with engine.begin() as connection:
            measurements.put(connection, made[7 * number % plants].id, last, "upload")

    told("read all hours of a plant", read)
    told("store a year of hours again", put)
    june = int(datetime(2026, 6, 1, tzinfo=UTC).timestamp())
    year = year_of(2026, np.random.default_rng(3))
    of_june = (year.starts >= june) & (year.starts < june + 30 * 24 * HOUR_S)
    values = [
        [f"{datetime.fromtimestamp(start, UTC):%Y-%m-%dT%H:%M:%SZ}", round(wh / 1000, 3)]
        for start, wh in zip(year.starts[of_june].tolist(), year.wh[of_june].tolist(), strict=True)
    ]
    settings = {"ACCESS": "open", "DATABASE": f"sqlite:///{file}"}
    with worker(str(folder / "tiles"), folder / "state", _CLOCK, folder / "log", **settings) as base:
        until(base, "/api/anlegg/x", 404)
        with httpx.Client(base_url=base, timeout=60) as client:

            def asked(method: str, path: Callable[[int], str], **options: object) -> Callable[[int], object]:
                return lambda number: client.request(method, path(number), **options).raise_for_status()  # type: ignore[arg-type]

            def own(number: int) -> str:
                return f"/api/anlegg/{made[7 * number % plants].id}"

            told("GET /api/anlegg/{id}", asked("GET", own))
            told(f"GET /api/anlegg ({plants} plants)", asked("GET", lambda _: "/api/anlegg"), 20)
            hourly = {"verdier": values[:1]}
            told("POST maalinger, an hour", asked("POST", lambda n: f"{own(n)}/maalinger", json=hourly))
            told("POST maalinger, a month", asked("POST", lambda n: f"{own(n)}/maalinger", json={"verdier": values}))
            told("DELETE /api/anlegg/{id}", asked("DELETE", own))
    engine.dispose()
