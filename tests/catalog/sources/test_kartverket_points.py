"""Heights of points: the real answer, and what is refused in one sentence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.sources.kartverket import points

URL = "http://x/punkt"
SUMMIT = (61.63644, 8.312477)


def understood(document: Any) -> points.PointHeights:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return points.read(body, URL, [SUMMIT])


def answer(**changed: Any) -> dict[str, Any]:
    point = {"datakilde": "dtm1", "terreng": "Skog", "x": SUMMIT[1], "y": SUMMIT[0], "z": 12.5}
    return {"koordsys": 4258, "punkter": [{**point, **changed}]}


def test_the_real_answer(shared_data: Path) -> None:
    body = (shared_data / "api_samples" / "kartverket_hoydedata_v1_punkt.json").read_bytes()
    found = understood(body)
    np.testing.assert_array_equal(found.z, [2468.25])
    assert found.data_origin == "live"


def test_neither_sea_nor_abroad_has_a_height() -> None:
    assert np.isnan(understood(answer(z=None, datakilde=None)).z).all()
    assert np.isnan(understood(answer(z=-31.5, terreng="Havflate")).z).all()
    assert understood(answer(z=0)).z[0] == 0
    assert understood({**answer(), "data_origin": "simulated"}).data_origin == "simulated"


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (b"<html>", "no JSON"),
        (b"", "no JSON"),
        ([], "something else"),
        ({"detail": "wrong"}, "something else"),
        ({**answer(), "koordsys": 25833}, "coordinate system 25833"),
        ({**answer(), "punkter": []}, "another number of points"),
        ({**answer(), "punkter": [None]}, "something else"),
        (answer(x=SUMMIT[0], y=SUMMIT[1]), "another point"),
        (answer(x=None), "something else"),
        (answer(z="12.5"), "something else"),
        (answer(z=True), "something else"),
        (answer(z=9999), "height of 9999 m"),
    ],
)
def test_what_is_refused(document: Any, sentence: str) -> None:
    with pytest.raises(SourceError, match=f"^kartverket_points: {URL} .*{sentence}"):
        understood(document)


def test_nothing_is_asked_for_no_points() -> None:
    assert points.heights_of("http://127.0.0.1:9", [], user_agent="test", deadline=1).z.shape == (0,)
