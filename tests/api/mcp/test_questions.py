"""Forty questions of Norwegians, and the calls that a person would make: `questions.json`.

Somebody who had seen neither code nor answers chose the same tools and arguments for all forty, from the declarations
alone. Whoever changes a name or a description lets that be done again.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.api.mcp.conftest import OSLO, SITE, TOOLS, Server

QUESTIONS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("questions.json").read_text(encoding="utf-8"))
CALLS = [call for question in QUESTIONS for call in question["calls"]]


def placed(call: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call at a place where data are published here."""
    place = SITE if call["tool"] == "terrengkategori" else OSLO
    return {name: place.get(name, value) for name, value in call["arguments"].items()}


def test_every_tool_is_the_answer_to_some_questions() -> None:
    assert len({one["question"] for one in QUESTIONS}) == 40
    last = Counter(one["calls"][-1]["tool"] for one in QUESTIONS if one["calls"])
    assert last.keys() == TOOLS.keys()
    assert min(last.values()) >= 4


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["tool"])
async def test_calls_are_valid_and_answered(server: Server, call: dict[str, Any]) -> None:
    arguments = placed(call)
    jsonschema.Draft202012Validator(TOOLS[call["tool"]]["inputSchema"]).validate(arguments)
    result = await server.call(call["tool"], arguments)
    if "jobb_id" in arguments:  # made up in the question
        assert result["isError"]
    else:
        assert not result.get("isError"), result["content"]
