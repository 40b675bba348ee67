"""Files of real portals."""

from pathlib import Path

import pytest

from api.plants.reading.read import read
from tests.api.plants.reading.checked import check

# name: kind, encoding, delimiter, rows, columns, and cells by row and column
SHAPES = {
    "sma_5min.csv": ("csv", "utf-8-sig", ",", 1448, 34, {(2, 1): "STP8.0-3AV-40 622", (-1, 0): "04.07.2025 23:55:00"}),
    "sma_daily.csv": ("csv", "utf-8-sig", ",", 1943, 6, {(5, 1): "Metering.TotWhOut", (-1, 1): "35556951"}),
    "enphase_produced.csv": ("csv", "utf-8", ",", 5592, 2, {(0, 1): "Energy Produced (Wh)", (-1, 1): "0"}),
    "enphase_metered.csv": ("csv", "utf-8", ",", 9601, 5, {(-1, 0): "11/15/2023 22:00", (-1, 4): "614"}),
    "solaredge_quarter.json": ("json", "utf-8", "", 97, 2, {(1, 1): 0.0, (2, 1): "", (0, 0): "date"}),
    "solaredge_hour_dst.json": ("json", "utf-8", "", 745, 2, {(9, 1): 8.0, (-1, 0): "2024-10-31 23:00:00 CET+0100"}),
    "isolarcloud_month.csv": ("csv", "utf-8-sig", ",", 31, 5, {(0, 1): "PV(kWh)", (1, 2): "7"}),
    "sungrow_day_de.csv": ("csv", "utf-8", ",", 289, 5, {(0, 1): "PV-Ertrag(W)", (-1, 1): "--"}),
    "metern_daily.csv": ("csv", "utf-8", ",", 366, 2, {(0, 0): "20240101", (0, 1): "6120"}),
    "danfoss_weblogger_it.txt": ("csv", "cp1252", "\t", 4068, 7, {(0, 5): "Intensità di irradiamento [W/mý]"}),
    "danfoss_inverters_it.txt": ("csv", "cp1252", "\t", 3121, 22, {(0, 5): "Temperatura [°C]", (2, 3): "3222"}),
    "solarlog_min.txt": ("csv", "utf-8", ";", 185, 9, {(0, 0): "15.05.12 21:25:00", (0, 8): "412"}),
    "fronius_archive.json": ("json", "utf-8", "", 577, 4, {(0, 3): "value", (1, 3): 2343918.0}),
    "fluvius_grid_meter.csv": ("csv", "utf-8-sig", ";", 1929, 12, {(1, 4): "123456879123456789", (3, 8): "0,173"}),
    "enel_wide_consumption.csv": ("csv", "utf-8", ";", 31, 98, {(0, 1): "00:00-00:15", (1, 1): "0,139"}),
    "ausgrid_wide_production.csv": ("csv", "utf-8", ",", 367, 49, {(0, 48): "23.5", (-1, 0): "2012-06-30"}),
    "growatt_month_fake.xlsx": ("xlsx", "", "", 7, 68, {(0, 3): 19940.0, (2, 0): "TimHouse"}),
}
CONTEXTS = {
    "solaredge_quarter.json": {"unit": "Wh", "timeUnit": "QUARTER_OF_AN_HOUR", "measuredBy": "INVERTER"},
    "fronius_archive.json": {"Unit": "Wh", "Start": "2017-08-30T00:00:00+02:00"},
}


@pytest.mark.parametrize("name", SHAPES)
def test_logger_files_have_all_rows_and_columns(name: str, shared_data: Path) -> None:
    kind, encoding, delimiter, rows, columns, cells = SHAPES[name]
    workbook = read((shared_data / "loggers" / name).read_bytes(), name)
    check(workbook)
    (sheet,) = workbook.sheets
    assert (workbook.kind, workbook.encoding, workbook.delimiter) == (kind, encoding, delimiter)
    assert (len(sheet.rows), max(map(len, sheet.rows))) == (rows, columns)
    assert {(row, column): sheet.rows[row][column] for row, column in cells} == cells
    assert sheet.context.items() >= CONTEXTS.get(name, {}).items()


def test_all_logger_files_are_tested(shared_data: Path) -> None:
    files = {file.name for file in (shared_data / "loggers").iterdir()}
    assert files - {"README.md", "truth.json"} == set(SHAPES)
