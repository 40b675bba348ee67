"""Files that people really got from portals and loggers, against hours derived by hand."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.core.errors import ApiError
from api.plants.check import check
from api.plants.interpretation.interpret import interpret
from api.plants.model import PlantModel
from api.plants.reading.read import read

# Where the sun stands as at the file's origin (README of the files).
DUTCH, ITALIAN, GERMAN = (59.28, 5.30), (58.03, 7.45), (59.05, 10.03)
PLACES = {
    "danfoss_weblogger_it.txt": ITALIAN, "danfoss_inverters_it.txt": ITALIAN, "enel_wide_consumption.csv": ITALIAN,
    "sungrow_day_de.csv": GERMAN, "solarlog_min.txt": GERMAN,
}  # fmt: skip
FACING_WEST = ("sma_5min.csv", "enphase_metered.csv")
HOURLY = {
    # unit, quantity, minutes, stamp, zone
    "sma_5min.csv": ("Wh", "teller", 5, "slutt", "Europe/Oslo"),
    "enphase_produced.csv": ("Wh", "energi", 60, "start", "Europe/Oslo"),
    "enphase_metered.csv": ("Wh", "energi", 60, "start", "Europe/Oslo"),
    "solaredge_quarter.json": ("Wh", "energi", 15, "start", "Europe/Oslo"),
    "solaredge_hour_dst.json": ("Wh", "energi", 60, "start", "fil"),
    "sungrow_day_de.csv": ("W", "effekt", 5, "start", "Europe/Oslo"),
    "danfoss_weblogger_it.txt": ("W", "effekt", 10, "slutt", "Europe/Oslo"),
    "danfoss_inverters_it.txt": ("W", "effekt", 10, "slutt", "Europe/Oslo"),
    "solarlog_min.txt": ("W", "effekt", 5, "slutt", "Europe/Oslo"),
}
DAILY = ("sma_daily.csv", "isolarcloud_month.csv", "metern_daily.csv", "growatt_month_fake.xlsx")


def _truth(folder: Path, name: str) -> dict[str, Any]:
    return next(one for one in json.loads((folder / "truth.json").read_text()) if one["file"] == name)


def _model(name: str, truth: dict[str, Any]) -> PlantModel:
    azimuth = 240 if name in FACING_WEST else 180
    return PlantModel(*PLACES.get(name, DUTCH), [(30, azimuth, truth.get("max_hour_kwh", 4.0) / 0.8)], 0.85)


@pytest.mark.parametrize("name", HOURLY)
def test_logger_file_gives_the_hours_derived_by_hand(name: str, shared_data: Path) -> None:
    folder = shared_data / "loggers"
    truth = _truth(folder, name)
    found = interpret(read((folder / name).read_bytes(), name), _model(name, truth), file_name=name)
    mapping = found.mapping
    read_as = mapping.unit, mapping.quantity, mapping.interval_s // 60, mapping.stamp, mapping.zone
    assert read_as == HOURLY[name], found.description
    assert found.hours.wh.sum() / 1000 == pytest.approx(truth["kwh"], rel=0.002)
    kwh = dict(zip(found.hours.starts.tolist(), (found.hours.wh / 1000).tolist(), strict=True))
    for moment, value in truth["samples"].items():
        assert kwh[int(datetime.fromisoformat(moment).timestamp())] == pytest.approx(value, rel=0.01, abs=0.002)
    assert bool(found.questions) == (name == "sungrow_day_de.csv")  # half a day


@pytest.mark.parametrize("name", DAILY)
def test_logger_file_with_daily_sums_is_refused_as_such(name: str, shared_data: Path) -> None:
    folder = shared_data / "loggers"
    with pytest.raises(ApiError, match="én verdi per døgn"):
        interpret(read((folder / name).read_bytes(), name), _model(name, {}), file_name=name)


def test_file_of_a_grid_meter_is_read_as_feed_in_and_asked_about(shared_data: Path) -> None:
    folder, name = shared_data / "loggers", "fluvius_grid_meter.csv"
    found = interpret(read((folder / name).read_bytes(), name), _model(name, _truth(folder, name)), file_name=name)
    assert found.role == "feed_in"
    assert found.mapping.kept == ("Injection Day", "Injection Night")
    assert found.hours.wh.sum() / 1000 == pytest.approx(30.011, rel=1e-3)
    assert "levert til nettet" in found.questions[-1]


def test_wide_consumption_is_found_to_be_no_production(shared_data: Path) -> None:
    folder, name = shared_data / "loggers", "enel_wide_consumption.csv"
    truth = _truth(folder, name)
    model = _model(name, truth)
    found = interpret(read((folder / name).read_bytes(), name), model, file_name=name)
    assert found.hours.wh.sum() / 1000 == pytest.approx(truth["kwh"], rel=1e-3)
    assert "ikke_produksjon" in {one["kode"] for one in check(found.hours, model, found.role).findings}


def test_wide_production_without_a_unit_is_read_as_power_from_another_hemisphere(shared_data: Path) -> None:
    folder, name = shared_data / "loggers", "ausgrid_wide_production.csv"
    truth = _truth(folder, name)
    found = interpret(read((folder / name).read_bytes(), name), _model(name, truth), file_name=name)
    assert (found.mapping.unit, found.mapping.quantity, found.mapping.interval_s) == ("kW", "effekt", 1800)
    assert found.hours.wh.sum() / 1000 == pytest.approx(truth["kwh"], rel=1e-3)
    assert np.isfinite(found.hours.wh).all()


def test_counters_of_a_grid_meter_are_refused(shared_data: Path) -> None:
    folder, name = shared_data / "loggers", "fronius_archive.json"
    with pytest.raises(ApiError, match="ingen kolonne med dato og klokkeslett"):
        interpret(read((folder / name).read_bytes(), name), _model(name, {}), file_name=name)
