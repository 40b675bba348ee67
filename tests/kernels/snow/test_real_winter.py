"""The model over the real winter of 2022-23 in two towns: the loss falls where snow lay, and more of it in the north.

What a station reports on the morning of a date, at 06 UTC, is of the day that begins the morning before. The files have
0 for what is missing. As missing is taken

- a temperature where the day's lowest is above its highest;
- snow depth from the first morning on at which more than 20 cm have gone overnight, to the end of May (of the stations
  here this is Tromso from 11 April on: 94 cm the day before).

New snow is the rise of the depth; its water what fell at less than 1 degree. All other zeros are believed.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from kernels.snow.cloudless import cloudless_days
from kernels.snow.cover import Cover, cover
from kernels.snow.days import SnowWeather
from kernels.snow.months import Months, monthly
from kernels.snow.panel import Panel

ROOF = Panel(30, "roof")
DEC_TO_MARCH = [11, 0, 1, 2]
BARE_MM = 10.0
SHARE = 0.5
"""Of the cloudless light, as `snow_factors` takes it."""
TOWNS = {
    "oslo": (59.94, 10.72, 94.0, [2.6, 2.75, 3.0, 3.26, 3.5, 3.71, 3.94, 4.12, 3.84, 3.27, 2.98, 2.05]),
    "tromso": (69.68, 18.91, 8.0, [2.02, 1.8, 2.1, 2.44, 2.89, 2.99, 3.05, 3.63, 3.21, 2.61, 2.0, 2.02]),
}
"""Latitude, longitude, altitude, Linke turbidity in the middle of each month (SoDa's climatology)."""


class Followed(NamedTuple):
    begins: pd.DatetimeIndex
    weather: SnowWeather
    snow: Cover
    months: Months


def weather_of(frame: pd.DataFrame) -> SnowWeather:
    depth, low, high = 10.0 * frame["snow depth"], frame["min temperature"], frame["max temperature"]
    for begin in depth.index[(depth == 0) & (depth.shift() > 200)][:1]:
        depth[begin : pd.Timestamp(begin.year, 5, 31)] = np.nan
    temp_air = ((low + high) / 2).where(low <= high)
    new_snow = frame["precipitation"].where(temp_air < 1.0, 0.0).where(temp_air.notna())
    rise = np.maximum(np.diff(depth, prepend=0.0), 0.0)
    return SnowWeather(*(np.asarray(values, float) for values in (new_snow, rise, depth, temp_air)))


def followed(folder: Path, town: str, panel: Panel = ROOF) -> Followed:
    """Follow the snow on a plane to the south."""
    path = folder / "snow" / f"seklima_{town}-daily.csv"
    frame = pd.read_csv(path, encoding="utf-8-sig", index_col="date", parse_dates=True, date_format="%d.%m.%Y")
    begins, weather = frame.index - pd.Timedelta(days=1), weather_of(frame)
    days = begins.to_numpy().astype("datetime64[D]").astype(np.int64)
    light = cloudless_days(*TOWNS[town], [(panel.tilt, 180.0)], SHARE)[0]
    snow = cover(days, weather, light, panel, TOWNS[town][1])
    return Followed(begins, weather, snow, monthly(days, snow, light, 2022, 1.0))


@pytest.mark.parametrize("panel", [ROOF, Panel(30, "rack"), Panel(15, "flat"), Panel(60, loss_mode="strings")])
@pytest.mark.parametrize("town", TOWNS)
def test_the_loss_falls_where_snow_lay(shared_data: Path, town: str, panel: Panel) -> None:
    begins, weather, snow, months = followed(shared_data, town, panel)
    known = ~snow.missing
    assert (weather.snow_depth[known & (snow.coverage > 0)] >= BARE_MM).all()
    lay, fell = (
        np.bincount(begins.month[known & (depth >= BARE_MM)] - 1, minlength=12)
        for depth in (weather.snow_depth, weather.new_snow_depth)
    )
    snowy = (lay > 20) & (fell > 3) & (months.poa > 0) & (months.n_years > 0)
    bare = (lay == 0) & (months.n_years > 0)
    assert snowy.sum() >= 3
    assert bare.sum() >= 4
    assert (months.mean[snowy] > 5).all()
    assert not months.mean[bare].any()


@pytest.mark.parametrize(("town", "loss"), [("oslo", [27.1, 38.2, 9.4, 15.9]), ("tromso", [0.0, 95.1, 43.8, 58.2])])
def test_the_months_are_these(shared_data: Path, town: str, loss: list[float]) -> None:
    """December to March: what the model says today, so that a change of it is seen (rounded, per cent)."""
    np.testing.assert_allclose(followed(shared_data, town).months.mean[DEC_TO_MARCH], loss, atol=0.06)
