"""Every finding of the check, on both sides of its thresholds."""

from collections.abc import Callable

import numpy as np
import pytest

from api.plants.check import THRESHOLDS, check, preview
from api.plants.interpretation.apply import HOUR_S, Hours
from api.plants.model import PlantModel

JUNE = int(np.datetime64("2025-06-01", "s").astype(np.int64))
DAYS = 20
Change = Callable[[np.ndarray], np.ndarray]


@pytest.fixture
def model() -> PlantModel:
    """A plant in the south of the country."""
    return PlantModel(59.9, 10.7, [(30.0, 180.0, 10.0)], 0.85)


def hours(model: PlantModel, change: Change = lambda wh: wh, keep: Change | None = None, start: int = JUNE) -> Hours:
    """Return three weeks of which a third is clear, changed."""
    starts = start + np.arange(DAYS * 24) * HOUR_S
    sky = np.where(np.arange(DAYS) % 3 == 0, 0.95, 0.5).repeat(24)
    wh = change(model.clear(starts) * sky)
    chosen = slice(None) if keep is None else keep(starts)
    return Hours(starts[chosen], wh[chosen], np.ones(len(starts))[chosen])


def severities(model: PlantModel, series: Hours) -> dict[str, str]:
    """Return the severity of each finding."""
    return {one["kode"]: one["alvor"] for one in check(series, model).findings}


def test_ordinary_production_has_no_finding(model: PlantModel) -> None:
    found = check(hours(model), model)
    assert found.status == "ok"
    assert found.findings == []
    assert found.summary["timer"] == DAYS * 24
    assert found.summary["fra"] == "2025-06-01T00:00:00Z"
    assert found.summary["til"] == "2025-06-20T23:00:00Z"
    assert 0.6 < found.summary["andel_av_klarvaer"] < 0.7
    assert abs(found.summary["tyngdepunkt_avvik_timer"]) < 0.05


def at_night(model: PlantModel, part: float) -> Hours:
    """Return hours with a part of their energy when the sun is down, in September."""
    series = hours(model, start=JUNE + 100 * 24 * HOUR_S)
    dark = model.elevation(series.starts) < -5
    return series._replace(wh=series.wh + dark * series.wh.sum() * part / (1 - part) / dark.sum())


def test_days_without_any_energy_are_a_warning_and_may_be_stored(model: PlantModel) -> None:
    assert set(severities(model, hours(model, lambda wh: 0 * wh)).values()) == {"advarsel"}


@pytest.mark.parametrize(("part", "severity"), [(0.002, None), (0.006, "advarsel"), (0.02, "feil")])
def test_energy_at_night(model: PlantModel, part: float, severity: str | None) -> None:
    assert severities(model, at_night(model, part)).get("natt") == severity


@pytest.mark.parametrize(
    ("late", "severity"), [(0, None), (1, "advarsel"), (-1, "advarsel"), (2, "feil"), (-3, "feil")]
)
def test_hours_that_are_late_or_early(model: PlantModel, late: int, severity: str | None) -> None:
    series = hours(model, lambda wh: np.roll(wh, late))
    assert severities(model, series).get("tid") == severity
    shift = check(series, model).summary["tyngdepunkt_avvik_timer"]
    assert shift == pytest.approx(late, abs=0.35)


@pytest.mark.parametrize(("kwh", "severity"), [(11.4, None), (11.6, "advarsel"), (19.9, "advarsel"), (20.1, "feil")])
def test_an_hour_above_the_rated_power(model: PlantModel, kwh: float, severity: str | None) -> None:
    series = hours(model)
    series.wh[12] = 1000 * kwh
    assert severities(model, series).get("topp_hoy") == severity


@pytest.mark.parametrize(("peak", "severity"), [(0.27, None), (0.23, "advarsel"), (0.01, "feil")])
def test_a_summer_without_a_good_hour(model: PlantModel, peak: float, severity: str | None) -> None:
    series = hours(model, lambda wh: wh / wh.max() * peak * 10_000)
    assert severities(model, series).get("topp_lav") == severity


def test_a_winter_without_a_good_hour_is_no_finding(model: PlantModel) -> None:
    december = JUNE + 183 * 24 * HOUR_S
    series = hours(model, lambda wh: wh / wh.max() * 2000, start=december)
    assert "topp_lav" not in severities(model, series)


@pytest.mark.parametrize(("factor", "severity"), [(1.15, None), (1.3, "advarsel"), (2.9, "advarsel"), (3.4, "feil")])
def test_days_above_the_clear_sky(model: PlantModel, factor: float, severity: str | None) -> None:
    assert severities(model, hours(model, lambda wh: wh * factor)).get("niva_hoy") == severity


@pytest.mark.parametrize(("share", "severity"), [(0.16, None), (0.14, "advarsel"), (0.0001, "feil")])
def test_little_energy_in_all(model: PlantModel, share: float, severity: str | None) -> None:
    clear = model.clear(hours(model).starts).sum()
    assert severities(model, hours(model, lambda wh: wh * share * clear / wh.sum())).get("niva_lav") == severity


@pytest.mark.parametrize(("part", "severity"), [(0.0005, None), (0.01, "advarsel"), (0.06, "feil")])
def test_negative_energy(model: PlantModel, part: float, severity: str | None) -> None:
    series = hours(model)
    series.wh[0] = -part * series.wh.sum()
    assert severities(model, series).get("negative") == severity


@pytest.mark.parametrize(("days", "severity"), [(13, None), (11, "advarsel"), (1, "feil")])
def test_hours_that_are_missing(model: PlantModel, days: int, severity: str | None) -> None:
    def keep(starts: np.ndarray) -> np.ndarray:
        ends = (starts < starts[0] + 3 * HOUR_S) | (starts >= starts[-1] - 2 * HOUR_S)
        return ends | (starts < starts[0] + days * 24 * HOUR_S)

    assert severities(model, hours(model, keep=keep)).get("dekning") == severity


def test_the_absent_night_is_not_missing(model: PlantModel) -> None:
    series = hours(model, keep=lambda starts: model.clear(starts) > 0)
    assert "dekning" not in severities(model, series)


def test_consumption_is_no_production(model: PlantModel) -> None:
    rng = np.random.default_rng(1)
    evening = 1 + 2 * (np.abs(np.arange(DAYS * 24) % 24 - 18) < 3) + rng.random(DAYS * 24)
    found = severities(model, hours(model, lambda wh: 500 * evening))
    assert found["ikke_produksjon"] == "feil"


@pytest.mark.parametrize(("role", "severity"), [("feed_in", "advarsel"), ("import", "feil"), ("consumption", "feil")])
def test_a_column_of_the_grid_is_told(model: PlantModel, role: str, severity: str) -> None:
    found = check(hours(model), model, role)
    assert [(one["kode"], one["alvor"]) for one in found.findings] == [("ikke_produksjon", severity)]


def test_every_threshold_has_a_sentence(model: PlantModel) -> None:
    assert {one.code for one in THRESHOLDS} == {
        "natt", "tid", "topp_hoy", "topp_lav", "niva_hoy", "niva_lav", "negative", "dekning", "ikke_produksjon",
    }  # fmt: skip


def test_the_preview_has_norwegian_days(model: PlantModel) -> None:
    days = preview(hours(model), model)
    assert len(days) == DAYS + 1  # 00 UTC is 02 in summer
    assert days[0]["dato"] == "2025-06-01"
    assert days[-1]["dato"] == "2025-06-21"
    assert sum(day["malt_kwh"] for day in days) == pytest.approx(hours(model).wh.sum() / 1000, abs=0.1)
    assert all(day["malt_kwh"] <= day["klarvaer_kwh"] + 0.001 for day in days)


def test_the_preview_has_sixty_days_at_most(model: PlantModel) -> None:
    starts = JUNE + np.arange(100 * 24) * HOUR_S
    days = preview(Hours(starts, model.clear(starts), np.ones(len(starts))), model)
    assert len(days) == 60
    assert days[-1]["dato"] == "2025-09-09"
