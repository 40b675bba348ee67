"""The chain against the same chain of pvlib's functions: planes and places, technologies, horizons, real years.

A year of a plane agrees within 0.1 %, a month within 0.5 % or 0.02 kWh/kWp.
"""

import functools
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.pv.light import light_of
from kernels.pv.plant import Produced, System, produced
from kernels.pv.site import site_of
from tests.kernels.pv import pvlib_chain
from tests.kernels.pv.pvlib_chain import FAIMAN, Hours, Made, by_month, chain, sun_at
from tests.kernels.pv.years import HORIZONS, PLACES, REAL, Place, made_up

YEAR = 0.001
MONTH, SMALL = 0.005, 0.02
STEPS = ("poa", "effective", "usable", "dc", "ac")
KINDS = list(FAIMAN)


def planes(count: int = 30, seed: int = 7) -> NDArray[np.float64]:
    """Level, upright, and all between, to every side."""
    draw = np.random.default_rng(seed)
    tilt = np.append([0.0, 90.0, 90.0], draw.uniform(0, 90, count - 3))
    azimuth = np.append([0.0, 180.0, 0.0], draw.uniform(0, 360, count - 3))
    return np.column_stack([tilt, azimuth, draw.uniform(0.5, 40, count)])


def ours(place: Place, hours: Hours, some: NDArray[np.float64], kind: tuple[str, str], horizon: str) -> Produced:
    site = site_of(hours, place.lat, place.lon, place.altitude, HORIZONS[horizon])
    return produced(site, light_of(site), some, System(*kind))


def theirs(place: Place, hours: Hours, plane: NDArray[np.float64], kind: tuple[str, str], horizon: str) -> Made:
    return chain(sun_at(*place[:3]), hours, tuple(plane.tolist()), *kind, horizon=HORIZONS[horizon])


def assert_alike(got: Produced, number: int, expected: Made, kwp: float) -> None:
    for step in STEPS:
        months, wanted = getattr(got, step)[number], by_month(getattr(expected, step))
        size = kwp if step in ("dc", "ac") else 1.0
        assert wanted.sum() > 50 * size, "a comparison of nothing"
        assert months.sum() == pytest.approx(wanted.sum(), rel=YEAR), step
        np.testing.assert_allclose(months, wanted, rtol=MONTH, atol=SMALL * size, err_msg=step)


@pytest.mark.parametrize("horizon", HORIZONS)
@pytest.mark.parametrize("name", PLACES)
def test_random_planes_agree(name: str, horizon: str) -> None:
    """Thirty planes; each kind of module and mounting has five of them."""
    place, hours, all_planes = PLACES[name], made_up(name), planes()
    for k, kind in enumerate(KINDS):
        some = all_planes[k :: len(KINDS)]
        got = ours(place, hours, some, kind, horizon)
        for number, plane in enumerate(some):
            assert_alike(got, number, theirs(place, hours, plane, kind, horizon), plane[2])


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_every_module_and_mounting_agrees_in_the_same_plane(kind: tuple[str, str]) -> None:
    place, hours, plane = PLACES["mountain"], made_up("mountain"), np.array([(38.0, 200.0, 3.0)])
    got = ours(place, hours, plane, kind, "hills")
    assert_alike(got, 0, theirs(place, hours, plane[0], kind, "hills"), 3.0)


@pytest.mark.parametrize("horizon", ["open", "wall"])
@pytest.mark.parametrize("name", REAL)
def test_real_years_agree(name: str, horizon: str, shared_data: Path) -> None:
    """Whose beam was split with another sun, and is there in hours when ours is down."""
    place, hours = REAL[name](shared_data)
    some = planes(6, seed=8)
    got = ours(place, hours, some, KINDS[0], horizon)
    for number, plane in enumerate(some):
        assert_alike(got, number, theirs(place, hours, plane, KINDS[0], horizon), plane[2])


def test_a_brighter_year_agrees() -> None:
    """Times 1.4: where that is more beam than air ever lets through, the rest of it is diffuse."""
    factor, place, plane = 1.4, PLACES["mountain"], np.array([(60.0, 150.0, 3.0)])
    site, sun, hours = site_of(made_up("mountain"), *place[:3]), sun_at(*place[:3]), dict(made_up("mountain"))
    for name in ("ghi", "dni", "dhi"):
        hours[name] = hours[name] * factor
    excess = np.maximum(hours["dni"] - 0.9 * sun.e0, 0)
    assert (excess > 0).sum() > 50
    hours["dni"] = hours["dni"] - excess
    hours["dhi"] = hours["dhi"] + excess * np.cos(np.radians(sun.lit.zenith))
    got = produced(site, light_of(site, factor), plane, System())
    assert_alike(got, 0, chain(sun, hours, tuple(plane[0].tolist())), 3.0)


def _instants_of_the_start(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values


FACING = (70.0, 95.0, 1.0)
ERRORS = {
    "sun half an hour late": lambda place, hours: chain(sun_at(*place[:3], later_s=1800), hours, FACING),
    "hour-end for hour-start": lambda place, hours: chain(sun_at(*place[:3], later_s=-3600), hours, FACING),
    "east for west": lambda place, hours: chain(sun_at(*place[:3]), hours, (70.0, -95.0, 1.0)),
    "south for north": lambda place, hours: chain(sun_at(*place[:3]), hours, (70.0, 180.0 - 95.0 - 90.0, 1.0)),
    "wind of 10 m": lambda place, hours: chain(sun_at(*place[:3]), hours, FACING, wind_part=1.0),
    "instants of the hour's end": lambda place, hours: chain(
        sun_at(*place[:3]), hours, FACING, instant=functools.partial(np.roll, shift=-1)
    ),
    "instants of the hour's start": lambda place, hours: chain(
        sun_at(*place[:3]), hours, FACING, instant=_instants_of_the_start
    ),
    "mounting": lambda place, hours: chain(sun_at(*place[:3]), hours, FACING, mounting="building"),
    "spectrum": lambda place, hours: chain(sun_at(*place[:3]), hours, FACING, technology="CIS"),
}


@pytest.mark.parametrize("error", ERRORS)
def test_the_comparison_sees_the_classic_errors(error: str) -> None:
    """Each leaves a bound of the year or of the months, at each of two places; mornings get warm there."""
    for name in ("south coast", "Finnmark"):
        place, hours = PLACES[name], dict(made_up(name))
        hours["temp_air"] = hours["temp_air"] + 8 * np.sin(2 * np.pi * (np.arange(8760) % 24 - 9) / 24)
        got = ours(place, hours, np.array([FACING]), KINDS[0], "open")
        assert_alike(got, 0, theirs(place, hours, np.array(FACING), KINDS[0], "open"), 1.0)
        with pytest.raises(AssertionError):
            assert_alike(got, 0, ERRORS[error](place, hours), 1.0)


def test_the_oracle_is_not_ours() -> None:
    """It would prove nothing if it called what it checks."""
    source = Path(pvlib_chain.__file__).read_text()
    assert "kernels" not in source.split('"""', 2)[2]
