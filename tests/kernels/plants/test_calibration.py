"""The stored calibration, and applying it."""

import json

import numpy as np
import pytest

from kernels.plants.calibration import Calibration, apply, fit
from kernels.plants.output import sun_angles
from tests.kernels.plants.cases import clear_sky, modelled
from tests.support.made_plants import made_plant, made_sky

PLACE = (59.91, 10.75)
HOURS = 1_780_272_000 + 3600 * np.arange(72)  # 2026-06-01
WATTS = np.abs(np.random.default_rng(1).normal(2000, 900, (2, 72)))
TABLE = tuple(tuple(-0.5 if a < 12 and e < 5 else 0.0 for a in range(36)) for e in range(12))
SUN = Calibration("solposisjon", 0.9, False, 3000.0, TABLE, (0.0,) * 12, (0.5,) * 12, "sun_position_and_snow")


def test_no_method_returns_the_input_unchanged():
    np.testing.assert_array_equal(apply(Calibration(), WATTS, HOURS, *PLACE), WATTS)


def test_json_and_back_is_the_same_calibration():
    for calibration in (Calibration(), SUN, Calibration("klarvaer", 0.8, True, None, reason="clear_days")):
        assert Calibration.from_json(json.loads(json.dumps(calibration.to_json()))) == calibration
    assert Calibration.from_json({"method": "klarvaer", "factor": 0.8, "later_field": 1}).factor == 0.8


def test_limit_scales_all_arrays_alike_and_keeps_what_is_below():
    got = apply(Calibration(clip_w=3000.0), WATTS, HOURS, *PLACE)
    total = WATTS.sum(axis=0)
    np.testing.assert_allclose(got.sum(axis=0), np.minimum(total, 3000))
    np.testing.assert_allclose(got[0] * WATTS[1], got[1] * WATTS[0])
    np.testing.assert_array_equal(got[:, total < 3000], WATTS[:, total < 3000])


def test_factor_comes_before_the_limit():
    got = apply(Calibration("klarvaer", 0.5, True, 3000.0), WATTS, HOURS, *PLACE)
    np.testing.assert_allclose(got.sum(axis=0), np.minimum(0.5 * WATTS.sum(axis=0), 3000))


def test_table_acts_where_the_sun_is_and_snow_can_be_left_out():
    free = Calibration.from_json(SUN.to_json() | {"clip_w": None})
    elevation, azimuth = sun_angles(*PLACE, HOURS)
    ratio = (apply(free, WATTS, HOURS, *PLACE, snow=False) / WATTS)[0]
    np.testing.assert_allclose(ratio[(azimuth < 110) & (elevation > 2) & (elevation < 20)], 0.4)
    np.testing.assert_allclose(ratio[(azimuth > 120) & (azimuth < 340)], 0.9)
    np.testing.assert_allclose(apply(free, WATTS, HOURS, *PLACE)[0] / WATTS[0], ratio / 2)


def test_table_does_not_act_on_overcast_hours():
    free = Calibration.from_json(SUN.to_json() | {"clip_w": None})
    ratio = apply(free, WATTS, HOURS, *PLACE, snow=False, clear=WATTS.sum(axis=0) * 5) / WATTS
    np.testing.assert_allclose(ratio, 0.9)


def test_missing_hours_stay_missing():
    watts = WATTS.copy()
    watts[0, 3] = np.nan
    for calibration in (Calibration(), SUN):
        got = apply(calibration, watts, HOURS, *PLACE)
        assert np.isnan(got[0, 3])
        assert np.isfinite(np.delete(got, 3, axis=1)).all()


@pytest.mark.parametrize("measured", [np.full(72, np.nan), np.zeros(72), WATTS[0]])
def test_too_little_data_gives_no_calibration(measured):
    calibration = fit(measured, np.full(72, 3000.0), None, HOURS, *PLACE, 4.0)
    assert (calibration.method, calibration.clip_w) == ("ingen", None)
    assert calibration.reason in ("no_data", "few_clear_days")
    assert fit(measured[:0], measured[:0], None, HOURS[:0], *PLACE, 4.0) == Calibration()


@pytest.mark.parametrize(("days", "method"), [(59, "ingen"), (60, "solposisjon")])
def test_second_step_needs_sixty_days(days, method):
    sky = made_sky("Oslo", "2026-04-01", 84, 3)
    plant = made_plant(sky, "azimuth", 3)
    part = slice(0, 24 * days)
    args = plant.measured[part], clear_sky(plant)[part], modelled(plant, sky.forecast_ghi)[part], sky.hour_starts[part]
    assert fit(*args, *sky.place[:2], 8.0).method == method


def test_gaps_and_several_years_are_taken():
    sky = made_sky("Trondheim", "2023-05-01", 1000, 5)
    plant = made_plant(sky, "tree", 5)
    keep = np.random.default_rng(2).random(sky.hour_starts.size) < 0.9
    args = (v[keep] for v in (plant.measured, clear_sky(plant), modelled(plant, sky.forecast_ghi), sky.hour_starts))
    calibration = fit(*args, *sky.place[:2], 8.0)
    assert calibration.method == "solposisjon"
    assert calibration.figures["days"] <= 730
    assert calibration.sun[3][9] < -0.4
