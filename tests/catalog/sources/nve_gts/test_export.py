"""The authority's own export: a real winter, and what contradicts itself."""

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import SnowData, day_of, read_export

HEAD = (
    "# Theme: {theme}; Fullname: Made up v2; NoDataValue: {none}; X: 262727; Y: 6974711;"
    " Startdate: 01.01.1957 06:00:00; Enddate: 07.01.2020 06:00:00; PrognoseStartDate: {forecast};"
    " Unit: {unit}; TimeResolution: {minutes}; Altitude: 635;\nDate;{theme}({unit})\n"
)


def export(*rows: str, **told: str) -> SnowData:
    return read_export(text_of(*rows, **told))


def text_of(*rows: str, **told: str) -> str:
    settings = {"theme": "swe", "none": "65535", "forecast": "", "unit": "mm", "minutes": "1440", **told}
    return HEAD.format(**settings) + "\n".join(rows) + "\n"


@pytest.fixture
def real(shared_data: Path) -> str:
    return (shared_data / "snow" / "senorge_swe_bratsberg_1957-58.csv").read_text(encoding="utf-8")


def test_the_real_winter(real: str) -> None:
    """Bratsberg's winter of 1957-58, against the file's own lines read in the plainest way."""
    data = read_export(real)
    rows = [line.split(";") for line in real.splitlines()[2:] if line.strip()]
    told = {
        date(*reversed([int(n) for n in stamp[:10].split(".")])).toordinal() - 1: float(value.replace(",", "."))
        for stamp, value in rows
    }
    swe = dict(zip((data.days + date(1970, 1, 1).toordinal()).tolist(), data.values["swe"][:, 0].tolist(), strict=True))
    assert {day: value for day, value in told.items() if value != 65535} == pytest.approx(
        {day: value for day, value in swe.items() if not np.isnan(value)}
    )
    assert len(told) == len(swe) > 370
    assert np.isnan(data.values["swe"][:5]).all()
    assert 300 < np.nanmax(data.values["swe"]) < 400
    assert data.days[0] == day_of(date(1957, 8, 25)), "what is stamped on the 26th at 06 is of the day before"
    assert (data.points, data.altitude.tolist()) == (((262_500, 6_974_500),), [635.0])
    assert (data.data_origin, data.requests, data.observed_until) == ("live", 0, data.days[-1])
    assert list(data.values) == ["swe"]


def test_the_real_one_with_a_day_twice(real: str) -> None:
    line = next(line for line in real.splitlines() if line.startswith("24.12.1957"))
    same = read_export(real + f"\n{line}")
    np.testing.assert_array_equal(same.values["swe"], read_export(real).values["swe"])
    with pytest.raises(SourceError, match=r"two different values of 24\.12\.1957"):
        read_export(real + "\n24.12.1957 06:00:00;1,5")


def test_days_in_any_order_and_gaps() -> None:
    data = export(
        "05.01.2020 06:00:00;7", "02.01.2020 06:00;1,5", "03.01.2020 00:00;65535", "03.01.2020 06:00:00;65535"
    )
    np.testing.assert_array_equal(data.values["swe"][:, 0], np.array([1.5, np.nan, np.nan, 7], np.float32))
    assert data.days[0] == day_of(date(2020, 1, 1))


def test_units_missing_values_and_where_the_forecast_begins() -> None:
    rows = ("02.01.2020 06:00:00;255", "03.01.2020 06:00:00;2,5", "04.01.2020 06:00:00;3")
    new_snow = export(*rows, theme="fsw", none="255", unit="cm", forecast="04.01.2020 06:00:00")
    np.testing.assert_array_equal(new_snow.values["new_snow"][:, 0], np.array([np.nan, 25, 30], np.float32))
    assert new_snow.observed_until == day_of(date(2020, 1, 2))
    assert export(*rows, theme="sd", unit="cm").values["snow_depth"].max() == 2550


@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_and_line_ends(mark: str, end: str) -> None:
    text = mark + text_of("02.01.2020 06:00:00;1,5;", "").replace("\n", end)
    assert read_export(text).values["swe"].tolist() == [[1.5]]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda t: "", "is no export of the snow authority"),
        (lambda t: "<html>", "is no export of the snow authority"),
        (lambda t: t.replace("1;", "1;x"), "is no export of the snow authority"),
        (lambda t: t.replace("02.01.2020", "2020-01-02"), "is no export of the snow authority"),
        (lambda t: t.replace("02.01.2020", "31.02.2020"), "is no export of the snow authority"),
        (lambda t: t.replace("06:00:00;1", "18:00:00;1"), "is no export of the snow authority"),
        (lambda t: t.replace(";1,5", ";nan"), "is no export of the snow authority"),
        (lambda t: t.replace(";1,5", ""), "is no export of the snow authority"),
        (lambda t: t.replace("swe", "gwb_q"), "theme 'gwb_q', which is none of swe, sd, fsw, sdfsw, tm"),
        (lambda t: t.replace("Unit: mm", "Unit: kg"), "'kg', which is neither mm nor cm"),
        (lambda t: t.replace("1440", "180"), "every 180.0 minutes"),
        (lambda t: t.replace("262727", "9262727"), "outside of the snow authority's grid"),
        (lambda t: t.replace(";1,5", ";-1,5"), "swe as -1.5 mm"),
        (lambda t: re.sub(r"\n02.*", "", t), "holds no day"),
        (lambda t: t + "02.01.2520 06:00:00;1\n", "reaches over 182"),
    ],
)
def test_what_is_refused(spoil: Callable[[str], str], why: str) -> None:
    text = spoil(text_of("02.01.2020 06:00:00;1,5"))
    with pytest.raises(SourceError, match=f"^nve_gts: winter.csv .*{why}") as caught:
        read_export(text, "winter.csv")
    assert "\n" not in str(caught.value)
