"""Laws of the chain that no other tool is needed for: sums, land, night, and which hour weather is of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.pv.light import light_of
from kernels.pv.plant import Produced, System, produced
from kernels.pv.site import Site, site_of
from kernels.tmy.sunlight import sunlight_at
from tests.kernels.pv.pvlib_chain import by_month
from tests.kernels.pv.years import HILLS, HOURS, PLACES, made_up, only, site

PLANE = st.tuples(st.floats(0, 90), st.floats(0, 360), st.floats(0.1, 50))
THREE = [(0, 0, 1), (40, 150, 1), (90, 330, 1)]
QUANTITIES = ("poa", "effective", "usable", "dc", "ac", "out")
few = settings(max_examples=15)


WEST, FINNMARK, HILLY = site("rainy west"), site("Finnmark"), site("rainy west", "hills")


def make(where: Site, planes: object, factor: float = 1.0, shaded: bool = True, **system: object) -> Produced:
    return produced(where, light_of(where, factor), np.array(planes, float), System(**system), shaded=shaded)


def calm(**given: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """A dark year of one mild day, but for what is given."""
    day = {"temp_air": 10.0, "rel_hum": 70.0, "wind_speed": 3.0, "ghi": 0.0, "dni": 0.0, "dhi": 0.0}
    return {name: np.full(HOURS, value) for name, value in day.items()} | given


def assert_same(got: Produced, expected: Produced, rel: float = 1e-9) -> None:
    for name in QUANTITIES:
        np.testing.assert_allclose(getattr(got, name), getattr(expected, name), rtol=rel, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("name", PLACES)
def test_level_plane_gets_what_falls_on_level_ground(name: str) -> None:
    """Exactly, but where the sun is below 5 degrees: there Perez' limit takes 0.1 to 0.4 % of a year."""
    hours, place = made_up(name), PLACES[name]
    assert 0.996 < make(site(name), [(0, 0, 1)]).poa.sum() * 1000 / hours["ghi"].sum() < 1
    sun = sunlight_at(*place[:3])
    high = only(hours, (sun.elevation > 5.01) | (sun.e0 == 0))
    got = make(site_of(high, *place[:3]), [(0, 0, 1)]).poa[0]
    np.testing.assert_allclose(got, by_month(high["ghi"]), rtol=1e-6, atol=1e-9)


@given(planes=st.lists(PLANE, min_size=1, max_size=4), times=st.floats(0.01, 100), loss=st.floats(0, 0.6))
@few
def test_planes_add_up_and_energy_is_proportional_to_the_rated_power(
    planes: list[tuple[float, float, float]], times: float, loss: float
) -> None:
    """Whatever stands beside a plane, to the last bit."""
    together = make(HILLY, planes, loss=loss)
    more = make(HILLY, [(tilt, azimuth, kwp * times) for tilt, azimuth, kwp in planes], loss=loss)
    alone = [make(HILLY, [plane], loss=loss) for plane in planes]
    for name in QUANTITIES:
        values = getattr(together, name)
        np.testing.assert_array_equal(values, np.concatenate([getattr(one, name) for one in alone]))
        factor = 1 if name in ("poa", "effective", "usable") else times
        np.testing.assert_allclose(getattr(more, name), factor * values, rtol=1e-12)
        assert (values >= 0).all()
        assert np.isfinite(values).all()
    assert (together.effective <= together.poa).all()
    np.testing.assert_allclose(together.ac, (1 - loss) * together.dc, rtol=1e-12)
    np.testing.assert_array_equal(together.out, together.ac)


def test_polar_night_and_a_year_without_light_are_nothing_and_not_missing() -> None:
    planes = [*THREE, (30, 180, 5)]
    dark, polar = (make(where, planes, ac_max=1.0) for where in (site_of(calm(), 60, 10, 100, HILLS), FINNMARK))
    for name in QUANTITIES:
        np.testing.assert_array_equal(getattr(dark, name), np.zeros((4, 12)))
        year = getattr(polar, name)
        assert (year[:, 11] == 0).all(), "December"
        assert (year[:, 5] > 0).all(), "June"
        assert np.isfinite(year).all()


@pytest.mark.parametrize("horizon", [np.zeros(720), np.linspace(-2, 0, 720)], ids=["0", "sea"])
def test_land_below_the_level_hides_nothing(horizon: NDArray[np.float64]) -> None:
    low = site_of(made_up("rainy west"), *PLACES["rainy west"][:3], horizon)
    assert_same(make(low, THREE), make(WEST, THREE))
    assert_same(make(HILLY, THREE, shaded=False), make(WEST, THREE))


SPIKES = {"temp_air": 20.0, "wind_speed": 15.0, "rel_hum": -50.0}


@pytest.mark.parametrize("name", SPIKES)
@pytest.mark.parametrize("hour", [4090, 0])
def test_weather_is_that_of_the_middle_of_the_hour(name: str, hour: int) -> None:
    """An instant at an hour's beginning counts half for it and half for the hour before; the year is a ring."""
    place = (60.0, 10.0 if hour else -179.0, 100.0)

    def energy(lit: int, spike: float) -> float:
        among = np.arange(HOURS) == lit % HOURS
        hours = only(calm(ghi=np.full(HOURS, 400.0), dni=np.full(HOURS, 300.0), dhi=np.full(HOURS, 200.0)), among)
        hours[name][hour] += spike
        return float(make(site_of(hours, *place), [(30, 180, 1)]).dc.sum())

    changed = [energy(hour + by, SPIKES[name]) / energy(hour + by, 0.0) - 1 for by in (-2, -1, 0, 1)]
    assert changed[0] == changed[3] == 0
    assert abs(changed[1]) > 0.002
    assert changed[1] == pytest.approx(changed[2], rel=0.3)


def test_what_is_no_year_is_refused() -> None:
    hours = made_up("rainy west")
    with pytest.raises(ValueError, match=r"dhi has shape \(10,\)"):
        site_of({**hours, "dhi": np.zeros(10)}, 60, 10, 0)
    with pytest.raises(ValueError, match="temp_air has hours without a number"):
        site_of({**hours, "temp_air": np.where(np.arange(HOURS) == 7, np.nan, 1.0)}, 60, 10, 0)
    with pytest.raises(ValueError, match=r"horizon has shape \(360,\)"):
        site_of(hours, 60, 10, 0, np.zeros(360))
    with pytest.raises(ValueError, match="azimuths without a number"):
        site_of(hours, 60, 10, 0, np.full(720, np.nan))
    for factor in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="a factor must be positive"):
            light_of(WEST, factor)
    with pytest.raises(ValueError, match="planes have shape"):
        make(WEST, (30, 180, 1))
    with pytest.raises(ValueError, match="the light is of"):
        produced(WEST, light_of(FINNMARK), [(30, 180, 1)], System())
