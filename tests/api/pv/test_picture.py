"""The chart of a plant's months: what can be seen in it, and that numbers of any size make one."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from api.pv.picture import HEIGHT, WIDTH, draw, energy, number, parts
from tests.api.pv.calc_answers import NONE, OSLO, TROMSO, calc_answer

DELIVERED, SNOW, SHADE, LIMIT, ALARM = "#e69f00", "#56b4e9", "#999999", "#cc79a7", "#b00020"
SHADES = (40.0, 90.0, 80.0, 40.0, 20.0, 10.0, 15.0, 30.0, 60.0, 90.0, 60.0, 30.0)
CLIPPED = (0.0, 0.0, 20.0, 80.0, 140.0, 150.0, 120.0, 70.0, 10.0, 0.0, 0.0, 0.0)
SNOW_PCT = (60.0, 45.0, 20.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 15.0, 40.0)


def pixels(picture: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(picture)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"), dtype=int)


def area(picture: bytes, colour: str) -> int:
    """Count the dots of a colour."""
    return dots(pixels(picture), colour)


def bars(picture: bytes, colour: str) -> int:
    """Count the dots of a colour where no letter stands."""
    return dots(pixels(picture)[150:467, 88:], colour)


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
    assert [layer.name for layer in layers] == ["Delivered", "Snow", "Shade of the horizon", "Power limit"]
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


@pytest.mark.filterwarnings("error")
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


@pytest.mark.parametrize("planes", [1, 2, 4])
def test_several_surfaces(planes: int) -> None:
    draw(calc_answer(planes=planes))


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
