"""The report where something is not known."""

import numpy as np
import pytest

from api.terrain.answer import Land
from api.terrain.report.render import report
from kernels.horizon.levels import MISSING
from tests.api.terrain.report import made
from tests.api.terrain.report.test_report import Page, text_of

HALF = made.land().heights.z.shape[0] // 2


def without_heights(beyond_m: float) -> Land:
    """Land whose heights end so far north of the site."""
    land = made.land()
    z = land.heights.z.copy()
    z[HALF + round(beyond_m / made.CELL) :] = MISSING
    return land._replace(heights=land.heights._replace(z=z))


@pytest.mark.parametrize("beyond_m", [30, 400, 2500])
def test_heights_that_are_not_known_are_left_out_of_the_drawings(beyond_m: float) -> None:
    pdf, html = report(*made.site(without_heights(beyond_m), v_b0=22, kart=True))
    assert pdf.startswith(b"%PDF")
    drawn = "".join(its.get("d") or "" for tag, its in Page(html.decode()).tags if tag == "path")
    assert drawn
    assert "nan" not in drawn


def test_without_any_land_cover_categories_are_unknown_and_the_form_is_still_given() -> None:
    land = made.land()
    cover = land.cover._replace(code=np.zeros_like(land.cover.code))
    answer, pictures = made.site(land._replace(cover=cover), v_b0=22, kart=True, ubekreftet=True)
    assert answer["resultat"]["dimensjonerende_sektor"] is None
    text = text_of(report(answer, pictures)[0])
    assert "Arealdekket er ikke kjent." in text
    assert str(answer["resultat"]["c_o_maks"]).replace(".", ",") in text
    assert "UBEKREFTET" not in text
