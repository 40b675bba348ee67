"""Reading query strings: what a number is, and the short cut that must agree with the long way."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from api.core.errors import ApiError
from api.core.query import number, parse, undeclared
from api.forecast.place import bare_point
from api.forecast.requests import ForecastQuery

# Pieces that coordinates and their misspellings are made of.
PIECES = st.lists(
    st.sampled_from([*"0123456789", ".", "-", "+", "e", "_", "%", "&", "=", "lat", "lon", "²", "٣", "inf", "nan", " "]),
    max_size=12,
).map("".join)


def long_way(raw: str) -> ForecastQuery | str:
    try:
        return parse(ForecastQuery, URL.build(path="/api/forecast", query_string=raw, encoded=True))
    except ApiError as error:
        return error.text()


def short_way(raw: str) -> ForecastQuery | None:
    point = bare_point(raw)
    return None if point is None else ForecastQuery(point.lat, point.lon)


@given(st.floats(-90, 90), st.floats(-180, 180), st.integers(0, 16))
def test_short_cut_agrees_on_coordinates(lat: float, lon: float, digits: int) -> None:
    raw = f"lat={lat:.{digits}f}&lon={lon:.{digits}f}"
    assert short_way(raw) == long_way(raw)


@given(PIECES, PIECES)
def test_short_cut_takes_nothing_that_the_long_way_reads_otherwise(one: str, other: str) -> None:
    raw = f"lat={one}&lon={other}"
    short = short_way(raw)
    assert short is None or short == long_way(raw)


@pytest.mark.parametrize("raw", ["lat=59.91&lon=10.75", "lat=-1&lon=190", "lat=60&lon=10"])
def test_short_cut_is_taken(raw: str) -> None:
    assert bare_point(raw) is not None


@pytest.mark.parametrize(
    "raw", ["lat=59.91&lon=10.75&", "lat=59.91&lon=10.75\n", "lon=1&lat=2", "lat=٣&lon=3", "lat=1_0&lon=3"]
)
def test_short_cut_is_left(raw: str) -> None:
    assert bare_point(raw) is None


@given(st.floats(allow_nan=False))
def test_numbers_round_trip(value: float) -> None:
    assert number(repr(value)) == value


@given(st.text(max_size=50))
def test_a_number_is_never_nan_and_never_more_than_python_reads(text: str) -> None:
    result = number(text)
    if result is not None:
        assert not math.isnan(result)
        assert result == float(text)
        assert text.isascii()
        assert "_" not in text


@pytest.mark.parametrize("text", ["1_0", " 1", "1 ", "\t1", "٣", "nan", "0x10", "", "1e", "e1", "+", "1" * 41, "1\n"])
def test_what_is_no_number(text: str) -> None:
    assert number(text) is None


@pytest.mark.parametrize(("text", "value"), [("+1", 1), ("-.5", -0.5), ("5.", 5), ("1E2", 100), ("-inf", -math.inf)])
def test_what_is_one(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize("name", ["guidance", "only_with"])
def test_what_a_query_says_of_itself_is_no_parameter(name: str) -> None:
    url = URL(f"/api/forecast?lat=60&lon=10&{name}=x")
    assert parse(ForecastQuery, url) == ForecastQuery(60.0, 10.0)
    assert undeclared(ForecastQuery, url) == (name,)
