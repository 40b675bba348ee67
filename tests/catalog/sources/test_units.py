"""Units, epochs and packing of upstream files, in ours."""

import numpy as np
import pytest

from catalog.sources.units import Packing, conversion, parse_epoch

EPOCHS = {
    "seconds since 1970-01-01 00:00:00 +00:00": (1, 0),
    "s since 1970-01-01T00:00:00Z": (1, 0),
    "hours since 1970-1-2 6:00:00.0 UTC": (3600, 108000),
    "hours since 1970-01-01 02:00:00 +02:00": (3600, 0),
    "hours since 1970-01-01 00:00:00 -01": (3600, 3600),
    "minutes since 2026-06-20 06:30:30": (60, 1781937030),
    "days since 1969-12-31": (86400, -86400),
    **dict.fromkeys(["", "months since 1970-01-01", "hours since 1970-13-01", "hours since then"]),
}


@pytest.mark.parametrize(("units", "epoch"), EPOCHS.items())
def test_an_epoch_is_understood_or_none(units: str, epoch: tuple[int, int] | None) -> None:
    assert parse_epoch(units) == epoch


@pytest.mark.parametrize(
    ("kind", "units", "value", "ours"),
    [
        ("accumulated", "W s/m^2", 5.0, 5.0),
        ("accumulated", "J m**-2", 5.0, 5.0),
        ("fraction", "%", 40.0, 0.4),
        ("temperature", "K", 273.15, 0.0),
        ("temperature", "degC", 20.0, 20.0),
        ("speed", "m s-1", 3.0, 3.0),
        ("length", "km", 3.0, 3000.0),
        ("geopotential", "m^2/s^2", 9806.65, 1000.0),
    ],
)
def test_units_are_converted_to_ours(kind: str, units: str, value: float, ours: float) -> None:
    change = conversion(kind, units)
    assert change is not None
    assert value * change[0] + change[1] == pytest.approx(ours)


@pytest.mark.parametrize(("kind", "units"), [("speed", "knots"), ("accumulated", "kWh/m2"), ("speed", None)])
def test_other_units_are_not_guessed(kind: str, units: str | None) -> None:
    assert conversion(kind, units) is None


def test_packed_values_are_scaled_and_their_fill_is_nan() -> None:
    values = Packing(0.5, 10.0, (-32767.0,)).then(0.01, 1.0).unpack(np.array([100, -32767, 0], "<i2"))
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, [1.6, np.nan, 1.1], rtol=1e-6)


def test_a_callers_bytes_are_not_changed_by_unpacking() -> None:
    stored = np.frombuffer(np.array([273.15, 280.0], "<f4").tobytes(), "<f4")
    np.testing.assert_allclose(Packing(1.0, -273.15, ()).unpack(stored), [0.0, 6.85], atol=1e-4)
    assert stored[1] == 280.0
