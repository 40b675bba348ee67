"""One cell: the day from 06 to 06, units, what is missing, and where the forecast begins."""

from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pytest

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import SnowData, day_of, model
from tests.support.nve_gts import NO_DATA, THEMES, SnowAuthority, asked_by
from tiles.grid import SENORGE1KM

OSLO = (262_500, 6_649_500)
FIRST, LAST, TODAY = date(2026, 11, 10), date(2026, 12, 1), date(2026, 11, 23)
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


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_stamped_with_a_date_is_of_the_day_before(theme: str) -> None:
    """The day that began at 06 UTC on 19 November ends, and is stamped, at 06 UTC on the 20th."""
    stamp, units = date(2026, 11, 20), {**dict.fromkeys(THEMES, "mm"), "tm": "C"}
    data = answered(value=lambda t, _, s: 7 if (t, s) == (theme, stamp) else 1, units=units)
    values = data.values[QUANTITIES[theme]][:, 0]
    assert data.days[values == 7].tolist() == [day_of(date(2026, 11, 19))]
    assert data.days.tolist() == list(range(day_of(FIRST), day_of(LAST) + 1))


def test_five_questions_for_the_days_asked_for() -> None:
    with SnowAuthority(lambda *_: 3.0) as authority:
        data = ask(authority)
        asked = authority.questions
    assert [q.theme for q in asked] == list(THEMES)
    assert {(q.method, q.points, q.start, q.end) for q in asked} == {
        ("POST", (OSLO,), date(2026, 11, 11), date(2026, 12, 2))
    }
    assert asked[0].headers["User-Agent"] == "test"
    assert (data.points, data.altitude.tolist()) == ((OSLO,), [106.0])
    assert {name: (v.dtype, v.shape) for name, v in data.values.items()} == dict.fromkeys(
        nve_gts.QUANTITIES, (np.dtype(np.float32), (22, 1))
    )


@pytest.mark.parametrize(("unit", "factor"), [("mm", 1), ("cm", 10), (" Cm ", 10)])
@pytest.mark.parametrize("theme", THEMES[:4])
def test_each_answers_own_unit_counts(theme: str, unit: str, factor: float) -> None:
    units = {**dict.fromkeys(THEMES, "mm"), "tm": "C", theme: unit}
    data = answered(units=units)
    for name, quantity in QUANTITIES.items():
        assert set(data.values[quantity].flat) == {3 * factor if name == theme else 3}


def test_a_unit_that_changed_from_mm_to_cm_gives_the_same_depths() -> None:
    def depths(unit: str, in_a_cm: int) -> SnowData:
        units = {**dict.fromkeys(THEMES, unit), "tm": "C"}
        return answered(value=lambda t, _, s: s.day * (1 if t == "tm" else in_a_cm), units=units)

    in_mm, in_cm = depths("mm", 10), depths("cm", 1)
    for quantity in nve_gts.QUANTITIES:
        np.testing.assert_array_equal(in_mm.values[quantity], in_cm.values[quantity])


@pytest.mark.parametrize("unit", ["Celcius", "°C", "C", "Celsius", "celsius"])
def test_names_of_degrees(unit: str) -> None:
    assert set(answered(value=3.0, units={**dict.fromkeys(THEMES, "mm"), "tm": unit}).values["temp_air"].flat) == {3}


@pytest.mark.parametrize("unit", ["K", "Kelvin"])
def test_kelvin_is_told_by_the_values(unit: str) -> None:
    def temperature(values: list[float]) -> Any:
        return lambda t, _, s: values[s.day % 2] if t == "tm" else 1.0

    units = {**dict.fromkeys(THEMES, "mm"), "tm": unit}
    kelvin = answered(value=temperature([271.15, 276.15]), units=units).values["temp_air"]
    celsius = answered(value=temperature([-2.0, 3.0]), units=units).values["temp_air"]
    np.testing.assert_allclose(kelvin, celsius, atol=1e-4)
    assert set(celsius.flat) == {-2, 3}
    with pytest.raises(SourceError, match=r"276\.15 degrees C, beyond"):
        answered(value=temperature([3.0, 276.15]), units=units)
    nothing = answered(value=lambda t, *_: None if t == "tm" else 1.0, units=units)
    assert np.isnan(nothing.values["temp_air"]).all()


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_missing_is_told_by_each_answers_own_number(theme: str) -> None:
    gone = date(2026, 11, 20)
    data = answered(value=lambda t, _, s: None if (t, s) == (theme, gone) else 2.0)
    missing = {name: data.days[np.isnan(v[:, 0])].tolist() for name, v in data.values.items()}
    assert missing == {q: [day_of(gone) - 1] if t == theme else [] for t, q in QUANTITIES.items()}


def test_a_depth_of_255_mm_is_missing_for_new_snow_alone() -> None:
    """And in the answer's unit: 6553.5 cm are 65535 mm, but no missing value."""
    data = answered(value=lambda t, *_: 12 if t == "tm" else 255, units={**dict.fromkeys(THEMES, "mm"), "tm": "C"})
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
        ("", date(2026, 11, 22)),
        ("24.11.2026 06:00:00", date(2026, 11, 22)),
        ("24.11.2026 06:00", date(2026, 11, 22)),
        ("24.11.2026 00:00", date(2026, 11, 22)),
        ("23.11.2026 06:00:00", date(2026, 11, 21)),
        ("10.12.2026 06:00:00", date(2026, 11, 22)),
        ("01.01.0001 00:00:00", date(2026, 11, 22)),
        ("01.01.1990 06:00:00", date(2026, 11, 22)),
    ],
)
def test_where_the_forecast_begins(told: str | None, observed: date) -> None:
    """On the morning of the 23rd the day that ended then is observed; the next stamp, the 24th, is forecast."""
    assert answered(forecast_from=told).observed_until == day_of(observed)


def test_the_earliest_forecast_of_five_counts() -> None:
    def one_is_late(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "PrognoseStartDate": "22.11.2026 06:00:00" if answer["Theme"] == "tm" else None}

    assert answered(one_is_late).observed_until == day_of(date(2026, 11, 20))


def test_days_that_are_past_are_all_observed() -> None:
    with SnowAuthority(lambda *_: 3.0) as authority:
        assert ask(authority, date(2020, 1, 1), date(2020, 2, 1)).observed_until == day_of(date(2020, 2, 1))


@pytest.mark.parametrize(("origin", "expected"), [(None, "live"), ("simulated", "simulated"), ("live", "live")])
def test_simulated_snow_is_known_as_such(origin: str | None, expected: str) -> None:
    assert answered(origin=origin).data_origin == expected


def test_real_depths_of_sixty_nine_years_are_one_question_a_theme() -> None:
    with SnowAuthority(lambda t, _, s: s.month) as authority:
        data = ask(authority, date(1957, 9, 1), date(2026, 8, 31))
    assert data.days.size == 25_202
    months = data.days.astype("M8[D]").astype("M8[M]").astype(int) % 12 + 1
    assert (data.values["temp_air"][:-1, 0] == months[1:]).all()
