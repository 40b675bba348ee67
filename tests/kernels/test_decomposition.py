"""Beam and diffuse: Erbs against pvlib, Skartveit against published points and the formulas as written."""

import math

import numpy as np
import pvlib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.atmosphere import pressure_at
from kernels.decomposition import clearest, erbs_into, skartveit_fraction
from kernels.sun import sun_table
from tests.kernels.years import PLACES, skartveit, skartveit_as_written, year


def erbs(ghi: np.ndarray, elevation: np.ndarray, e0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    dni, dhi = np.empty((2, ghi.size))
    erbs_into(ghi, np.sin(np.radians(np.asarray(elevation))), e0, dni, dhi)
    return dni, dhi


@pytest.mark.parametrize("place", PLACES)
def test_erbs_agrees_with_pvlib(place: tuple[float, float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    here, e0 = year(*place), sun_table(year(*place).middles).e0
    # pvlib's Erbs takes Spencer's distance of the sun, half a per cent off; the model is what is compared here.
    monkeypatch.setattr(pvlib.irradiance, "get_extra_radiation", lambda _: e0)
    expected = pvlib.irradiance.erbs(here.ghi, here.spa["zenith"].to_numpy(), here.times)
    dni, dhi = erbs(here.ghi, here.spa["elevation"], e0)
    assert np.abs(dni - expected["dni"]).max() < 1e-6
    assert np.abs(dhi - expected["dhi"]).max() < 1e-6
    assert (dni > 100).sum() > 500


@pytest.mark.parametrize(
    ("elevation", "expected"),
    [(20.0, [1, 0.963, 0.831, 0.553, 0.271, 0.165, 0.163]), (40.0, [1, 0.970, 0.887, 0.703, 0.433, 0.194, 0.100])],
)
def test_skartveit_gives_its_known_points(elevation: float, expected: list[float]) -> None:
    """Without change from hour to hour, at k = 0.2 .. 0.8."""
    sine = math.sin(math.radians(elevation))
    got = [skartveit_fraction(k / 10, clearest(elevation), sine, elevation, 0.0) for k in range(2, 9)]
    assert np.abs(np.array(got) - expected).max() < 0.0006


@pytest.mark.parametrize("place", PLACES)
def test_skartveit_agrees_with_the_formulas_as_written(place: tuple[float, float, float]) -> None:
    here, e0 = year(*place), sun_table(year(*place).middles).e0
    elevation = here.spa["apparent_elevation"].to_numpy()
    dni, dhi = skartveit(here.ghi, elevation, e0, pressure_at(here.altitude))
    expected = skartveit_as_written(here.ghi, elevation, e0, pressure_at(here.altitude))
    assert np.abs(dni - expected[0]).max() < 1e-6
    assert np.abs(dhi - expected[1]).max() < 1e-6
    k = here.ghi / (e0 * np.sin(np.radians(np.maximum(elevation, 0.01))))
    for low, high in ((0.01, 0.22), (0.22, 0.5), (0.6, 0.7), (0.75, 5)):
        assert ((k > low) & (k < high) & (elevation > 0)).sum() > 20, "every branch is met"


@given(elevation=st.floats(0.1, 56.0), variability=st.floats(0, 0.5))
def test_skartveit_has_no_jumps(elevation: float, variability: float) -> None:
    k = np.linspace(0.0, 1.2, 1201)
    sine, k1 = math.sin(math.radians(elevation)), clearest(elevation)
    d = np.array([skartveit_fraction(x, k1, sine, elevation, variability) for x in k])
    assert ((d >= 0) & (d <= 1)).all()
    # The root in the model is steep just above 0.22.
    assert np.abs(np.diff(d)).max() < 0.06


HOURS = st.lists(
    st.tuples(st.floats(0, 1400) | st.just(math.nan) | st.floats(-5, 0), st.floats(-20, 57)), min_size=1, max_size=12
)


@pytest.mark.parametrize("model", [erbs, lambda g, e, e0: skartveit(g, e, e0, 101_325.0)])
@given(hours=HOURS)
def test_the_split_closes(model, hours: list[tuple[float, float]]) -> None:
    """What is split adds up again, whatever the hour: night, a sun on the horizon, more light than the sun has."""
    ghi, elevation = np.array(hours).T
    dni, dhi = model(ghi, elevation, np.full(ghi.size, 1361.0))
    missing = np.isnan(ghi)
    assert np.isnan(dhi[missing]).all()
    got = (dni * np.sin(np.radians(elevation)) + dhi)[~missing]
    assert np.abs(got - np.maximum(ghi[~missing], 0)).max(initial=0) < 1e-9
    assert (dni[~missing] >= 0).all()
    assert (dhi[~missing] >= -1e-9).all()
    assert (dni[elevation <= 0] == 0).all()


@given(elevation=st.floats(0.01, 57), ghi=st.floats(0, 1400))
def test_the_beam_is_never_more_than_clear_air_lets_through(elevation: float, ghi: float) -> None:
    mass = pvlib.atmosphere.get_relative_airmass(90 - elevation)
    dni, _ = skartveit([ghi], [elevation], [1361.0], 101_325.0)
    assert dni[0] <= 0.9 * 1361 * 0.75 ** (mass**0.678) + 1e-6


def test_a_changing_sky_has_another_beam_than_a_steady_one() -> None:
    elevation, e0 = np.full(3, 40.0), np.full(3, 1361.0)
    steady = skartveit([400, 400, 400], elevation, e0, 101_325.0)[0][1]
    broken = skartveit([100, 400, 800], elevation, e0, 101_325.0)[0][1]
    assert broken > steady * 1.05


def test_hours_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"ghi has shape \(3,\), not \(2,\)"):
        skartveit([1, 2, 3], [1, 2], [1, 2, 3], 101_325.0)


@pytest.mark.parametrize("hours", [1, 2, 3, 7])
def test_a_series_may_begin_and_end_by_day(hours: int) -> None:
    here = year(*PLACES[1])
    part = slice(4066, 4066 + hours)
    elevation, e0 = here.spa["apparent_elevation"].to_numpy()[part], sun_table(here.middles[part]).e0
    assert (elevation > 5).all()
    ghi = np.array([450.0, 90.0, 600.0, 300.0, 500.0, 80.0, 200.0])[:hours]
    expected = skartveit_as_written(ghi, elevation, e0, 101_325.0)
    np.testing.assert_allclose(skartveit(ghi, elevation, e0, 101_325.0), expected, rtol=1e-9)
