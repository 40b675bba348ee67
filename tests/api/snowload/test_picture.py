"""The picture of a snow load: what can be seen in it, and that winters of any kind make one."""

import io
from functools import cache, lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from api.pictures.look import ALARM, BETWEEN, HEIGHT, WIDTH
from api.snowload.picture import BAR, CURVES, LEVEL, MISSING, chart, draw, variate
from tests.api.snowload.cell_pictures import NOTE, cell_picture, seasons

LEFT, RIGHT = slice(86, 528), slice(563, 928)  # of the panels, dots
GAPS = seasons(69, 900, (3, 4, 30))
TOLD = ["The data are simulated: invented, and of no use for a real plant.", "The cells are far apart."]
# What matplotlib and numpy complain of; not what other tests left open, which may be found at any time.
STRICT = pytest.mark.filterwarnings(
    "error::UserWarning", "error::RuntimeWarning", "error::DeprecationWarning", "default::pytest.PytestWarning"
)


@lru_cache(8)
def pixels(picture: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(picture)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"), dtype=np.int16)


@cache
def plain() -> bytes:
    return draw(cell_picture())


def dots(picture: bytes, colour: str, panel: slice = slice(None)) -> int:
    """Count the dots of a colour in a panel."""
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return int((np.abs(pixels(picture)[176:546, panel] - wanted).max(axis=2) <= 2).sum())


def texts(data: dict[str, Any]) -> list[Text]:
    """Return what a picture writes, laid out as it is in the PNG."""
    figure = chart(data)
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    drawn = [child for axes in figure.axes for child in (axes, *axes.child_axes)]
    ends = [  # beyond the ends of an axis nothing is drawn
        (label, label.get_position()[k], axis.get_view_interval())
        for axes in drawn
        for k, axis in enumerate((axes.xaxis, axes.yaxis))
        for label in axis.get_ticklabels()
    ]
    beyond = [label for label, at, (low, high) in ends if not low <= at <= high]
    found = [one for one in figure.findobj(Text) if isinstance(one, Text) and one not in beyond]
    return [one for one in found if one.get_visible() and one.get_text().strip()]


def written(data: dict[str, Any]) -> str:
    """Return all text of a picture, as it is before anything is laid out."""
    said = "\n".join(one.get_text() for one in chart(data).findobj(Text) if isinstance(one, Text))
    return said.replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ")


def extent(text: Text) -> Bbox:
    """Return where a text stands, with its badge, dots from below."""
    badge = text.get_bbox_patch()
    return text.get_window_extent() if badge is None else badge.get_window_extent()


def test_it_is_a_png_of_the_size_said_and_the_same_for_the_same_data() -> None:
    assert pixels(plain()).shape == (HEIGHT, WIDTH, 3)
    assert draw(cell_picture()) == plain()
    with Image.open(io.BytesIO(plain())) as image:
        assert not image.info.get("Software")


def test_winters_curves_and_the_level_are_drawn() -> None:
    assert dots(plain(), BAR, LEFT) > 20_000
    assert dots(plain(), BAR, RIGHT) == 0
    for _, colour, _ in CURVES.values():
        assert dots(plain(), colour, RIGHT) > 60
        assert dots(plain(), colour, LEFT) == 0
    beyond_its_number = slice(400, LEFT.stop)
    assert dots(plain(), LEVEL, beyond_its_number) > 100
    assert dots(plain(), LEVEL, RIGHT) > 400
    assert dots(plain(), MISSING, LEFT) == 0
    half = draw(cell_picture([mm / 2 for mm in seasons()], char_swe_mm=cell_picture()["char_swe_mm"]))
    assert dots(half, BAR, LEFT) < 0.6 * dots(plain(), BAR, LEFT), "another height at the same scale"


def test_winters_that_are_not_known_are_marked_and_counted() -> None:
    data = cell_picture(GAPS)
    assert dots(draw(data), MISSING, LEFT) > 100
    said = written(data)
    assert "Too few days (3)" in said
    assert "66 of 69 winters known" in said


@pytest.mark.parametrize("period", [20, 100])
def test_the_numbers_stand_in_it(period: int) -> None:
    said = written(cell_picture(return_period_yr=period, char_swe_mm=412.3, char_sd_kn_m2=4.04,
                                characteristic_snow_load_kn_m2=6.185, variability_factor=1.25,
                                levels={"gamma": 401.2, "gumbel": 418.1, "empirical": 1417.6}))  # fmt: skip
    for words in (
        "Ground snow load at 60.6021° N, 7.5044° E", "cell 88500 E, 6744500 N (UTM 33)", "1 222 m above the sea",
        "50 of 50 winters known", "live data", f"{period} years: 412 mm = 4.04 kN/m²", "Mean of the fits: 412 mm",
        "Gamma 401 mm", "Gumbel 418 mm", "Empirical 1 418 mm", NOTE,
    ):  # fmt: skip
        assert words in said
    result = ["Characteristic load 6.18 kN/m²", f"{period} years", "median of 9 cells (3x3)", "variability factor 1.25"]
    assert BETWEEN.join(result) in said


def test_what_is_not_so_is_not_said() -> None:
    said = written(cell_picture(altitude_m=None, n_cells=1, grid="1x1"))
    assert "altitude not known" in said
    assert "one cell   ·   variability" in said
    assert "median of 7 cells (chosen by hand)" in written(cell_picture(n_cells=7, grid="7 cells"))


def test_the_axis_makes_a_line_of_a_gumbel_distribution() -> None:
    assert variate(2) == pytest.approx(0.366513, abs=1e-6)
    assert variate(50) == pytest.approx(3.901939, abs=1e-6)
    figure = chart(cell_picture())
    [gumbel] = [line for line in figure.axes[1].lines if str(line.get_label()).startswith("Gumbel")]
    x, y = np.asarray(gumbel.get_xdata()), np.asarray(gumbel.get_ydata())
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(1.0, abs=1e-12)
    shown = dict(zip(figure.axes[1].get_xticks(), figure.axes[1].get_xticklabels(), strict=True))
    assert [label.get_text() for label in shown.values()] == ["2", "5", "10", "20", "50", "100"]
    assert list(shown)[-2] == variate(50)


def test_both_panels_have_one_scale_and_the_right_one_says_what_it_weighs() -> None:
    figure = chart(cell_picture())
    left, right = figure.axes
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    assert left.get_ylim() == right.get_ylim()
    [weight] = right.child_axes
    assert weight.get_ylim() == pytest.approx([0.0098 * mm for mm in right.get_ylim()])


def test_simulated_data_are_shouted() -> None:
    at = slice(0, 60), slice(780, WIDTH)
    alarm = [int(ALARM[k : k + 2], 16) for k in (1, 3, 5)]
    badge = [(np.abs(pixels(one)[at] - alarm).max(axis=2) <= 2).sum() for one in (plain(), draw(simulated()))]
    assert badge[0] == 0
    assert badge[1] > 2000


def simulated() -> dict[str, Any]:
    return cell_picture(data_origin="simulated")


@STRICT
@pytest.mark.parametrize(
    ("maxima", "said"),
    [([0.0] * 40, "No snow in any winter"), ([None] * 3, "No winter is known"), ([120.0, None, 80.5], "2 of 3 winters"),
     ([0.0, 0.0, 0.3], "3 of 3 winters"), ([200.0] * 30, "Gumbel 200 mm")],
)  # fmt: skip
def test_winters_of_any_kind(maxima: list[float | None], said: str) -> None:
    data = cell_picture(maxima)
    assert said in written(data)
    assert (dots(draw(data), BAR, LEFT) > 0) == any(maxima)


def test_warnings_take_their_room_from_the_panels() -> None:
    none, two = cell_picture(), cell_picture(warnings=TOLD)
    said = written(two)
    assert all(warning in said for warning in TOLD)
    heights = [chart(data).axes[0].get_position().height * HEIGHT for data in (none, two)]
    assert heights[0] - heights[1] == pytest.approx(32)


@STRICT
@pytest.mark.parametrize(
    ("sent", "shown"),
    [("$x^2$ {0}%s", "$x^2$ {0}%s"), (r"$\frac{$", r"$\frac{$"), ("a\x00\u202eb\r\nc", "a\ufffd\ufffdb c")],
)
def test_texts_of_others_are_harmless(sent: str, shown: str) -> None:
    said = written(cell_picture(warnings=[f"Not known: {sent}."], note=f"For {sent}."))
    assert f"Not known: {shown}." in said
    assert f"For {shown}." in said


@STRICT
@pytest.mark.parametrize(
    "more",
    [{"maxima": GAPS, "data_origin": "simulated", "warnings": TOLD}, {"maxima": [0.0] * 30},
     {"maxima": [12_345.6, 9_999.9, None] * 23, "warnings": ["W" * 5000] * 9, "note": "word " * 999, "n_cells": 36,
      "grid": "36 cells", "variability_factor": 2.345, "data_origin": "simulated", "lat": 71.1234, "lon": 31.1234,
      "x": 1_123_500, "y": 7_912_500, "altitude_m": 2469.0, "return_period_yr": 100},
     {"maxima": seasons(57, 3000), "warnings": ["word " * 1000] * 5, "note": "$" * 3000}],
)  # fmt: skip
def test_no_text_stands_over_another_or_over_the_edge(more: dict[str, Any]) -> None:
    places = {(text.get_text(), *extent(text).bounds): extent(text) for text in texts(cell_picture(**more))}
    assert len(places) > 30
    for (text, *_), box in places.items():
        assert box.x0 >= 6, text
        assert box.x1 <= WIDTH - 6, text
        assert box.y0 >= 4, text
        assert box.y1 <= HEIGHT - 4, text
    over = [(one, other) for one, other in combinations(places, 2) if places[one].overlaps(places[other])]
    assert over == []
