"""Glass and modules against pvlib, and the published points of Huld's model."""

import numpy as np
import pvlib
import pytest

from kernels import incidence, module

IRRADIANCE, TEMPERATURE = (a.ravel() for a in np.meshgrid(np.linspace(0, 1300, 131), np.linspace(-30, 80, 23)))


def test_incidence_agrees_with_pvlib() -> None:
    aoi, tilt = np.linspace(0, 180, 3601), np.linspace(0, 180, 1801)
    # cos 90 degrees is 6e-17, not 0, on both sides.
    got = incidence.beam_modifier(np.cos(np.radians(aoi)))
    np.testing.assert_allclose(got, pvlib.iam.martin_ruiz(aoi), atol=1e-12)
    sky, ground = incidence.diffuse_modifiers(tilt)
    expected = pvlib.iam.martin_ruiz_diffuse(tilt)
    # pvlib rounds 4/(3 pi) to four digits. Where a plane sees no sky or no ground, its modifier is 0/0 within rounding.
    np.testing.assert_allclose(sky[:-5], expected["sky"][:-5], atol=2e-5)
    np.testing.assert_allclose(ground[5:], expected["ground"][5:], atol=2e-5)
    np.testing.assert_allclose(ground, sky[::-1], atol=1e-6)
    assert ((ground >= 0) & (ground <= 1)).all()


@pytest.mark.parametrize("edition", ["pvgis5", "pvgis6"])
@pytest.mark.parametrize("technology", ["crystSi", "CIS", "CdTe"])
def test_huld_agrees_with_pvlib(edition: str, technology: str) -> None:
    cells = "csi" if technology == "crystSi" else technology
    expected = pvlib.pvarray.huld(IRRADIANCE, TEMPERATURE, 1000.0, cell_type=cells, k_version=edition)
    got = module.huld(IRRADIANCE, TEMPERATURE, *module.HULD[edition][technology])
    np.testing.assert_allclose(got, np.maximum(expected, 0), atol=1e-9)


@pytest.mark.parametrize(("edition", "low"), [("pvgis5", 184.6), ("pvgis6", 193.7)])
def test_huld_gives_its_published_points(edition: str, low: float) -> None:
    k = module.HULD[edition]["crystSi"]
    assert module.huld(1000.0, 25.0, *k) == pytest.approx(1000, abs=1e-9)
    assert module.huld(200.0, 25.0, *k) == pytest.approx(low, abs=0.05)


def test_temperatures_agree_with_pvlib() -> None:
    plane, air, wind = np.linspace(0, 1200, 50), np.linspace(-30, 30, 50), np.linspace(0, 20, 50)
    for u0, u1 in [pair for mounting in module.FAIMAN.values() for pair in mounting.values()]:
        got = module.faiman(plane, air, wind, u0, u1)
        np.testing.assert_allclose(got, pvlib.temperature.faiman(plane, air, wind, u0, u1))
    assert module.faiman(800.0, 10.0, -3.0, 26.9, 6.2) == module.faiman(800.0, 10.0, 0.0, 26.9, 6.2)
    np.testing.assert_allclose(module.simple_temperature(plane, air), pvlib.temperature.ross(plane, air, k=0.0342))


def test_linear_agrees_with_pvwatts() -> None:
    expected = pvlib.pvsystem.pvwatts_dc(IRRADIANCE, TEMPERATURE, 1000.0, -0.004)
    np.testing.assert_allclose(module.linear(IRRADIANCE, TEMPERATURE, -0.004), expected)
    assert module.linear(1000.0, 80.0, -0.03) == 0
