"""Beam and diffuse: Erbs against pvlib, Skartveit against published points and the formulas as written."""

import math
from typing import Any

import numpy as np
import pvlib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.atmosphere import SEA_LEVEL, pressure_at
from kernels.decomposition import clearest, erbs_into, skartveit_fraction
from kernels.sun import sun_table
from tests.kernels.years import PLACES, light_of, skartveit, skartveit_as_written, year

E0 = 1361.0


def erbs(ghi: Any, elevation: Any, e0: Any) -> Any:
    dni_dhi = np.empty((2, len(ghi)))
    erbs_into(np.asarray(ghi), light_of(elevation)[0], e0, *dni_dhi)
    return dni_dhi


def at_sea(ghi: Any, elevation: Any, e0: Any) -> Any:
    return skartveit(ghi, elevation, e0, SEA_LEVEL)


MODELS = pytest.mark.parametrize("model", [erbs, at_sea])


@pytest.mark.parametrize("place", PLACES)
def test_erbs_agrees_with_pvlib(place: tuple[float, float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    here, e0 = year(*place), sun_table(year(*place).middles).e0
    # pvlib's Erbs takes Spencer's distance of the sun, half a per cent off; the model is what is compared here.
    monkeypatch.setattr(pvlib.irradiance, "get_extra_radiation", lambda _: e0)
    expected = pvlib.irradiance.erbs(here.ghi, here.spa["zenith"].to_numpy(), here.times)
    got = erbs(here.ghi, here.spa["elevation"], e0)
    np.testing.assert_allclose(got, [expected["dni"], expected["dhi"]], rtol=0, atol=1e-6)
    assert (got[0] > 100).sum() > 500


@pytest.mark.parametrize(
    ("elevation", "expected"),
    [(20.0, [1, 0.963, 0.831, 0.553, 0.271, 0.165, 0.163]), (40.0, [1, 0.970, 0.887, 0.703, 0.433, 0.194, 0.100])],
)
def test_skartveit_gives_its_known_points(elevation: float, expected: list[float]) -> None:
    """Without change from hour to hour, at k = 0.2 .. 0.8."""
    sine = math.sin(math.radians(elevation))
    got = [skartveit_fraction(k / 10, clearest(elevation), sine, elevation, 0.0) for k in range(2, 9)]
    np.testing.assert_allclose(got, expected, rtol=0, atol=0.0006)


DAY = 4066
"""An hour of day of places of midnight sun, and some of the hours after."""


@pytest.mark.parametrize(
    ("place", "hours"),
    [*((place, slice(None)) for place in PLACES), *((PLACES[4], slice(DAY, DAY + n)) for n in (1, 2, 3, 7))],
)
def test_skartveit_agrees_with_the_formulas_as_written(place: tuple[float, float, float], hours: slice) -> None:
    """Of a series of any length, that may begin and end by day."""
    here, e0 = year(*place), sun_table(year(*place).middles).e0[hours]
    ghi, elevation = here.ghi[hours], here.spa["apparent_elevation"].to_numpy()[hours]
    expected = skartveit_as_written(ghi, elevation, e0, pressure_at(here.altitude))
    np.testing.assert_allclose(skartveit(ghi, elevation, e0, pressure_at(here.altitude)), expected, rtol=0, atol=1e-6)
    k = ghi / (e0 * np.sin(np.radians(np.maximum(elevation, 0.01))))
    for low, high in ((0.01, 0.22), (0.22, 0.5), (0.6, 0.7), (0.75, 5)):
        assert hours.start or ((k > low) & (k < high) & (elevation > 0)).sum() > 20, "every branch is met"


@given(elevation=st.floats(0.1, 56.0), variability=st.floats(0, 0.5))
def test_skartveit_has_no_jumps(elevation: float, variability: float) -> None:
    k = np.linspace(0.0, 1.2, 1201)
    sine, k1 = math.sin(math.radians(elevation)), clearest(elevation)
    d = np.array([skartveit_fraction(x, k1, sine, elevation, variability) for x in k])
    assert ((d >= 0) & (d <= 1)).all()
    # The root in the model is steep just above 0.22.
    assert np.abs(np.diff(d)).max() < 0.06


HOURS = st.lists(st.tuples(st.floats(-5, 1400), st.floats(-20, 57)), min_size=1, max_size=12)


@MODELS
@given(hours=HOURS)
def test_the_split_closes(model: Any, hours: list[tuple[float, float]]) -> None:
    """What is split adds up again, whatever the hour: night, a sun on the horizon, more light than the sun has."""
    ghi, elevation = np.array(hours).T
    dni, dhi = model(ghi, elevation, np.full(ghi.size, E0))
    np.testing.assert_allclose(dni * np.sin(np.radians(elevation)) + dhi, np.maximum(ghi, 0), rtol=0, atol=1e-9)
    assert (dni >= 0).all()
    assert (dhi >= -1e-9).all()
    assert (dni[elevation <= 0] == 0).all()


@MODELS
@pytest.mark.parametrize("which", ["ghi", "elevation", "e0"])
def test_beam_and_diffuse_are_both_missing_where_an_input_is(model: Any, which: str) -> None:
    """And only there: by day, and by night."""
    inputs = {"ghi": np.full(6, 300.0), "elevation": np.array([30.0, 30, 30, -9, -9, -9]), "e0": np.full(6, E0)}
    inputs[which][[1, 4]] = np.nan
    np.testing.assert_array_equal(np.isnan(model(**inputs)), [[False, True, False] * 2] * 2)


def test_hours_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"ghi has shape \(3,\), not \(2,\)"):
        at_sea([1, 2, 3], [1, 2], [1, 2, 3])
