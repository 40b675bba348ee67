"""The picture of a snow load: what can be seen in it, and that winters of any kind make one."""

import io
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from PIL import Image

from api.pictures.canvas import ALARM, BETWEEN, HEIGHT, WIDTH
from api.snowload.answer import NOT_DRAWN, body, for_picture
from api.snowload.picture import BAR, CURVES, LEVEL, MISSING, chart, draw, variate
from tests.api.snowload.conftest import inputs_of, maxima
from tests.support.pictures import STRICT, dots, extents, written
from tests.support.snowload import CENTRE, winters

LEFT, RIGHT = slice(86, 528), slice(563, 928)  # of the panels, dots


def picture_of(
    swe: Any = None, *, altitude: float = 1222.4, origin: str = "live", warnings: Any = None, **query: Any
) -> dict[str, Any]:
    """What is drawn of a cell with some winters since 1957; by default those of CENTRE."""
    own = maxima(winters(CENTRE) if swe is None else swe, altitude, origin)
    inputs = inputs_of({CENTRE: own}, cells=(CENTRE,), **query)
    data = for_picture(inputs, body(inputs, "nb"), "nb")
    return {**data, "warnings": warnings or []}


def panel(data: dict[str, Any], colour: str, across: slice) -> int:
    """Count the dots of a colour in a panel."""
    return dots(draw(data), colour, across, slice(176, 546))


def test_it_is_a_png_the_same_for_the_same_data_with_a_badge_where_they_are_simulated() -> None:
    with Image.open(io.BytesIO(draw(picture_of()))) as image:
        assert (image.format, image.size, image.info.get("Software")) == ("PNG", (WIDTH, HEIGHT), None)
    assert draw(picture_of()) == draw(picture_of())
    badges = [dots(draw(picture_of(origin=o)), ALARM, slice(780, WIDTH), slice(0, 60)) for o in ("live", "simulated")]
    assert (badges[0], badges[1] > 2000) == (0, True)


def test_winters_curves_and_the_level_are_drawn_and_unknown_winters_marked() -> None:
    whole = picture_of()
    assert panel(whole, BAR, LEFT) > 20_000
    assert all(panel(whole, colour, RIGHT) > 60 for _, colour, _ in CURVES.values())
    assert (panel(whole, LEVEL, RIGHT) > 400, panel(whole, MISSING, LEFT)) == (True, 0)
    gaps = winters(CENTRE)
    gaps[[-3, -9, -20]] = np.nan
    assert panel(picture_of(gaps), MISSING, LEFT) > 100
    assert all(words in written(chart(picture_of(gaps))) for words in ("Too few days (3)", "47 of 50 winters known"))


def test_the_numbers_stand_in_it() -> None:
    data = picture_of([412.0] * 69, returnperiod=20, variability=1.25)
    for words in (
        "Ground snow load at 59.9", "cell 262500 E, 6649500 N (UTM 33)", "1 222 m above the sea", "live data",
        "20 years: 412 mm = 4.04 kN/m²", "Mean of the fits: 412 mm", "Gumbel 412 mm", "Decision support",
        BETWEEN.join(["Characteristic load 5.05 kN/m²", "20 years", "one cell", "variability factor 1.25"]),
    ):  # fmt: skip
        assert words in written(chart(data)), words
    inputs, aggregate = {**data["inputs"], "manual_cells": False, "grid": "3x3"}, {**data["aggregate"], "n_cells": 9}
    assert "median of 9 cells (3x3)" in written(chart({**data, "inputs": inputs, "aggregate": aggregate}))
    assert "altitude not known" in written(chart(picture_of(altitude=np.nan)))
    assert "No snow in any winter" in written(chart(picture_of([0.0] * 69)))


def test_a_gumbel_distribution_is_a_line_and_both_panels_have_one_scale() -> None:
    left, right = chart(picture_of()).axes
    [gumbel] = [line for line in right.lines if str(line.get_label()).startswith("Gumbel")]
    assert np.corrcoef(gumbel.get_xdata(), gumbel.get_ydata())[0, 1] == pytest.approx(1.0, abs=1e-12)
    assert list(right.get_xticks())[-2] == variate(50) == pytest.approx(3.901939, abs=1e-6)
    assert left.get_ylim() == right.get_ylim()


@STRICT
def test_warnings_of_others_are_harmless_and_take_their_room_from_the_panels() -> None:
    sent = ["Not known: $x^2$ {0}%s.", r"Not known: $\frac{$.", "Not known: a\x00\u202eb\r\nc."]
    data = picture_of(warnings=sent)
    shown = ["Not known: $x^2$ {0}%s.", r"Not known: $\frac{$.", "Not known: a\ufffd\ufffdb c."]
    assert all(text in written(chart(data)) for text in shown)
    heights = [chart(one).axes[0].get_position().height * HEIGHT for one in (picture_of(), data)]
    assert heights[0] - heights[1] == pytest.approx(48)


def test_the_points_own_cell_is_drawn_though_others_count() -> None:
    east = CENTRE[0] + 1000, CENTRE[1]
    inputs = inputs_of({point: maxima(winters(point)) for point in (CENTRE, east)}, cells=(east,))
    data = for_picture(inputs, body(inputs, "nb"), "nb")
    assert data["maxima"] == winters(CENTRE)[-50:].tolist()
    assert data["warnings"][0] == NOT_DRAWN


@STRICT
@pytest.mark.parametrize(
    "more",
    [{"origin": "simulated", "warnings": ["The data are simulated.", "Far apart."]}, {"swe": [0.0] * 69},
     {"swe": [12_345.6, 9_999.9, np.nan] * 23, "warnings": ["W" * 5000] * 9, "variability": 2.345,
      "origin": "simulated", "returnperiod": 100}, {"warnings": ["word " * 1000] * 5, "start": None}],
)  # fmt: skip
def test_no_text_stands_over_another_or_over_the_edge(more: dict[str, Any]) -> None:
    places = extents(chart(picture_of(**more)))
    assert len(places) > 30
    for (text, *_), box in places.items():
        assert 6 <= box.x0 <= box.x1 <= WIDTH - 6, text
        assert 4 <= box.y0 <= box.y1 <= HEIGHT - 4, text
    assert [(one, other) for one, other in combinations(places, 2) if places[one].overlaps(places[other])] == []
