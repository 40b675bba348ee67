"""A real winter, as the authority's own export has it."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from catalog.sources.nve_gts import day_of
from tests.support.nve_gts import SnowAuthority, asked_by
from tests.support.snow_export import REAL, by_stamp

BRATSBERG = (262_500, 6_974_500)


def test_the_real_winter(shared_data: Path) -> None:
    """What is stamped on the 26th at 06 is of the day before."""
    told = by_stamp(shared_data / REAL)
    first, last = (date.fromordinal(stamp.toordinal() - 1) for stamp in (min(told), max(told)))
    with SnowAuthority(lambda _, __, stamp: told[stamp]) as authority:
        data = asked_by(authority.url).at_points([BRATSBERG], first, last, today=last, quantities=["swe"])
    swe = dict(zip(data.days.tolist(), data.values["swe"][:, 0].tolist(), strict=True))
    assert {day_of(stamp) - 1: value for stamp, value in told.items() if value != 65535} == pytest.approx(
        {day: value for day, value in swe.items() if not np.isnan(value)}
    )
    assert len(told) == len(swe) > 370
    assert data.days[0] == day_of(date(1957, 8, 25))
    assert np.isnan(data.values["swe"][:5]).all()
