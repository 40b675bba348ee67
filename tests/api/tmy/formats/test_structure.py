"""Layout, column for column, as in files that others wrote; and the traps of each format."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from lxml import etree

from api.tmy.formats.climate_xml import SCHEMA
from api.tmy.formats.pvsol import degrees_minutes
from api.tmy.formats.registry import FORMATS
from kernels.decomposition import skartveit
from kernels.position import apparent
from kernels.sun import sun_table
from kernels.tmy.sunlight import sunlight_at
from tests.support.typical_year import LAT, LON, SELECTED, typical_year

YEAR = typical_year()
NUMBER = re.compile(r"-?\d+(\.\d+)?")


def lines_of(value: str) -> list[str]:
    return FORMATS[value].write(YEAR).decode().splitlines()


def kinds(row: str) -> list[str]:
    """What each field of a row is: a number, or text of such a length."""
    return ["number" if NUMBER.fullmatch(field) else f"text of {len(field)}" for field in row.split(",")]


def test_tmy3_has_the_columns_of_nrel(shared_data: Path) -> None:
    real = (shared_data / "tmy" / "703165TY_SandPointAK_tmy3.csv").read_text().splitlines()
    ours = lines_of("tmy3")
    assert len(ours) == len(real) == 8762
    assert ours[1] == real[1]
    assert len(ours[0].split(",")) == len(real[0].split(","))
    # What we do not have is marked as NREL marks it, so kinds agree in every row that lacks nothing but that.
    assert kinds(ours[2])[:2] == kinds(real[2])[:2]
    assert [len(row.split(",")) for row in ours[2:]] == [68] * 8760
    assert [row[10:16] for row in ours[2:26]] == [row[10:16] for row in real[2:26]]


def test_pvgis_csv_has_the_lines_and_columns_of_pvgis(shared_data: Path) -> None:
    real = (shared_data / "tmy" / "tmy_45.000_8.000_2005_2023.csv").read_text().splitlines()
    ours = lines_of("tool_c")
    head = 4 + 1 + 12  # place, names, months
    assert [line.split(":")[0] for line in ours[:4]] == [line.split(":")[0] for line in real[:4]]
    assert ours[4] == real[4]
    assert ours[5:head] == [f"{month + 1},{year}" for month, year in enumerate(SELECTED)]
    assert ours[head] == real[head]
    rows, theirs = ours[head + 1 : head + 8761], real[head + 1 : head + 8761]
    assert [row[4:13] for row in rows] == [row[4:13] for row in theirs]  # all but the year
    assert {tuple(kinds(row)) for row in rows} == {tuple(kinds(row)) for row in theirs}
    assert {row[:4] for row in rows} == {str(year) for year in SELECTED}
    legend = [line.split(":")[0] for line in real[head + 8761 :] if ":" in line]
    assert [line.split(":")[0] for line in ours[head + 8761 :] if ":" in line][: len(legend)] == legend
    assert FORMATS["tool_c"].write(YEAR).count(b"\r\n") == len(ours)


@pytest.mark.parametrize("place", [(58.0, 7.0, 1500.0), (70.0, 25.0, 0.0)])
def test_pvgis_csv_says_how_far_its_light_is_from_the_sun_of_its_dates(place: tuple[float, float, float]) -> None:
    """The strongest beam that the split gives, in the years whose sun is farthest from that of 2001 and in that."""
    here = sunlight_at(*place)
    ghi = 1.2 * here.e0 * here.sine
    dni, dhi = skartveit(ghi, (here.sine, here.elevation, here.masses), here.e0, here.pressure)
    for selected in (1991, 1992, 2001, 2020):
        year = replace(YEAR, ghi=ghi, dni=dni, dhi=dhi, selected_years=(selected,) * 12)
        text = FORMATS["tool_c"].write(year).decode()
        said = re.search(r"Years of the dates: .* the sun of 2001, .* is up to (\d+) W/m2", text)
        rows = pd.read_csv(io.StringIO(text), skiprows=17, nrows=8760)
        starts = pd.to_datetime(rows["time(UTC)"], format="%Y%m%d:%H%M").to_numpy("datetime64[s]").astype(np.int64)
        elevation, _ = apparent(sun_table(starts + 1800), *place)
        cos_zenith = np.maximum(np.sin(np.radians(elevation)), 0.0)
        gap = rows["G(h)"] - rows["Gb(n)"] * cos_zenith - rows["Gd(h)"]
        assert said
        assert gap.abs().max() <= float(said[1])


def test_epw_has_the_columns_of_pvgis_epw(shared_data: Path) -> None:
    real = (shared_data / "tmy" / "tmy_45.000_8.000_2005_2023.epw").read_text().splitlines()
    ours = lines_of("epw")
    names = [line.split(",")[0].rstrip("S") for line in real[:8]]
    assert [line.split(",")[0].rstrip("S") for line in ours[:8]] == names
    assert len(ours[0].split(",")) == len(real[0].split(",")) == 10
    rows, theirs = ([line.split(",") for line in lines[8:8768]] for lines in (ours, real))
    assert {len(row) for row in rows} == {len(row) for row in theirs} == {35}
    assert [row[1:4] for row in rows] == [row[1:4] for row in theirs]
    assert {len(row[5]) for row in rows} == {len(row[5]) for row in theirs}
    assert {row[4] for row in rows} == {"60"}  # science: 0 makes SAM take the sun of the hour's start
    # Missing is written as there: sky, visibility, ceiling and all that follows.
    assert {tuple(row[22:]) for row in rows} == {tuple(row[22:]) for row in theirs}


@pytest.mark.parametrize("method", ["As it is made.", "As it is made"])
def test_comments_of_epw_are_sentences(method: str) -> None:
    sources = [{"name": "A", "licence": "B", "attribution": "An institute, 2020."}]
    lines = FORMATS["epw"].write(typical_year(method=method, sources=sources)).decode().splitlines()[5:7]
    assert all(".." not in line for line in lines)
    assert lines[1].endswith("An institute, 2020. As it is made. No infrared - clouds - wind direction")


def test_sam_gets_no_minute_and_no_units() -> None:
    labels, values, names, *rows = lines_of("tool_d")
    head = dict(zip(labels.split(","), values.split(","), strict=True))
    assert (head["Time Zone"], head["Local Time Zone"], head["Elevation"]) == ("1", "1", "212")
    assert "Units" not in labels
    assert "Minute" not in names
    assert [row.split(",")[:4] for row in rows[:25:8]] == [["2001", "1", "1", hour] for hour in ("0", "8", "16")] + [
        ["2001", "1", "2", "0"]
    ]


def test_pvsyst_labels_roll_over_at_midnight() -> None:
    lines = lines_of("tool_a")
    rows = [line for line in lines if line.startswith("200")]
    assert [len(row.split(";")) for row in rows] == [11] * 8760
    assert rows[0].startswith("2001;1;1;1;0;")
    assert rows[23].startswith("2001;1;2;0;0;")
    assert rows[-1].startswith("2002;1;1;0;0;")
    assert "#Time shift;-60;minute" in lines


@pytest.mark.parametrize(
    ("degrees", "text"), [(48.1866, "48.11"), (-16.35, "-16.21"), (59.9999, "60.00"), (5.05, "5.03"), (-0.001, "0.00")]
)
def test_degrees_and_minutes(degrees: float, text: str) -> None:
    assert degrees_minutes(degrees) == text


def test_east_is_negative_in_pvsol_and_meteonorm() -> None:
    assert lines_of("tool_b")[1] == "60.23,-5.19,212,-1,-30"
    assert lines_of("tool_b")[3] == "Ta\tGh\tFF\tRH"
    assert lines_of("tool_g")[1] == f'{LAT:.3f},-{LON:.3f},212,-1,-30,1,1,"SYN"'


def test_meteonorm_gives_the_months_of_its_rows() -> None:
    lines = lines_of("tool_g")
    rows = np.array([line.split("\t") for line in lines[6:]], float)
    month = pd.date_range("2001", periods=8760, freq="h").month - 1
    for line, column in zip(lines[3:6], (0, 2, 3), strict=True):
        means = np.bincount(month, rows[:, column]) / np.bincount(month)
        np.testing.assert_allclose(np.array(line.split(","), float), means, atol=0.06)


def test_solargis_counts_days_and_stamps_centres() -> None:
    lines = [line for line in lines_of("tool_e") if line and not line.startswith("#")]
    assert lines[0] == "Day;Time;GHI;DNI;DIF;TEMP;AP;RH;WS"
    assert lines[1].startswith("1;00:30;")
    assert lines[-1].startswith("365;23:30;")


def test_solaranywhere_head_is_read_by_slashes_and_colons() -> None:
    [head] = csv.reader(io.StringIO(lines_of("tool_f")[0]))
    assert (head[0], head[2:7]) == ("0", ["NA", "1", "60.39000", "5.32000", "212.4"])
    said = dict(part.split(": ") for part in head[7].split(" / "))
    assert said["Averaging Method"] == "End of Period"
    assert said["LatLon Resolution"] == "0.030"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b' hour="24"', b' hour="25"'),
        (b'dni="0.0"', b'dni="-0.1"'),
        (b'timezone="1"', b""),
        (b"</ClimateData>", b"<Hour/></ClimateData>"),
        (b'confidence="tmy"', b'confidence="p10"'),
    ],
)
def test_the_schema_refuses_what_is_no_year(old: bytes, new: bytes) -> None:
    schema, text = etree.XMLSchema(etree.parse(SCHEMA)), FORMATS["tool_h"].write(YEAR)
    assert schema.validate(etree.fromstring(text))
    assert old in text
    assert not schema.validate(etree.fromstring(text.replace(old, new, 1)))
