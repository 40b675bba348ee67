"""What the parameters are: names, ranges, defaults, aliases; and that nothing else is let in."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from api.errors import BadRequest
from api.pv.query import PvQuery, understood
from api.pv.surfaces import Surface, aspect_of
from api.query import parse

DEFAULTS = {
    "lat": 60, "lon": 10, "peakpower": 1, "angle": 35, "aspect": 0, "arrays": None, "loss": 14,
    "pvtechchoice": "crystSi", "mountingplace": "free", "optimize": "none", "confidence": "p50", "maxpower": None,
    "horizon": 1, "snowloss": 0, "snowmounting": None, "albedo": "tile", "format": "json",
}  # fmt: skip
RANGES = {
    "peakpower": (0.05, 100000),
    "angle": (0, 90),
    "aspect": (-180, 180),
    "loss": (0, 60),
    "maxpower": (0.05, 100000),
}
WORDS = {
    "pvtechchoice": ("crystSi", "CIS", "CdTe"),
    "tech": ("crystSi", "CIS", "CdTe"),
    "mountingplace": ("free", "building"),
    "mounting": ("free", "building"),
    "optimize": ("none", "slope", "both"),
    "confidence": ("p50", "p75", "p90", "p95"),
    "horizon": ("0", "1"),
    "snowloss": ("0", "1"),
    "snowmounting": ("roof", "rack", "flat"),
    "format": ("json", "csv", "png"),
}
ALIASES = {"tech": "pvtechchoice", "mounting": "mountingplace"}
HOSTILE = ("", "nan", "inf", "-inf", "1e999", "1_0", " 1", "٣", "0x10", "1,5", "1;2", "=1+1", "9" * 5000, "{name}", "%")


def read(*pairs: tuple[str, str]) -> dict[str, Any]:
    url = URL.build(path="/", query=[("lat", "60"), ("lon", "10"), *pairs])
    return understood(parse(PvQuery, url)).inputs()


def refusal(*pairs: tuple[str, str]) -> str:
    with pytest.raises(BadRequest) as refused:
        read(*pairs)
    return refused.value.text


def test_defaults() -> None:
    inputs = read()
    assert inputs.pop("azimuth_convention") == "0 = south, -90 = east, 90 = west, 180 or -180 = north"
    assert inputs == DEFAULTS


@pytest.mark.parametrize("name", RANGES)
def test_limits_belong_to_their_range(name: str) -> None:
    low, high = RANGES[name]
    for value in (low, high):
        assert read((name, str(value)))[name] == value
    for value in (low - 0.001, high + 0.001, *HOSTILE):
        text = refusal((name, str(value)))
        assert text.startswith(f"Parameteren {name} må være et tall fra {low:g} til {high:g}."), text


def test_the_aspect_s_convention_is_told() -> None:
    assert "0 = sør, -90 = øst, 90 = vest" in refusal(("aspect", "270"))
    assert "0 = sør, -90 = øst, 90 = vest" in refusal(("arrays", "1:35:270"))


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str) -> None:
    for word in WORDS[name]:
        inputs = read((name, word))
        got = inputs[ALIASES.get(name, name)]
        assert got == (int(word) if name in ("horizon", "snowloss") else word)
        assert not set(ALIASES) & set(inputs)
    for word in ("", "x", WORDS[name][0].swapcase() + "!", " " + WORDS[name][0], "true", "null"):
        text = refusal((name, word))
        assert text == f"Parameteren {name} må være en av: {', '.join(WORDS[name])}."


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_may_agree_and_may_not_contradict(alias: str) -> None:
    name = ALIASES[alias]
    for one, other in product(WORDS[name], repeat=2):
        if one == other:
            assert read((name, one), (alias, other))[name] == one
        else:
            text = refusal((name, one), (alias, other))
            assert f"{name} og {alias}" in text


def test_surfaces_take_the_place_of_the_one() -> None:
    inputs = read(("arrays", "5:35:-90,3.5:20:90,0.05:0:-180,100000:90:180"), ("peakpower", "7"), ("angle", "1"))
    assert inputs["arrays"] == "5:35:-90,3.5:20:90,0.05:0:-180,100000:90:180"
    assert (inputs["peakpower"], inputs["angle"], inputs["aspect"]) == (None, None, None)
    assert read(("arrays", "1:35:-0"))["arrays"] == "1:35:0"


@pytest.mark.parametrize("name", ["peakpower", "angle", "aspect"])
def test_what_surfaces_take_the_place_of_must_be_valid_all_the_same(name: str) -> None:
    low, high = RANGES[name]
    assert read(("arrays", "1:35:0"), (name, str(high)))[name] is None
    for value in (low - 0.001, high + 0.001, "x"):
        text = refusal(("arrays", "1:35:0"), (name, str(value)))
        assert text.startswith(f"Parameteren {name} må være et tall fra {low:g} til {high:g}."), text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "1 til 4 flater"),
        ("1:2:3,1:2:3,1:2:3,1:2:3,1:2:3", "1 til 4 flater"),
        ("1:2:3,", "Flate 2: den må ha tre tall"),
        (",1:2:3", "Flate 1: den må ha tre tall"),
        ("1:2", "Flate 1: den må ha tre tall"),
        ("1:2:3:4", "Flate 1: den må ha tre tall"),
        ("1:2:3;1:2:3", "Flate 1: den må ha tre tall"),
        ("1:2:3,0.04:2:3", "Flate 2: kwp må være et tall fra 0.05 til 100000."),
        ("1:2:3,1:2:3,1:91:3", "Flate 3: angle må være et tall fra 0 til 90."),
        ("1:-1:3", "Flate 1: angle"),
        ("1:2:181", "Flate 1: azimuth må være et tall fra -180 til 180."),
        *((f"1:2:{bad}", "Flate 1: azimuth") for bad in HOSTILE if "," not in bad),
        *((f"{bad}:2:3", "Flate 1: kwp") for bad in HOSTILE if "," not in bad),
        ("," * 5000, "1 til 4 flater"),
    ],
)
def test_a_surface_that_cannot_be_is_counted(value: str, words: str) -> None:
    text = refusal(("arrays", value))
    assert text.startswith("Parameteren arrays må være 1 til 4 flater, hver som kwp:angle:azimuth")
    assert words in text
    assert len(text) < 400


@pytest.mark.parametrize("optimize", ["slope", "both"])
def test_surfaces_are_not_optimised(optimize: str) -> None:
    text = refusal(("arrays", "1:35:0"), ("optimize", optimize))
    assert f"optimize={optimize}" in text
    assert "arrays" in text
    assert read(("arrays", "1:35:0"), ("optimize", "none"))["optimize"] == "none"


@pytest.mark.parametrize("name", [*DEFAULTS, *ALIASES])
def test_what_is_repeated_is_refused(name: str) -> None:
    value = "60" if name in ("lat", "lon") else "1"
    pairs = [(name, value)] if name in ("lat", "lon") else [(name, WORDS.get(name, (value,))[0])] * 2
    if name == "arrays":
        pairs = [(name, "1:2:3")] * 2
    assert refusal(*pairs).endswith(f"Parameteren {name} er oppgitt mer enn én gang.")


@given(st.floats(-180, 180))
def test_azimuths_turn_round(aspect: float) -> None:
    one = Surface(1, 35, aspect)
    assert 0 <= one.azimuth < 360
    assert abs((aspect_of(one.azimuth) - aspect + 180) % 360 - 180) < 1e-9
    assert -180 <= aspect_of(one.azimuth) < 180


def test_south_is_180_degrees_from_north() -> None:
    azimuths = [Surface(1, 35, aspect).azimuth for aspect in (0, -90, 90, 180, -180)]
    assert azimuths == [180, 90, 270, 0, 0]
