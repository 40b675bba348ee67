"""One cell: the day from 06 to 06, units, what is missing, where the forecast begins, and a real winter."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import SnowData, day_of, model
from tests.support.nve_gts import NO_DATA, THEMES, SnowAuthority, asked_by
from tests.support.snow_export import REAL, by_stamp
from tiles.grid import SENORGE1KM

OSLO = (262_500, 6_649_500)
FIRST, LAST, TODAY = date(2026, 11, 10), date(2026, 12, 1), date(2026, 11, 23)
IN_MM = {**dict.fromkeys(THEMES, "mm"), "tm": "C"}
QUANTITIES = dict(zip(THEMES, nve_gts.QUANTITIES, strict=True))


def ask(authority: SnowAuthority, first: date = FIRST, last: date = LAST, today: date = TODAY) -> SnowData:
    return asked_by(authority.url).at_points([OSLO], first, last, today=today)


def answered(change: Callable[[dict[str, Any]], Any] | None = None, value: Any = 3.0, **settings: Any) -> SnowData:
    with SnowAuthority(value if callable(value) else lambda *_: value) as authority:
        for name, setting in settings.items():
            setattr(authority, name, setting)
        authority.changed = change or (lambda answer: answer)
        return ask(authority)


def test_the_authoritys_grid_is_that_of_the_tiles() -> None:
    for x, y in (OSLO, (-74_500, 6_450_500), (1_119_500, 7_999_500)):
        row, column = (y - model.SOUTH) // 1000, (x - model.WEST) // 1000
        assert (SENORGE1KM.axes[1][column], SENORGE1KM.axes[0][row]) == (x, y) == model.centre_of(x, y)
    assert SENORGE1KM.shape == (model.ROWS, model.COLUMNS)
    for x, y in ((-75_001, 6_649_500), (1_120_000, 6_649_500), (262_500, 6_449_999), (262_500, 8_000_000)):
        assert model.centre_of(x, y) is None


def test_what_is_stamped_with_a_date_is_of_the_day_before() -> None:
    """The day that began at 06 UTC on 19 November ends, and is stamped, at 06 UTC on the 20th."""
    stamps = {theme: date(2026, 11, 20 + i) for i, theme in enumerate(THEMES)}
    data = answered(value=lambda theme, _, stamp: 7 if stamp == stamps[theme] else 1, units=IN_MM)
    for theme, stamp in stamps.items():
        assert data.days[data.values[QUANTITIES[theme]][:, 0] == 7].tolist() == [day_of(stamp) - 1]
    assert data.days.tolist() == list(range(day_of(FIRST), day_of(LAST) + 1))


def test_the_days_take_five_questions() -> None:
    with SnowAuthority(lambda *_: 3.0) as authority:
        data = ask(authority)
        asked = authority.questions
    assert [q.theme for q in asked] == list(THEMES)
    assert {(q.points, q.start, q.end) for q in asked} == {((OSLO,), date(2026, 11, 11), date(2026, 12, 2))}
    assert asked[0].headers["User-Agent"] == "test"
    assert (data.points, data.altitude.tolist()) == ((OSLO,), [106.0])
    assert {name: (v.dtype, v.shape) for name, v in data.values.items()} == dict.fromkeys(
        nve_gts.QUANTITIES, (np.dtype(np.float32), (22, 1))
    )


@pytest.mark.parametrize(
    ("theme", "unit", "factor"), [("swe", "mm", 1), ("sd", "cm", 10), ("fsw", " Cm ", 10), ("tm", "°C", 1)]
)
def test_each_answers_own_unit_counts(theme: str, unit: str, factor: float) -> None:
    data = answered(units={**IN_MM, theme: unit})
    for name, quantity in QUANTITIES.items():
        assert set(data.values[quantity].flat) == {3 * factor if name == theme else 3}


@pytest.mark.parametrize("unit", ["K", "Kelvin"])
def test_kelvin_is_told_by_the_values(unit: str) -> None:
    def temperature(values: list[float]) -> Any:
        return lambda t, _, s: values[s.day % 2] if t == "tm" else 1.0

    units = {**IN_MM, "tm": unit}
    kelvin = answered(value=temperature([271.15, 276.15]), units=units).values["temp_air"]
    celsius = answered(value=temperature([-2.0, 3.0]), units=units).values["temp_air"]
    np.testing.assert_allclose(kelvin, celsius, atol=1e-4)
    assert set(celsius.flat) == {-2, 3}
    with pytest.raises(SourceError, match=r"276\.15 degrees C, beyond"):
        answered(value=temperature([3.0, 276.15]), units=units)


def test_what_is_missing_is_told_by_each_answers_own_number() -> None:
    gone = {theme: date(2026, 11, 20 + i) for i, theme in enumerate(THEMES)}
    data = answered(value=lambda theme, _, stamp: None if stamp == gone[theme] else 2.0)
    missing = {name: data.days[np.isnan(v[:, 0])].tolist() for name, v in data.values.items()}
    assert missing == {QUANTITIES[theme]: [day_of(stamp) - 1] for theme, stamp in gone.items()}


def test_a_depth_of_255_mm_is_missing_for_new_snow_alone() -> None:
    """And in the answer's unit: 6553.5 cm are 65535 mm, but no missing value."""
    data = answered(value=lambda t, *_: 12 if t == "tm" else 255, units=IN_MM)
    assert np.isnan(data.values["new_snow"]).all()
    assert set(data.values["snow_depth"].flat) == {255}
    assert NO_DATA["fsw"] == 255
    with pytest.raises(SourceError, match="gives sd as 65535 mm"):
        answered(value=lambda t, *_: 6553.5 if t == "sd" else 1)


def test_null_is_missing() -> None:
    def holed(answer: dict[str, Any]) -> dict[str, Any]:
        answer["CellTimeSeries"][0]["Data"][3] = None
        return answer

    values = answered(holed).values["swe"][:, 0]
    assert np.isnan(values).nonzero()[0].tolist() == [3]


def test_a_series_that_ends_early_is_missing_from_there_on() -> None:
    data = answered(ends=date(2026, 11, 20))
    for values in data.values.values():
        assert data.days[~np.isnan(values[:, 0])].max() == day_of(date(2026, 11, 19))
    with pytest.raises(SourceError, match="without a single value of swe"):
        answered(ends=date(2026, 11, 1))


@pytest.mark.parametrize(
    ("told", "observed"),
    [
        (None, date(2026, 11, 22)),
        ("24.11.2026 06:00", date(2026, 11, 22)),
        ("24.11.2026 00:00", date(2026, 11, 22)),
        ("23.11.2026 06:00:00", date(2026, 11, 21)),
        ("10.12.2026 06:00:00", date(2026, 11, 22)),
        ("01.01.0001 00:00:00", date(2026, 11, 22)),
    ],
)
def test_days_are_observed_until_the_forecast_begins(told: str | None, observed: date) -> None:
    """On the morning of the 23rd the day that ended then is observed; the next stamp, the 24th, is forecast."""
    assert answered(forecast_from=told).observed_until == day_of(observed)


def test_the_earliest_forecast_of_five_counts() -> None:
    def one_is_late(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "PrognoseStartDate": "22.11.2026 06:00:00" if answer["Theme"] == "tm" else None}

    assert answered(one_is_late).observed_until == day_of(date(2026, 11, 20))


def test_days_that_are_past_are_all_observed() -> None:
    with SnowAuthority(lambda *_: 3.0) as authority:
        assert ask(authority, date(2020, 1, 1), date(2020, 2, 1)).observed_until == day_of(date(2020, 2, 1))


@pytest.mark.parametrize(("origin", "expected"), [(None, "live"), ("simulated", "simulated")])
def test_simulated_snow_is_known_as_such(origin: str | None, expected: str) -> None:
    assert answered(origin=origin).data_origin == expected


BRATSBERG = (262_500, 6_974_500)


def test_the_real_winter(shared_data: Path) -> None:
    """What is stamped on the 26th at 06 is of the day before."""
    told = by_stamp(shared_data / REAL)
    first, last = (date.fromordinal(stamp.toordinal() - 1) for stamp in (min(told), max(told)))
    with SnowAuthority(lambda _, __, stamp: told[stamp]) as authority:
        data = asked_by(authority.url).at_points([BRATSBERG], first, last, today=last, quantities=["swe"])
    swe = dict(zip(data.days.tolist(), data.values["swe"][:, 0].tolist(), strict=True))
    assert {day_of(stamp) - 1: value for stamp, value in told.items() if value != 65535} == pytest.approx(
        {day: value for day, value in swe.items() if not np.isnan(value)}
    )
    assert len(told) == len(swe) > 370
    assert data.days[0] == day_of(date(1957, 8, 25))
    assert np.isnan(data.values["swe"][:5]).all()
