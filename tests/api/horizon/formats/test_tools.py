"""The files of five tools, read back by what is public of how each reads them."""

import csv
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from api.horizon.formats.registry import FORMATS
from api.horizon.profile import HorizonProfile
from kernels.horizon.tables import beam_losses, whole_degrees
from tests.api.horizon.formats.conftest import HILL, PEAK, made_up_profile, source


def text_of(profile: HorizonProfile, value: str) -> str:
    return FORMATS[value].write(profile).decode("ascii")


def read_a(text: str) -> dict[int, float]:
    """As PVsyst: a line with letters is a comment; azimuth, then height; here the caller says that south is 0."""
    data = [line for line in text.splitlines() if not re.search("[A-Za-z]", line)]
    pairs = (re.split(r"[,;\t ]", line) for line in data)
    return {int(azimuth) % 360: float(height) for azimuth, height in pairs}


def read_b(text: str) -> dict[int, float]:
    """As PV*SOL: two columns, a space between, no header; whole numbers."""
    pairs = (line.split(" ") for line in text.splitlines())
    return {int(azimuth) % 360: int(height) for azimuth, height in pairs}


def read_c(text: str) -> dict[int, float]:
    """As SAM reads SunEye's file: what follows `begin data` and the line of labels, 361 rows."""
    lines = text.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.split(",")[0] == "begin data")
    rows = [line.split(",") for line in lines[begin + 2 :]]
    assert len(rows) == 361
    assert rows[0][2:] == rows[-1][2:]
    assert all(int(row[0]) == int(row[1]) + 180 for row in rows)
    return {int(row[1]) % 360: float(row[2]) for row in rows}


READERS: dict[str, Callable[[str], dict[int, float]]] = {"export_a": read_a, "export_b": read_b, "export_c": read_c}


@pytest.mark.parametrize("value", READERS)
def test_azimuths_from_south_are_those_of_the_profile(profile: HorizonProfile, value: str) -> None:
    read, whole = READERS[value](text_of(profile, value)), whole_degrees(profile.elevation)
    assert list(read) == [(180 + i) % 360 for i in range(len(read))], "from the north, clockwise"
    assert len(read) == 360
    step = 1.0 if value == "export_b" else 0.1
    for from_south, height in read.items():
        assert height == pytest.approx(whole[(from_south + 180) % 360], abs=step / 2 + 1e-9)
        assert 0 <= height <= 90
    assert read[-90 % 360] == pytest.approx(HILL - 1.5, abs=step), "the hill in the east is at -90"
    assert read[90] == read[180] == 0
    assert {from_south for from_south, height in read.items() if abs(height - PEAK) < step} >= {20, 21}


def test_the_line_that_pvsyst_takes_for_the_name(profile: HorizonProfile) -> None:
    first, second = text_of(profile, "export_a").splitlines()[:2]
    assert first.startswith("Latitude 59.9123, Longitude 10.7543 ")
    assert "SIMULATED" in first
    assert "Heights from (c) A survey - licence CC BY 4.0" in first
    assert "SIMULATED" not in text_of(made_up_profile(data_origin="live"), "export_a")
    assert re.search("[A-Za-z]", second)


def test_labels_and_lines_of_helioscope(profile: HorizonProfile) -> None:
    bare = made_up_profile(data_origin="live", dtm_year=None, ground_z=None, observer_z=None, sources=())
    odd = made_up_profile(sources=[source('Ås; "kart", © Å: x\r\nbegin data'), source("another")])
    for tier in (profile, bare, odd):
        rows = list(csv.reader(text_of(tier, "export_c").splitlines()))
        assert rows[9] == ["begin data"]
        assert rows[10][0] == "Compass Heading (0-360; North=0; East=90)"
        assert rows[10][2] == "Average Elevation (0-90) Session"
        assert [int(row[0]) for row in rows[11:]] == list(range(361)), "numbers begin in line 12"


def test_pvgis_takes_the_heights_as_pvlib_hands_them_on(
    profile: HorizonProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pvlib.iotools import pvgis

    heights = [float(line) for line in text_of(profile, "export_d").splitlines()]
    asked: dict[str, Any] = {}

    class Sent(Exception):
        """What would have been sent is known."""

    def get(_: str, params: dict[str, Any], **__: object) -> None:
        asked.update(params)
        raise Sent

    monkeypatch.setattr(pvgis.requests, "get", get)
    with pytest.raises(Sent):
        pvgis.get_pvgis_hourly(profile.lat, profile.lon, userhorizon=heights)
    sent = [float(one) for one in asked["userhorizon"].split(",")]
    np.testing.assert_allclose(sent, whole_degrees(profile.elevation), atol=0.0501)
    assert sent[90] == max(sent) > 5 > sent[270]


def test_sams_table_has_its_axes(profile: HorizonProfile) -> None:
    rows = [line.split(",") for line in text_of(profile, "export_e").splitlines()]
    assert rows[0] == ["", *map(str, range(361))]
    assert [row[0] for row in rows[1:]] == [str(n) for n in range(91)]
    table = np.array([row[1:] for row in rows[1:]], dtype=float)
    np.testing.assert_allclose(table, 100 * beam_losses(profile.elevation), atol=0.0501)
    assert (table[25, 90], table[25, 270]) == (100, 0)


def test_the_name_in_pvsyst_is_short_however_much_there_is_to_say() -> None:
    long = made_up_profile(sources=[source(f"The survey of the county number {n}") for n in range(9)])
    first, *comments = text_of(long, "export_a").splitlines()[:-360]
    assert len(first) <= 200
    assert "SIMULATED" in first
    assert "county number 8" in "".join(comments), "whom the heights are from is said in full below"
    assert all(re.search("[A-Za-z]", line) for line in comments)


def test_a_file_says_what_is_not_in_it() -> None:
    assert "terrain model of unknown year" in text_of(made_up_profile(dtm_year=None), "export_a").lower()
    near = made_up_profile(tier="rooftop", near_alone_m=500.0, tile_key=None)
    assert "near field of 500 m alone" in text_of(near, "export_a")
    assert "near field" not in text_of(made_up_profile(tier="rooftop"), "export_a")
