"""The model over the winter of 2022-23 in two towns: the loss falls where snow lay, and more of it in the north."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.snow.cover import Cover, cover
from kernels.snow.months import Months, monthly
from kernels.snow.panel import Panel
from tests.kernels.snow.real_winter import TOWNS, Winter, light, winter

ROOF = Panel(30, "roof")
DEC_TO_MARCH = [11, 0, 1, 2]
BARE_MM = 10.0


def followed(folder: Path, town: str, panel: Panel = ROOF) -> tuple[Winter, Cover, Months]:
    here, sun = winter(folder, town), light(town, panel.tilt)
    snow = cover(here.days, here.weather, sun, panel, TOWNS[town].lon)
    return here, snow, monthly(here.days, snow, sun, 2022, 1.0)


def count_by_month(days: NDArray[np.int64], among: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.bincount(days[among].astype("datetime64[D]").astype("datetime64[M]").astype(int) % 12, minlength=12)


@pytest.mark.parametrize("panel", [ROOF, Panel(30, "rack"), Panel(15, "flat"), Panel(60, loss_mode="strings")])
@pytest.mark.parametrize("town", TOWNS)
def test_the_loss_falls_where_snow_lay(shared_data: Path, town: str, panel: Panel) -> None:
    here, snow, months = followed(shared_data, town, panel)
    known = ~snow.missing
    assert (here.weather.snow_depth[known & (snow.coverage > 0)] >= BARE_MM).all()
    lay = count_by_month(here.days, known & (here.weather.snow_depth >= BARE_MM))
    fell = count_by_month(here.days, known & (here.weather.new_snow_depth >= BARE_MM))
    snowy = (lay > 20) & (fell > 3) & (months.poa > 0) & (months.n_years > 0)
    bare = (lay == 0) & (months.n_years > 0)
    assert snowy.sum() >= 3
    assert bare.sum() >= 4
    assert (months.mean[snowy] > 5).all()
    assert not months.mean[bare].any()


def test_tromso_loses_more_and_longer_than_oslo(shared_data: Path) -> None:
    oslo, tromso = (followed(shared_data, town) for town in ("oslo", "tromso"))
    assert (tromso[2].mean[:3] > oslo[2].mean[:3] + 25).all()
    assert tromso[2].covered_days[DEC_TO_MARCH].sum() > 2 * oslo[2].covered_days[DEC_TO_MARCH].sum()
    weights = [town[2].poa[:3] for town in (oslo, tromso)]
    spring = [np.average(town[2].mean[:3], weights=w) for town, w in zip((oslo, tromso), weights, strict=True)]
    assert spring[1] > 2 * spring[0] > 30
    last = [here.days[snow.loss > 0].max() for here, snow, _ in (oslo, tromso)]
    assert last[0] < last[1]


def test_the_months_are_these(shared_data: Path) -> None:
    """December to March: what the model says today, so that a change of it is seen (rounded, per cent)."""
    oslo, tromso = (followed(shared_data, town)[2].mean[DEC_TO_MARCH] for town in ("oslo", "tromso"))
    np.testing.assert_allclose(oslo, [27.1, 38.2, 9.4, 15.9], atol=0.06)
    np.testing.assert_allclose(tromso, [0.0, 95.1, 43.8, 58.2], atol=0.06)


def test_what_a_station_did_not_report_is_missing(shared_data: Path) -> None:
    """Tromso's 94 cm of 10 April were not gone on the 11th; its highest 0 with a lowest of 7.8 is none."""
    here, snow, months = followed(shared_data, "tromso")
    dates = here.days.astype("datetime64[D]")
    spring = (dates >= np.datetime64("2023-04-10")) & (dates <= np.datetime64("2023-05-30"))
    assert snow.missing[spring].all()
    assert snow.missing[dates == np.datetime64("2023-06-13")].all()
    assert (~snow.missing).sum() > 300
    assert months.n_years[[3, 4]].tolist() == [0, 0]
    assert not followed(shared_data, "oslo")[1].missing.any()
