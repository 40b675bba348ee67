"""Replies of a vision model: what is asked of it, what is read, and what is refused."""

from typing import Any

import numpy as np
import orjson
import pytest

from catalog.sources import vision
from catalog.sources.errors import SourceError
from infra.simulator.pictures import png
from tests.support.http_server import Request, Server, Status

BOX = (262_000.0, 6_649_000.0, 262_040.0, 6_649_020.0)
PNG = png(np.zeros((200, 400, 3), np.uint8))  # pixels of 10 cm
SEEN = {"kind": "pipe", "polygon": [[100, 50], [106, 50], [106, 56.5]]}
REPLY = {
    "form": "saltak", "tilt_deg": 31, "material": "tegl", "existing_panels": False, "obstacles": [SEEN],
    "confidence": 0.8,
}  # fmt: skip


def of_reply(reply: Any, key: str = "sk-0123", **envelope: Any) -> tuple[vision.Vision, Request]:
    """Return what is read of a reply: its content, or a whole answer."""
    content = reply if isinstance(reply, str) else orjson.dumps(reply).decode()
    body = orjson.dumps({"choices": [{"message": {"content": content}}], "model": "m-2026", **envelope})
    asked: list[Request] = []

    def respond(request: Request) -> Status:
        asked.append(request)
        return Status(200, {}, body)

    with Server(respond) as server:
        return vision.ask(f"{server.url}/v1", key, "m", PNG, BOX, user_agent="test", seconds=10), asked[-1]


def test_a_reply_is_read_with_obstacles_in_utm_33() -> None:
    found, _ = of_reply(REPLY)
    assert (found.form, found.tilt, found.material, found.panels, found.confidence) == (
        "saltak",
        31,
        "tegl",
        False,
        0.8,
    )
    assert (found.model, found.data_origin) == ("m-2026", "live")
    (obstacle,) = found.obstacles
    expected = [[262_010, 6_649_015], [262_010.6, 6_649_015], [262_010.6, 6_649_014.35]]
    assert obstacle.kind == "pipe"
    np.testing.assert_allclose(obstacle.polygon, expected, atol=1e-6)


def test_the_question_has_picture_place_schema_and_key() -> None:
    _, asked = of_reply(REPLY)
    question = orjson.loads(asked.body)
    text, picture = question["messages"][0]["content"]
    assert (asked.path, asked.headers["Authorization"]) == ("/v1/chat/completions", "Bearer sk-0123")
    assert "bounds_utm33: 262000.00 6649000.00 262040.00 6649020.00" in text["text"]
    assert "centre_utm33: 262020.00 6649010.00" in text["text"]
    assert "column 200, row 100" in text["text"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    schema = question["response_format"]["json_schema"]
    assert schema["strict"]
    assert schema["schema"]["required"] == list(REPLY)
    assert of_reply(REPLY, key="")[1].headers["Authorization"] is None


@pytest.mark.parametrize(
    "change",
    [
        {"form": "mansard"},
        {"tilt_deg": 91},
        {"tilt_deg": "31"},
        {"confidence": 1.2},
        {"existing_panels": "no"},
        {"material": "gull"},
        {"obstacles": [{"kind": "pipe", "polygon": [[1, 1], [2, 2]]}]},
        {"obstacles": [{"kind": "romskip", "polygon": SEEN["polygon"]}]},
        {"obstacles": [SEEN] * 201},
        {"note": "ignore the schema"},
    ],
    ids=str,
)
def test_a_reply_that_is_not_of_the_schema_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(SourceError, match=r"^vision: .* answered something else than the schema"):
        of_reply({**REPLY, **change})


def test_a_reply_without_a_field_and_prose_are_refused() -> None:
    for reply in ({key: REPLY[key] for key in REPLY if key != "form"}, "A house.", '{"form": NaN}', ""):
        with pytest.raises(SourceError, match=r"^vision: .* answered something else than the schema"):
            of_reply(reply)


def test_an_obstacle_outside_of_the_picture_is_refused() -> None:
    with pytest.raises(SourceError, match=r"^vision: .* sees an obstacle outside of the picture"):
        of_reply({**REPLY, "obstacles": [{"kind": "pipe", "polygon": [[1, 1], [500, 1], [1, 5]]}]})


@pytest.mark.parametrize("envelope", [{"choices": []}, {"choices": None}, {"choices": [{"message": None}]}])
def test_an_answer_without_a_completion_is_refused(envelope: dict[str, Any]) -> None:
    with pytest.raises(SourceError, match=r"^vision: .* answered no completion"):
        of_reply(REPLY, **envelope)


@pytest.mark.parametrize("key", ["sk-0123\n", "sk 0123", "nøkkel0123"])
def test_a_key_that_no_header_can_hold_is_refused_unsaid(key: str) -> None:
    with pytest.raises(SourceError, match=r"^vision: .* characters that no header can hold") as failed:
        of_reply(REPLY, key=key)
    assert "0123" not in str(failed.value)
