"""Every quantity comes back through independent readers, at the right instant."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from api.tmy.formats.registry import FORMATS
from api.tmy.year import HOURS, MEANS
from tests.api.tmy.formats.conftest import BRIGHTER, SPIKES, WARMER
from tests.api.tmy.formats.weather_readers import READERS, Read, Reader
from tests.support.typical_year import typical_year

ReadBy = Callable[[Reader, str], Read]
EACH = pytest.mark.parametrize("reader", READERS, ids=[f"{reader.value}-{reader.name}" for reader in READERS])
YEAR = typical_year()
TOLERANCE = 0.0501
"""What the last digit of the formats leaves open: W/m2, degC, %, m/s and hPa."""
WHOLE = {"ghi": 0.5051, "dni": 0.5051, "dhi": 0.5051, "rel_hum": 0.5501}
"""Ladybug makes whole numbers of what was rounded to two digits, and to one."""
ANNUAL = 0.0002


def at(values: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Instants of the year, halfway between two the middle of them."""
    return np.interp(moments, np.arange(HOURS + 1), np.append(values, values[0]))


def test_every_format_has_a_reader() -> None:
    assert {reader.value for reader in READERS} == set(FORMATS)


@EACH
def test_every_quantity_comes_back_at_the_right_instant(reader: Reader, read_by: ReadBy) -> None:
    read = read_by(reader, "plain")
    starts = read.starts.astype(int)
    np.testing.assert_array_equal(starts, read.starts)
    assert sorted(starts) == list(range(HOURS))
    carried = set(read.values) - {"pressure", "temp_dew"}
    assert carried | ({"mslp"} if "pressure" in read.values else set()) == set(FORMATS[reader.value].carries)
    for name, values in read.values.items():
        expected = getattr(YEAR, name)
        tolerance = WHOLE.get(name, TOLERANCE) if reader.name == "ladybug" else TOLERANCE
        if name in MEANS:
            np.testing.assert_allclose(values, expected[starts], rtol=0, atol=tolerance, err_msg=name)
            assert values.sum() == pytest.approx(expected.sum(), rel=ANNUAL), name
        else:
            near = at(expected, read.moments)
            np.testing.assert_allclose(values, near, rtol=0, atol=tolerance, err_msg=name)
            assert values.mean() == pytest.approx(near.mean(), rel=ANNUAL, abs=0.01), name


@EACH
def test_one_hour_that_is_brighter_and_warmer_is_found_where_it_is(reader: Reader, read_by: ReadBy) -> None:
    plain, spiked = read_by(reader, "plain"), read_by(reader, "spiked")
    brighter = spiked.values["ghi"] - plain.values["ghi"]
    assert sorted(plain.starts[brighter > 1.0]) == list(SPIKES)
    assert brighter[brighter > 1.0] == pytest.approx(BRIGHTER, abs=1.0)
    warmer = spiked.values["temp_air"] - plain.values["temp_air"]
    for hour in SPIKES:
        # A format whose rows stand between the full hours has half of it before and half of it after.
        from_it = (plain.moments - hour + HOURS / 2) % HOURS - HOURS / 2
        near = np.abs(from_it) < 1.0
        assert warmer[near].sum() == pytest.approx(WARMER, abs=0.2)
        assert (warmer[near] * from_it[near]).sum() == pytest.approx(0.0, abs=0.2)
    assert np.abs(warmer).sum() == pytest.approx(2 * WARMER, abs=0.4)


@EACH
def test_whatever_texts_say_the_file_is_read(reader: Reader, read_by: ReadBy) -> None:
    plain, hostile = read_by(reader, "plain"), read_by(reader, "hostile")
    for name, values in plain.values.items():
        np.testing.assert_array_equal(values, hostile.values[name])


def test_sam_makes_the_same_energy_of_its_three_formats(tmp_path: Path) -> None:
    """It takes the sun at the middle of the hour in all of them: minute 0 in an EPW would cost a third of a percent."""
    import PySAM.Pvwattsv8

    energies = []
    for value in ("epw", "tmy3", "tool_d"):
        path = tmp_path / f"{value}{FORMATS[value].extension}"
        path.write_bytes(FORMATS[value].write(YEAR))
        model = PySAM.Pvwattsv8.default("PVWattsNone")
        model.SolarResource.solar_resource_file = str(path)
        model.execute(0)
        energies.append(model.Outputs.annual_energy)
    assert max(energies) / min(energies) - 1.0 < 0.0003
