"""Instants to hour means, months to moments, and the clear sky of many hours at one place."""

from datetime import UTC, datetime

import numpy as np
import pytest

from dags.build.climate import normals as climate
from kernels.clearsky import hour_mean, hours_at, prepare
from kernels.hourly import HOUR_SECONDS, at_moments, hour_means

START = int(datetime(2026, 6, 20, tzinfo=UTC).timestamp())


def hours(n: int, start: int = START) -> np.ndarray:
    return start + HOUR_SECONDS * np.arange(n, dtype=np.int64)


def test_hourly_instants_give_the_mean_of_both_ends() -> None:
    values = np.array([0.0, 1.0, 0.5, 0.5])
    assert hour_means(hours(4), values, hours(3)).tolist() == [0.5, 0.75, 0.5]


def test_six_hours_are_filled_evenly_and_without_a_seam() -> None:
    times = START + HOUR_SECONDS * np.array([0, 1, 2, 8, 14], np.int64)
    values = np.array([0.0, 1.0, 2.0, 8.0, 2.0])
    means = hour_means(times, values, hours(14))
    assert means[:8].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]  # the step changes, the line goes on
    assert means[8:].tolist() == [7.5, 6.5, 5.5, 4.5, 3.5, 2.5]
    assert means.sum() == pytest.approx(np.sum(np.diff(times) / HOUR_SECONDS * (values[:-1] + values[1:]) / 2))


@pytest.mark.parametrize(
    ("times", "starts"),
    [
        (hours(4), hours(4)),
        (hours(4), hours(2, START - HOUR_SECONDS)),
        (hours(4) + 60, hours(2)),
        (hours(4), hours(2) + 1800),
        (hours(4)[::-1].copy(), hours(2)),
    ],
)
def test_hours_beyond_or_between(times: np.ndarray, starts: np.ndarray) -> None:
    with pytest.raises(ValueError, match="hour"):
        hour_means(times, np.zeros(4), starts)


def test_months_as_the_builder_reads_its_maps() -> None:
    lat, lon = np.array([60.0]), np.array([10.0])
    months = [climate.linke_turbidity(lat, lon, datetime(2026, m, 15, tzinfo=UTC))[0] for m in range(1, 13)]
    days = [datetime(2026, m, d, 13, tzinfo=UTC) for m in range(1, 13) for d in (1, 14, 15, 16, 28)]
    ours = at_moments(months, np.array([int(day.timestamp()) for day in days], np.int64))
    theirs = [climate.linke_turbidity(lat, lon, day)[0] for day in days]
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize(("lat", "lon", "altitude"), [(58.0, 7.0, 0.0), (61.6, 8.3, 2400.0), (71.9, 31.0, 50.0)])
def test_one_place_many_hours_is_many_places_one_hour(lat: float, lon: float, altitude: float) -> None:
    starts = np.concatenate([hours(24, START + d * 86_400) for d in (0, 60, 92, 184, 275)])
    turbidity = np.linspace(2.0, 5.0, len(starts))
    expected = np.empty(len(starts), np.float32)
    sine = np.empty(1, np.float32)
    for i, start in enumerate(starts.tolist()):
        cell = prepare(np.array([lat]), np.array([lon]), altitude, turbidity[i])
        hour_mean(cell, start, expected[i : i + 1], sine)
    ours = hours_at(lat, lon, altitude, turbidity, starts)
    np.testing.assert_allclose(ours, expected, atol=0.01)
    assert expected.max() > 300
    assert np.array_equal(ours == 0, expected == 0)  # night is night in both
    assert (ours == 0).any()
