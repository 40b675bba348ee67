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

from api.pv.picture import HEIGHT, WIDTH, chart, draw, energy, number, parts, warned
from tests.api.pv.calc_answers import NONE, OSLO, TROMSO, calc_answer

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


def area(picture: bytes, colour: str) -> int:
    """Count the dots of a colour."""
    return dots(pixels(picture), colour)


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


def test_it_is_a_png_of_the_size_said_and_the_same_for_the_same_data() -> None:
    picture = draw(calc_answer())
    assert pixels(picture).shape == (HEIGHT, WIDTH, 3)
    assert draw(calc_answer()) == picture
    with Image.open(io.BytesIO(picture)) as image:
        assert set(image.info) <= {"dpi"}


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
    assert bars(without, colour) == 0
    assert bars(with_loss, colour) > 3000
    assert bars(with_loss, DELIVERED) < bars(without, DELIVERED) - 5000
    others = {SNOW, SHADE, LIMIT} - {colour}
    assert [bars(with_loss, other) for other in others] == [0, 0]


def test_the_layers_are_the_answers_numbers() -> None:
    layers = parts(calc_answer(shade=SHADES, clipped=CLIPPED, snow_pct=SNOW_PCT))
    assert [layer.name for layer in layers] == ["Delivered", "Snow and soiling", "Shade of the horizon", "Power limit"]
    assert np.sum([layer.months for layer in layers], axis=0) == pytest.approx(OSLO)
    assert layers[2].months == pytest.approx(SHADES)
    assert layers[3].months == pytest.approx(CLIPPED)


def test_a_month_under_snow_all_of_it_is_lost_to_snow() -> None:
    layers = parts(calc_answer(snow_pct=(100.0, *SNOW_PCT[1:])))
    assert layers[0].months[0] == 0
    assert layers[1].months[0] == pytest.approx(OSLO[0])


def test_a_horizon_that_gives_a_little_is_no_shade() -> None:
    answer = calc_answer()
    answer["monthly_unshaded_kwh"] = [0.999 * kwh for kwh in OSLO]
    assert [layer.name for layer in parts(answer)] == ["Delivered"]


def test_without_what_the_open_horizon_would_give_no_shade_is_drawn() -> None:
    answer = calc_answer(shade=SHADES)
    del answer["monthly_unshaded_kwh"]
    assert [layer.name for layer in parts(answer)] == ["Delivered"]
    draw(answer)


def test_simulated_data_are_shouted() -> None:
    assert area(draw(calc_answer()), ALARM) == 0
    assert area(draw(calc_answer(data_origin="simulated")), ALARM) > 2000


@pytest.mark.parametrize("kwp", [0.05, 1.0, 100_000.0])
def test_the_bars_are_as_high_for_a_plant_of_any_size(kwp: float) -> None:
    of_ten = bars(draw(calc_answer()), DELIVERED)
    assert bars(draw(calc_answer(kwp=kwp)), DELIVERED) == pytest.approx(of_ten, rel=0.02)


@STRICT
@pytest.mark.parametrize("would", [TROMSO, NONE, (0.0,) * 11 + (1e-3,)])
def test_polar_night_and_a_plane_that_never_sees_the_sun(would: tuple[float, ...]) -> None:
    picture = draw(calc_answer(would, shade=NONE))
    drawn = bars(picture, DELIVERED)
    assert drawn > 10_000 if any(would) else drawn == 0


@pytest.mark.parametrize("known", [{}, {"p50": None, "p90": None}])
def test_percentiles_that_are_not_known_are_left_out(known: dict[str, None]) -> None:
    answer = calc_answer(confidence="p50")
    answer["annual"]["percentiles_kwh"] = known
    draw(answer)


def test_one_surface_is_told_in_words() -> None:
    told = written(calc_answer(kwp=0.055))
    assert "0.055 kWp, tilt 35°, azimuth −45° (0 south, −90 east, 90 west)" in told


@pytest.mark.parametrize("planes", [2, 4])
def test_of_several_surfaces_each_is_told(planes: int) -> None:
    answer = calc_answer(kwp=3.0 * planes, planes=planes)
    for i, surface in enumerate(answer["arrays"]):
        surface.update(angle=30.0 + i, aspect=-90.0 + 45.5 * i)
    told = written(answer)
    for each in ["3 kWp 30°/−90°", "3 kWp 31°/−44.5°", "3 kWp 32°/1°", "3 kWp 33°/46.5°"][:planes]:
        assert told.count(each) == 1
    assert told.count(f"{3 * planes} kWp in all (tilt/azimuth, 0 south, −90 east)") == 1


@pytest.mark.parametrize(("mounted", "words"), [("free", "free-standing"), ("building", "on a building")])
def test_the_system_is_told_in_words(mounted: str, words: str) -> None:
    assert f"crystSi  ·  {words}  ·  system loss 14 %\n" in written(calc_answer(mountingplace=mounted))
    assert "system loss 7.25 %  ·  at most 6.5 kW" in written(calc_answer(loss=7.25, maxpower=6.5))


def test_another_warning_is_another_picture_of_the_same_size() -> None:
    none, one, other = (draw(calc_answer(warnings=told)) for told in (TOLD[:0], TOLD[:1], TOLD[1:]))
    assert len({none, one, other}) == 3
    assert pixels(none).shape == pixels(one).shape == (HEIGHT, WIDTH, 3)
    assert draw(calc_answer(warnings=TOLD[:1])) == one


def test_warnings_stand_as_they_are_and_long_ones_go_on_in_the_next_line() -> None:
    assert warned(TOLD) == [(True, told) for told in TOLD]
    long = " ".join(f"word{i}" for i in range(50))
    lines = warned([TOLD[0], long])
    assert [begins for begins, _ in lines] == [True, True, False, False]
    assert " ".join(line for _, line in lines[1:]) == long


def test_a_warning_that_is_too_long_ends_in_an_ellipsis_and_leaves_room_for_the_next() -> None:
    long = " ".join(f"word{i}" for i in range(5000))
    lines = [line for _, line in warned([long, *TOLD])]
    assert len(lines) == 5
    assert lines[2].endswith("…")
    assert long.startswith(f"{lines[0]} {lines[1]} {lines[2].removesuffix('…')}")
    assert lines[3:] == list(TOLD)


def test_of_too_many_warnings_the_rest_is_counted() -> None:
    lines = [line for _, line in warned([*TOLD, "third", "fourth", "fifth", "sixth"])]
    assert lines == [*TOLD, "third", "fourth", "2 more warnings are in the JSON of this answer."]
    five = [*TOLD, "third", "fourth", "fifth"]
    assert [line for _, line in warned(five)] == five


@STRICT
@pytest.mark.parametrize("sent", ["$x^2$", r"$\frac{$", r"\$", "{0}%s_a^b"])
def test_a_warning_is_no_formula(sent: str) -> None:
    answer = calc_answer(warnings=[f"Not known: {sent}."])
    assert f"Not known: {sent}." in written(answer)
    [text] = (text for text in texts(answer) if sent in text.get_text())
    plain = calc_answer(warnings=[f"Not known: {sent.replace('$', '§')}."])
    [like] = (text for text in texts(plain) if "Not known" in text.get_text())
    assert extent(text).width == pytest.approx(extent(like).width, rel=0.2)
    draw(answer)


@STRICT
@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("a\x00b", "a\ufffdb"), ("a\x1bb\x7f", "a\ufffdb\ufffd"), ("a\r\nb\tc\u2028d", "a b c d"),
        ("a\u202eb\u200bc", "a\ufffdb\ufffdc"),  # turns the direction; has no width
        ("\u65e5\U0001f980", "\ufffd\ufffd"), ("\u05d0\u0628", "\ufffd\ufffd"), ("\ud800", "\ufffd"),
        ("e\u0301", "é"), ("b\u0336\u0336", "b\ufffd\ufffd"), ("⎛Å", "\ufffdÅ"), ("Ærøy Ω Ж €", "Ærøy Ω Ж €"),
    ],
)  # fmt: skip
def test_letters_that_cannot_be_written_are_replaced(sent: str, shown: str) -> None:
    assert warned([sent]) == [(True, shown)]
    draw(calc_answer(warnings=[sent]))


def test_a_warning_of_nothing_but_space_takes_no_line() -> None:
    assert warned([" \n", TOLD[0]]) == [(True, TOLD[0])]


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


@pytest.mark.parametrize(
    ("kwh", "text"),
    [(0, "0 kWh"), (0.0123, "0.0123 kWh"), (5.0, "5 kWh"),
     (39.14, "39.1 kWh"), (99.96, "100 kWh"), (8305.4, "8 305 kWh"),
     (99_999.4, "99 999 kWh"), (123_456, "123 MWh"), (9.1e7, "91 000 MWh"), (1.2e8, "120 GWh")],
)  # fmt: skip
def test_energies_are_written_in_a_unit_that_suits_them(kwh: float, text: str) -> None:
    assert energy(kwh).replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ") == text


def test_numbers() -> None:
    assert [number(value) for value in (0.05, 10.0, 12.34, 0.3)] == ["0.05", "10", "12.3", "0.3"]
