"""The chain against the same chain of pvlib's functions: planes and places, technologies, horizons, real years.

A year of a plane agrees within 0.1 %, a month within 0.5 % or 0.02 kWh/kWp.
"""

from pathlib import Path

import numpy as np
import pytest

from kernels.pv.light import light_of
from kernels.pv.plant import Produced, System, produced
from kernels.pv.site import site_of
from tests.kernels.pv.pvlib_chain import FAIMAN, Floats, Hours, Made, by_month, chain, sun_at
from tests.kernels.pv.years import HORIZONS, PLACES, REAL, Place, made_up

KINDS = list(FAIMAN)


def planes(count: int = 30, seed: int = 7) -> Floats:
    """Level, upright, and all between, to every side."""
    draw = np.random.default_rng(seed)
    tilt = np.append([0.0, 90.0, 90.0], draw.uniform(0, 90, count - 3))
    azimuth = np.append([0.0, 180.0, 0.0], draw.uniform(0, 360, count - 3))
    return np.column_stack([tilt, azimuth, draw.uniform(0.5, 40, count)])


def assert_all_agree(place: Place, hours: Hours, some: Floats, kind: tuple[str, str], horizon: str) -> None:
    site = site_of(hours, place.lat, place.lon, place.altitude, HORIZONS[horizon])
    got = produced(site, light_of(site), some, System(*kind))
    for number, plane in enumerate(some):
        theirs = chain(sun_at(*place[:3]), hours, tuple(plane.tolist()), *kind, horizon=HORIZONS[horizon])
        assert_alike(got, number, theirs, plane[2])


def assert_alike(got: Produced, number: int, expected: Made, kwp: float) -> None:
    for step in Made._fields:
        months, wanted = getattr(got, step)[number], by_month(getattr(expected, step))
        size = kwp if step in ("dc", "ac") else 1.0
        assert wanted.sum() > 50 * size, "a comparison of nothing"
        assert months.sum() == pytest.approx(wanted.sum(), rel=0.001), step
        np.testing.assert_allclose(months, wanted, rtol=0.005, atol=0.02 * size, err_msg=step)


@pytest.mark.parametrize("horizon", HORIZONS)
@pytest.mark.parametrize("name", PLACES)
def test_random_planes_agree_with_pvlib(name: str, horizon: str) -> None:
    """Twelve planes; each kind of module and mounting has two of them."""
    for k, kind in enumerate(KINDS):
        assert_all_agree(PLACES[name], made_up(name), planes(12)[k :: len(KINDS)], kind, horizon)


@pytest.mark.parametrize("horizon", ["open", "wall"])
@pytest.mark.parametrize("name", REAL)
def test_real_years_agree_with_pvlib(name: str, horizon: str, shared_data: Path) -> None:
    """Whose beam was split with another sun, and is there in hours when ours is down."""
    assert_all_agree(*REAL[name](shared_data), planes(6, seed=8), KINDS[0], horizon)


def test_brighter_year_agrees_with_pvlib() -> None:
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
