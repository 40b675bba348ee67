"""Units, epochs and packing."""

import numpy as np
import pytest

from catalog.sources.units import Packing, conversion, parse_epoch

EPOCHS = {
    "seconds since 1970-01-01 00:00:00 +00:00": (1, 0),
    "seconds since 1970-01-01 00:00:00 +0000": (1, 0),
    "seconds since 1970-01-01": (1, 0),
    "s since 1970-01-01T00:00:00Z": (1, 0),
    "hours since 1970-01-02 00:00": (3600, 86400),
    "hours since 1970-1-2 6:00:00.0 UTC": (3600, 108000),
    "hours since 1970-01-01 02:00:00 +02:00": (3600, 0),
    "hours since 1970-01-01 00:00:00 -01": (3600, 3600),
    "minutes since 2026-06-20 06:30:30": (60, 1781937030),
    "days since 1969-12-31": (86400, -86400),
}


@pytest.mark.parametrize(("units", "epoch"), EPOCHS.items())
def test_epochs(units: str, epoch: tuple[int, int]) -> None:
    assert parse_epoch(units) == epoch


@pytest.mark.parametrize(
    "units", ["", "seconds", "months since 1970-01-01", "hours since 1970-13-01", "hours since then"]
)
def test_epochs_that_are_not_understood(units: str) -> None:
    assert parse_epoch(units) is None


@pytest.mark.parametrize(
    ("kind", "units", "value", "ours"),
    [
        ("accumulated", "W s/m^2", 5.0, 5.0),
        ("accumulated", "J m**-2", 5.0, 5.0),
        ("fraction", "1", 0.4, 0.4),
        ("fraction", "%", 40.0, 0.4),
        ("temperature", "K", 273.15, 0.0),
        ("temperature", "degC", 20.0, 20.0),
        ("speed", "m s-1", 3.0, 3.0),
        ("length", "km", 3.0, 3000.0),
        ("geopotential", "m^2/s^2", 9806.65, 1000.0),
    ],
)
def test_conversions(kind: str, units: str, value: float, ours: float) -> None:
    change = conversion(kind, units)
    assert change is not None
    assert value * change[0] + change[1] == pytest.approx(ours)


def test_conversions_that_are_not_understood() -> None:
    assert conversion("speed", "knots") is None
    assert conversion("accumulated", "kWh/m2") is None
    assert conversion("speed", None) is None


def test_packing_then_units() -> None:
    stored = np.array([100, -32767, 0], "<i2")
    values = Packing(0.5, 10.0, (-32767.0,)).then(0.01, 1.0).unpack(stored)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, [1.6, np.nan, 1.1], rtol=1e-6)


def test_bytes_that_are_not_ours_stay_as_they_were() -> None:
    stored = np.frombuffer(np.array([273.15, 280.0], "<f4").tobytes(), "<f4")
    values = Packing(1.0, -273.15, ()).unpack(stored)
    assert stored[1] == 280.0
    np.testing.assert_allclose(values, [0.0, 6.85], atol=1e-4)
    odd = np.frombuffer(memoryview(bytearray(b"\0" + stored.tobytes()))[1:], "<f4")
    assert Packing(1.0, 0.0, ()).unpack(odd).flags.aligned
