"""After the deletion of a plant nothing of it is left: in no table, no file of the database, no folder, no log."""

import io
import logging
import struct
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from api.data.plants import store, weather
from api.data.plants.weather import Weather
from api.database.tables import metadata
from tests.api.fabricated import WEATHER, entry, hydrate, series, write_index
from tests.api.plants.conftest import Service, StartService
from tests.support.database import KINDS
from tests.support.plant_uploads import rows_of
from tests.support.plants import SOILED, writing
from tiles.grid import FORECAST

NAME, FILE = "Solveigs hytte", "Solveigs_eksport.csv"
LAT, LON = 61.234567, 9.876543
VALUE = 3.14159
TEXTS = (NAME, FILE, str(LAT), str(LON), str(VALUE), str(round(1000 * VALUE)))
NUMBERS = tuple(struct.pack(order, number) for order in (">d", "<d") for number in (LAT, LON))


MORNING = datetime(2026, 7, 1, 6, tzinfo=UTC)


@pytest.fixture(scope="module")
def hydrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the hydrated forecast of the plant's place."""
    folder = tmp_path_factory.mktemp("forecast")
    hydrate(folder, entry(MORNING, variables=WEATHER), {FORECAST.cell_at(LAT, LON): series()})
    return folder / "hydrated"


@pytest.fixture
def start_with_forecast(start_service: StartService, hydrated: Path, tmp_path: Path) -> StartService:
    """Start a service that has a forecast."""

    async def starting(database_url: str, **more: Any) -> Service:
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / "hydrated").symlink_to(hydrated)
        write_index(tmp_path / "own", entry(MORNING, variables=WEATHER))
        return await start_service(database_url, store_folder=tmp_path / "own", **more)

    return starting


async def calibrate(service: Service, plant: str) -> None:
    """Calibrate a plant, and keep a forecast of its place, as is done at night."""
    start = np.array([int(datetime(2026, 6, 10, 10, tzinfo=UTC).timestamp())])
    kept = Weather(start, np.array([500.0]), np.array([15.0]), np.array([np.nan]))
    async with service.api.app.resources.database.engine.begin() as connection:
        await connection.run_sync(weather.put, plant, 24, kept)
        await connection.run_sync(store.set_calibration, plant, SOILED, MORNING)


async def live(service: Service) -> str:
    """Use a plant in every way there is, delete it, and return its id."""
    plant = await service.kari.register(navn=NAME, latitude=LAT, longitude=LON)
    await service.kari.upload(plant, rows_of(VALUE, words="varsel"), f"?filnavn={FILE}")
    await service.kari.upload(plant, rows_of(VALUE), f"?filnavn={FILE}&bekreft=true")
    refused = await service.kari.post(f"/{plant}/produksjon?filnavn={FILE}", data=rows_of(VALUE, words="dager"))
    assert refused.status == 422
    measured = {"verdier": [["2026-06-10T10:00:00Z", VALUE]]}
    assert (await service.kari.post(f"/{plant}/maalinger", json=measured)).status == 201
    assert (await service.kari.ask(f"/{plant}")).json["data"]["timer"] == 2
    await calibrate(service, plant)
    assert (await service.kari.ask(f"/{plant}/treff")).json["samlet"][0]["timer"] == 1
    for more in ("", "&format=csv", "&layout=columns"):
        asked = await service.api.ask(f"/api/forecast?anlegg_id={plant}{more}", headers=service.kari.headers)
        assert (asked.status, NAME in asked.text) == (200, True)
    assert (await service.kari.ask(f"/{plant}", "DELETE")).status == 200
    return plant


def found_in(content: bytes, plant: str) -> list[bytes]:
    return [one for one in (*map(str.encode, (*TEXTS[:-1], plant)), *NUMBERS) if one in content]


@pytest.mark.parametrize("database_url", KINDS, indirect=True)
async def test_no_row_is_left(start_with_forecast: StartService, database_url: str) -> None:
    plant = await live(await start_with_forecast(database_url))
    with writing(database_url) as connection:
        for table in metadata.tables.values():
            for row in connection.execute(sa.select(table)):
                cells = [bytes(cell) if isinstance(cell, bytes) else str(cell).encode() for cell in row]
                assert not [one for cell in cells for one in found_in(cell, plant)], table.name


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_byte_is_left_in_files_and_logs(
    start_with_forecast: StartService, database_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    access_log = io.StringIO()
    service = await start_with_forecast(database_url, access_log=access_log)
    before = await service.kari.register(navn="blir igjen")
    plant = await live(service)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    database = Path(database_url.removeprefix("sqlite:///"))
    assert database in files
    for path in files:
        assert found_in(path.read_bytes(), plant) == [], path
    for text in (access_log.getvalue(), caplog.text):
        assert found_in(text.encode(), plant) == []
    assert before.encode() in database.read_bytes(), "what is stored can be found this way"
    assert database.with_name(f"{database.name}-wal").stat().st_size < 100_000


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_what_is_kept_would_be_found(start_service: StartService, database_url: str, tmp_path: Path) -> None:
    service = await start_service(database_url, worker=False)
    plant = await service.kari.register(navn=NAME, latitude=LAT, longitude=LON)
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("solflis.sqlite*"))
    assert set(found_in(files, plant)) >= {NAME.encode(), plant.encode(), struct.pack(">d", LAT)}
