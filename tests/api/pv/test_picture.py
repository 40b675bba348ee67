"""The chart of a plant's months: what can be seen in it, and that numbers of any size make one."""

import io
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from api.pictures.canvas import HEIGHT, WIDTH
from api.pv.picture import chart, draw, parts
from tests.support.pv_answers import OSLO, calc_answer

DELIVERED, SNOW, SHADE, LIMIT, ALARM = "#e69f00", "#56b4e9", "#999999", "#cc79a7", "#b00020"
SHADES = (40.0, 90.0, 80.0, 40.0, 20.0, 10.0, 15.0, 30.0, 60.0, 90.0, 60.0, 30.0)
CLIPPED = (0.0, 0.0, 20.0, 80.0, 140.0, 150.0, 120.0, 70.0, 10.0, 0.0, 0.0, 0.0)
TOLD = (
    "The production is unshaded: no horizon is published yet, so no terrain was taken into account.",
    "The snow of this cell is not published: it was fetched from the snow authority on demand.",
)
SNOW_PCT = (60.0, 45.0, 20.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 15.0, 40.0)

# What matplotlib and numpy complain of; not what other tests left open, which may be found at any time.
STRICT = pytest.mark.filterwarnings(
    "error::UserWarning", "error::RuntimeWarning", "error::DeprecationWarning", "default::pytest.PytestWarning"
)


def pixels(picture: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(picture)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"), dtype=int)


def bars(picture: bytes, colour: str) -> int:
    """Count the dots of a colour where no letter stands."""
    return dots(pixels(picture)[165:547, 88:], colour)


def written(answer: dict[str, Any]) -> str:
    """Return all text of a chart."""
    return "\n".join(text.get_text().replace("\N{NARROW NO-BREAK SPACE}", " ") for text in texts(answer))


def texts(answer: dict[str, Any]) -> list[Text]:
    """Return what a chart writes, laid out as it is in the PNG."""
    figure = chart(answer)
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    [axes] = figure.axes
    above = [label for label in axes.get_yticklabels() if label.get_position()[1] > axes.get_ylim()[1]]  # not drawn
    found = [text for text in figure.findobj(Text) if isinstance(text, Text) and text not in above]
    return [text for text in found if text.get_visible() and text.get_text()]


def extent(text: Text) -> Bbox:
    """Return where a text stands, with its badge, dots from below."""
    badge = text.get_bbox_patch()
    return text.get_window_extent() if badge is None else badge.get_window_extent()


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


def dots(picture: np.ndarray, colour: str) -> int:
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return int((np.abs(picture - wanted).max(axis=2) <= 2).sum())


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
    assert pixels(without).shape == pixels(with_loss).shape == (HEIGHT, WIDTH, 3)
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
    told = written(answer)
    one = ["3 kWp, tilt 30°, azimuth −90° (0 south, −90 east, 90 west)"]
    four = ["3 kWp 30°/−90°", "3 kWp 33°/46.5°", "12 kWp in all (tilt/azimuth, 0 south, −90 east)"]
    for words in (
        *(one if planes == 1 else four),
        "crystSi  ·  on a building  ·  system loss 7.25 %  ·  at most 6.5 kW",
    ):
        assert told.count(words) == 1


def test_simulated_data_are_shouted() -> None:
    assert dots(pixels(draw(calc_answer())), ALARM) == 0
    assert dots(pixels(draw(calc_answer(data_origin="simulated"))), ALARM) > 2000


@STRICT
@pytest.mark.parametrize(
    "warnings",
    [[], TOLD[:1], ["w" * 5000], ["word " * 1000] * 5, ["$W" * 5000] * 9, ["i" * 5000, "\x00" * 5000, "AV" * 5000],
     ["ffi" * 999, "Ǆ" * 999, "Ǻ" * 999, "çgj|" * 999]],
)  # fmt: skip
def test_no_text_stands_over_another_or_over_the_edge(warnings: list[str]) -> None:
    places = {(text.get_text(), *extent(text).bounds): extent(text) for text in texts(fullest(warnings))}
    assert len(places) > 25 + min(len(warnings), 5)
    for (text, *_), box in places.items():
        assert box.x0 >= 8, text
        assert box.x1 <= WIDTH - 8, text
        assert box.y0 >= 4, text
        assert box.y1 <= HEIGHT - 4, text
    over = [(one, other) for one, other in combinations(places, 2) if places[one].overlaps(places[other])]
    assert over == []
