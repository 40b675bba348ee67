"""The year as writers are given it: its turn to local rows, what is derived of it, what is refused."""

import numpy as np
import pytest

from api.tmy.year import HOURS, INSTANTS, MEANS
from tests.support.typical_year import typical_year


def test_local_rows_come_from_the_hours_the_definition_names() -> None:
    """Local row k = 1..8760 ends at k:00 in UTC+1: means of UTC hour k - 2, instants at the start of hour k - 1."""
    year = typical_year()
    local = year.at_hour_ends()
    for name, behind in {**dict.fromkeys(MEANS, 2), **dict.fromkeys(INSTANTS, 1)}.items():
        utc, rows = getattr(year, name), getattr(local, name)
        assert [rows[k - 1] for k in range(1, HOURS + 1)] == [utc[(k - behind) % HOURS] for k in range(1, HOURS + 1)]


def test_what_is_derived_turns_with_it() -> None:
    year = typical_year()
    assert year.pressure.mean() == pytest.approx(year.mslp.mean() - 25.6, abs=1.0)  # 212 m, some 8.3 m a hPa
    assert (year.temp_dew <= year.temp_air + 1e-9).all()
    np.testing.assert_array_equal(year.at_hour_ends().pressure, year.pressure)
    warmer = typical_year(temp_air=year.temp_air + 5.0)
    assert (warmer.temp_dew > year.temp_dew).all()


def test_a_year_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"mslp has shape \(8784,\), not \(8760,\)"):
        typical_year(mslp=np.full(8784, 1000.0))
