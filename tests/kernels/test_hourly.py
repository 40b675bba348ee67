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
    assert hour_means(hours(4), np.array([0.0, 1.0, 0.5, 0.5]), hours(3)).tolist() == [0.5, 0.75, 0.5]


def test_six_hours_are_filled_evenly_and_without_a_seam() -> None:
    """The step changes, the line goes on."""
    times = START + HOUR_SECONDS * np.array([0, 1, 2, 8, 14], np.int64)
    means = hour_means(times, np.array([0.0, 1.0, 2.0, 8.0, 2.0]), hours(14))
    assert means.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 7.5, 6.5, 5.5, 4.5, 3.5, 2.5]


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
def test_hours_beyond_or_between_the_instants_are_refused(times: np.ndarray, starts: np.ndarray) -> None:
    with pytest.raises(ValueError, match="hour"):
        hour_means(times, np.zeros(4), starts)


def test_months_are_read_as_the_builder_reads_its_maps() -> None:
    lat, lon = np.array([60.0]), np.array([10.0])
    months = [climate.linke_turbidity(lat, lon, datetime(2026, m, 15, tzinfo=UTC))[0] for m in range(1, 13)]
    days = [datetime(2026, m, d, 13, tzinfo=UTC) for m in range(1, 13) for d in (1, 14, 15, 16, 28)]
    ours = at_moments(months, np.array([int(day.timestamp()) for day in days], np.int64))
    np.testing.assert_allclose(ours, [climate.linke_turbidity(lat, lon, day)[0] for day in days], rtol=1e-5)


@pytest.mark.parametrize("place", [(58.0, 7.0, 0.0), (61.6, 8.3, 2400.0), (71.9, 31.0, 50.0)])
def test_one_place_many_hours_is_many_places_one_hour(place: tuple[float, float, float]) -> None:
    starts = np.concatenate([hours(24, START + d * 86_400) for d in (0, 60, 92, 184, 275)])
    turbidity = np.linspace(2.0, 5.0, len(starts))
    expected, sine = np.empty(len(starts), np.float32), np.empty(1, np.float32)
    for i, start in enumerate(starts.tolist()):
        hour_mean(prepare([place[0]], [place[1]], place[2], turbidity[i]), start, expected[i : i + 1], sine)
    ours = hours_at(*place, turbidity, starts)
    np.testing.assert_allclose(ours, expected, atol=0.01)
    assert expected.max() > 300
    np.testing.assert_array_equal(ours == 0, expected == 0)  # night is night in both
    assert (ours == 0).any()
