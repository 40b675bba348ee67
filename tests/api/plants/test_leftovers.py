"""After the deletion of a plant nothing of it is left: in no table, no file of the database, no folder, no log."""

import io
import logging
import struct
from pathlib import Path

import pytest
import sqlalchemy as sa

from api.database.tables import metadata
from tests.api.plants.conftest import Service, StartService
from tests.support.plant_uploads import rows_of
from tests.support.plants import writing

NAME, FILE = "Solveigs hytte", "Solveigs_eksport.csv"
LAT, LON = 61.234567, 9.876543
VALUE = 3.14159
TEXTS = (NAME, FILE, str(LAT), str(LON), str(VALUE), str(round(1000 * VALUE)))
NUMBERS = tuple(struct.pack(order, number) for order in (">d", "<d") for number in (LAT, LON))


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
    assert (await service.kari.ask(f"/{plant}", "DELETE")).status == 200
    return plant


def found_in(content: bytes, plant: str) -> list[bytes]:
    return [one for one in (*map(str.encode, (*TEXTS[:-1], plant)), *NUMBERS) if one in content]


async def test_no_row_is_left(start_service: StartService, database_url: str) -> None:
    plant = await live(await start_service(database_url))
    with writing(database_url) as connection:
        for table in metadata.tables.values():
            for row in connection.execute(sa.select(table)):
                cells = [bytes(cell) if isinstance(cell, bytes) else str(cell).encode() for cell in row]
                assert not [one for cell in cells for one in found_in(cell, plant)], table.name


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_byte_is_left_in_files_and_logs(
    start_service: StartService, database_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    access_log = io.StringIO()
    service = await start_service(database_url, access_log=access_log)
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
