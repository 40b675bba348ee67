"""What the parameters are: names, ranges, defaults, aliases; and that nothing else is let in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from api.core.errors import ApiError
from api.core.query import parse
from api.data.surfaces import Surface, aspect_of
from api.pv.query import PvQuery

DEFAULTS = {
    "lat": 60, "lon": 10, "peakpower": 1, "angle": 35, "aspect": 0, "arrays": None, "loss": 14,
    "pvtechchoice": "crystSi", "mountingplace": "free", "optimize": "none", "confidence": "p50", "maxpower": None,
    "horizon": 1, "snowloss": 0, "snowmounting": None, "albedo": "tile", "format": "json",
    "azimuth_convention": "0 = south, -90 = east, 90 = west, 180 or -180 = north",
}  # fmt: skip
RANGES = [("peakpower", 0.05, 1e5), ("angle", 0, 90), ("aspect", -180, 180), ("loss", 0, 60), ("maxpower", 0.05, 1e5)]
WORDS = {
    "pvtechchoice": "crystSi, CIS, CdTe", "tech": "crystSi, CIS, CdTe", "mountingplace": "free, building",
    "mounting": "free, building", "optimize": "none, slope, both", "confidence": "p50, p75, p90, p95",
    "horizon": "0, 1", "snowloss": "0, 1", "snowmounting": "roof, rack, flat", "method": "short, full",
    "format": "json, csv, parquet, arrow, png",
}  # fmt: skip


def read(**given: str) -> dict[str, Any]:
    return parse(PvQuery, URL.build(path="/", query={"lat": "60", "lon": "10", **given})).inputs()


def refusal(name: str, **given: str) -> str:
    """Return the sentence that refuses a query because of one parameter."""
    with pytest.raises(ApiError) as refused:
        read(**given)
    assert (refused.value.status, refused.value.parameter) == (400, name)
    return refused.value.text()


def test_defaults() -> None:
    assert read() == DEFAULTS


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_limits_belong_to_their_range(name: str, low: float, high: float) -> None:
    for value in (low, high):
        assert read(**{name: f"{value:g}"})[name] == value
    for wrong in (f"{low - 0.001}", f"{high + 0.001}", "", "nan", "inf", "1_0", "9" * 5000, "{name}"):
        said = refusal(name, **{name: wrong})
        assert said.startswith(f"Parameteren {name} må være et tall fra {low:g} til {high:g}.")
        assert ("0 = sør, -90 = øst, 90 = vest" in said) == (name == "aspect")
        if name in ("peakpower", "angle", "aspect"):
            assert refusal(name, **{name: wrong}, arrays="1:35:0") == said


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str) -> None:
    meant = {"tech": "pvtechchoice", "mounting": "mountingplace"}.get(name, name)
    for word in WORDS[name].split(", "):
        assert str(read(**{name: word}).get(meant, word)) == word
    for wrong in ("", "x", f" {WORDS[name]}", "true"):
        assert refusal(name, **{name: wrong}) == f"Parameteren {name} må være en av: {WORDS[name]}."


@pytest.mark.parametrize(
    ("name", "alias", "one", "other"),
    [("pvtechchoice", "tech", "CIS", "CdTe"), ("mountingplace", "mounting", "free", "building")],
)
def test_an_alias_may_agree_and_may_not_contradict(name: str, alias: str, one: str, other: str) -> None:
    assert read(**{name: one, alias: one})[name] == one
    assert f"{name} og {alias}" in refusal(name, **{name: one, alias: other})


def test_surfaces_take_the_place_of_the_one() -> None:
    inputs = read(arrays="5:35:-90,3.5:20:90,0.05:0:-180,100000:90:-0", peakpower="7", angle="1")
    assert inputs["arrays"] == "5:35:-90,3.5:20:90,0.05:0:-180,100000:90:0"
    assert (inputs["peakpower"], inputs["angle"], inputs["aspect"]) == (None, None, None)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "1 til 4 flater"),
        ("1:2:3,1:2:3,1:2:3,1:2:3,1:2:3", "1 til 4 flater"),
        ("1:2:3,", "Flate 2 må ha tre tall"),
        ("1:2:3:4", "Flate 1 må ha tre tall"),
        ("1:2:3,0.04:2:3", "Flate 2: kwp må være et tall fra 0.05 til 100000."),
        ("1:2:3,1:2:3,1:91:3", "Flate 3: angle må være et tall fra 0 til 90."),
        ("1:2:181", "Flate 1: azimuth må være et tall fra -180 til 180. Retning regnes fra sør."),
        ("nan:2:3", "Flate 1: kwp"),
    ],
)
def test_a_wrong_surface_is_named_by_its_number(value: str, words: str) -> None:
    text = refusal("arrays", arrays=value)
    assert text.startswith("Parameteren arrays må være 1 til 4 flater, hver som kwp:angle:azimuth")
    assert words in text


@pytest.mark.parametrize("value", ["snow", "1.01", "-0.1", "nan", ""])
def test_albedo_is_a_share_or_that_of_the_place(value: str) -> None:
    assert "albedo=0.2" in refusal("albedo", albedo=value)
    assert read(albedo="0.3")["albedo"] == 0.3


def test_several_surfaces_are_not_optimised() -> None:
    assert "optimize=both" in refusal("optimize", arrays="1:35:0", optimize="both")


@given(st.floats(-180, 180))
def test_azimuth_from_south_becomes_azimuth_from_north_and_back(aspect: float) -> None:
    one = Surface(1, 35, aspect)
    assert 0 <= one.azimuth < 360
    assert abs((one.azimuth - aspect) % 360 - 180) < 1e-9
    assert -180 <= aspect_of(one.azimuth) < 180
    assert abs((aspect_of(one.azimuth) - aspect + 180) % 360 - 180) < 1e-9
