"""The chart of a plant's months: what can be seen in it, and that numbers of any size make one."""

import io
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from PIL import Image

from api.pictures.canvas import HEIGHT, WIDTH
from api.pv.picture import chart, draw, parts
from tests.support.pictures import STRICT, dots, extents, written
from tests.support.pv_answers import OSLO, calc_answer

DELIVERED, SNOW, SHADE, LIMIT, ALARM = "#e69f00", "#56b4e9", "#999999", "#cc79a7", "#b00020"
SHADES = (40.0, 90.0, 80.0, 40.0, 20.0, 10.0, 15.0, 30.0, 60.0, 90.0, 60.0, 30.0)
CLIPPED = (0.0, 0.0, 20.0, 80.0, 140.0, 150.0, 120.0, 70.0, 10.0, 0.0, 0.0, 0.0)
TOLD = (
    "The production is unshaded: no horizon is published yet, so no terrain was taken into account.",
    "The snow of this cell is not published: it was fetched from the snow authority on demand.",
)
SNOW_PCT = (60.0, 45.0, 20.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 15.0, 40.0)


def bars(picture: bytes, colour: str) -> int:
    """Count the dots of a colour where no letter stands."""
    return dots(picture, colour, slice(88, None), slice(165, 547))


def fullest(warnings: list[str]) -> dict[str, Any]:
    """Return an answer with the most and the longest there can be to write."""
    answer = calc_answer(
        kwp=400_000.0, planes=4, shade=SHADES, clipped=CLIPPED, snow_pct=SNOW_PCT, data_origin="simulated",
        warnings=warnings, lat=-59.1234, lon=-179.1234, maxpower=99_999.987, loss=59.987, mountingplace="building",
    )  # fmt: skip
    for surface in answer["arrays"]:
        surface.update(kwp=99_999.987, angle=89.87, aspect=-178.87)
    answer["tmy"]["confidence"] = "p95"
    return answer


@pytest.mark.parametrize(
    ("colour", "loss"),
    [
        (SNOW, {"snow_pct": SNOW_PCT}),
        (SHADE, {"shade": SHADES}),
        (LIMIT, {"clipped": CLIPPED, "maxpower": 6.5}),
    ],
)
def test_each_loss_is_drawn_where_there_is_one_and_only_there(colour: str, loss: dict[str, Any]) -> None:
    without, with_loss = draw(calc_answer()), draw(calc_answer(**loss))
    assert draw(calc_answer()) == without, "the same data give the same bytes"
    with Image.open(io.BytesIO(with_loss)) as image:
        assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    assert bars(without, colour) == 0
    assert bars(with_loss, colour) > 3000
    assert bars(with_loss, DELIVERED) < bars(without, DELIVERED) - 5000
    others = {SNOW, SHADE, LIMIT} - {colour}
    assert [bars(with_loss, other) for other in others] == [0, 0]


def test_the_layers_are_the_numbers_of_the_answer() -> None:
    layers = parts(calc_answer(shade=SHADES, clipped=CLIPPED, snow_pct=(100.0, *SNOW_PCT[1:])))
    assert [layer.name for layer in layers] == ["Delivered", "Snow and soiling", "Shade of the horizon", "Power limit"]
    assert np.sum([layer.months for layer in layers], axis=0) == pytest.approx(OSLO)
    assert layers[2].months[1:] == pytest.approx(SHADES[1:])
    assert layers[3].months == pytest.approx(CLIPPED)
    assert (layers[0].months[0], layers[2].months[0]) == (0, 0), "a month under snow"


@pytest.mark.parametrize("planes", [1, 4])
def test_plant_and_system_are_told_in_words(planes: int) -> None:
    answer = calc_answer(kwp=3.0 * planes, planes=planes, mountingplace="building", loss=7.25, maxpower=6.5)
    for i, surface in enumerate(answer["arrays"]):
        surface.update(angle=30.0 + i, aspect=-90.0 + 45.5 * i)
    told = written(chart(answer))
    one = ["3 kWp, tilt 30°, azimuth −90° (0 south, −90 east, 90 west)"]
    four = ["3 kWp 30°/−90°", "3 kWp 33°/46.5°", "12 kWp in all (tilt/azimuth, 0 south, −90 east)"]
    for words in (
        *(one if planes == 1 else four),
        "crystSi  ·  on a building  ·  system loss 7.25 %  ·  at most 6.5 kW",
    ):
        assert told.count(words) == 1
    assert "P50 " in told
    assert "P90 " in told


def test_simulated_data_are_shouted() -> None:
    assert dots(draw(calc_answer()), ALARM) == 0
    assert dots(draw(calc_answer(data_origin="simulated")), ALARM) > 2000


@STRICT
@pytest.mark.parametrize(
    "warnings",
    [[], TOLD[:1], ["w" * 5000], ["word " * 1000] * 5, ["$W" * 5000] * 9, ["i" * 5000, "\x00" * 5000, "AV" * 5000],
     ["ffi" * 999, "Ǆ" * 999, "Ǻ" * 999, "çgj|" * 999]],
)  # fmt: skip
def test_no_text_stands_over_another_or_over_the_edge(warnings: list[str]) -> None:
    places = extents(chart(fullest(warnings)))
    assert len(places) > 25 + min(len(warnings), 5)
    for (text, *_), box in places.items():
        assert 8 <= box.x0 <= box.x1 <= WIDTH - 8, text
        assert 4 <= box.y0 <= box.y1 <= HEIGHT - 4, text
    assert [(one, other) for one, other in combinations(places, 2) if places[one].overlaps(places[other])] == []
