"""Nights in which clocks change, and files that run over them in each zone."""

import numpy as np
import pytest

from api.plants.interpretation.answers import Answers
from api.plants.interpretation.interpret import interpret
from api.plants.interpretation.zones import is_summer_time, to_utc
from api.plants.reading.read import read
from tests.support.portals.series import OSLO, plant, series

SPRING, AUTUMN = "2024-03-29", "2024-10-25"


@pytest.mark.parametrize("minutes", [15, 60])
@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("zone", ["Europe/Oslo", "UTC", "+01:00"])
@pytest.mark.parametrize("first", [SPRING, AUTUMN])
def test_file_over_a_night_in_which_clocks_change_gives_each_hour_once(
    first: str, zone: str, ends: bool, minutes: int
) -> None:
    one = series(minutes, first, 6)
    values = one.wh + 1  # the nights too
    rows = [
        f"{time:%d.%m.%Y %H:%M};{value:.1f}" for time, value in zip(one.local(zone, ends=ends), values, strict=True)
    ]
    text = "\n".join([f"{'Til' if ends else 'Fra'};Produksjon (Wh)", *rows])
    found = interpret(read(text.encode(), "a.csv"), plant(), Answers(zone=zone))
    truth = one._replace(wh=values).hours()
    assert found.hours.starts.tolist() == truth.starts.tolist()
    assert np.abs(found.hours.wh - truth.wh).max() < 0.06 * 60 / minutes


@pytest.mark.parametrize("zone", ["Europe/Oslo", "UTC", "+01:00"])
@pytest.mark.parametrize("first", [SPRING, AUTUMN])
def test_zone_of_a_file_over_such_a_night_is_found(first: str, zone: str) -> None:
    one = series(60, first, 10)
    rows = [f"{time:%Y-%m-%d %H:%M};{wh:.1f}" for time, wh in zip(one.local(zone), one.wh, strict=True)]
    found = interpret(read("\n".join(["Fra;Produksjon (Wh)", *rows]).encode(), "a.csv"), plant())
    assert found.mapping.zone == zone
    assert not found.questions


def test_hour_that_comes_twice_and_once_only_is_summer_time() -> None:
    local = np.arange(0, 5) * 3600 + int(np.datetime64("2024-10-27", "s").astype(int))
    unix = to_utc(local, np.full(5, np.nan), "Europe/Oslo")
    assert np.diff(unix).tolist() == [3600, 3600, 7200, 3600]


def test_both_passes_of_the_hour_stand_side_by_side() -> None:
    quarter = np.repeat(np.arange(8, 12) * 900, 2) + int(np.datetime64("2024-10-27", "s").astype(int))
    unix = to_utc(quarter, np.full(8, np.nan), "Europe/Oslo")
    assert sorted(np.diff(np.sort(unix)).tolist()) == [900] * 7


def test_summer_time_begins_and_ends_on_last_sundays() -> None:
    for moment in ("2024-03-31T01:00", "2024-10-27T01:00", "2021-03-28T01:00"):
        unix = int(np.datetime64(moment, "s").astype(int))
        around = np.array([unix - 1, unix])
        offsets = [OSLO.utcoffset(np.datetime64(int(one), "s").astype(object).replace(tzinfo=OSLO)) for one in around]
        assert is_summer_time(around).tolist() != [offsets[0] is None] * 2
        assert is_summer_time(around).sum() == 1
