"""What is held against every answer, beside what schemathesis itself checks."""

import re
from typing import Any

import schemathesis

from tests.api.fabricated import CYCLE


@schemathesis.check
def says_what_every_answer_says(_: Any, response: Any, case: Any) -> None:
    """Hold every answer, also that to a method which no route declares, to what all answers carry."""
    request_id, origin = _header(response, "X-Request-Id"), _header(response, "Access-Control-Allow-Origin")
    assert re.fullmatch(r"[0-9a-f]{32}", request_id), request_id
    assert origin == "*", origin
    if response.status_code >= 400 and "json" in _header(response, "Content-Type"):
        assert response.json()["error"], "an error without words"
    declared = case.operation.definition.raw["responses"].values()
    if response.status_code not in (204, 405) and any("X-Quota-Limit" in one.get("headers", ()) for one in declared):
        limit, remaining = (int(_header(response, f"X-Quota-{name}")) for name in ("Limit", "Remaining"))
        assert 0 <= remaining <= limit, f"{remaining} of {limit}"
        resets_at = _header(response, "X-Quota-Reset")
        assert int(resets_at) == CYCLE.timestamp() + 86_400, resets_at


@schemathesis.check
def refuses_in_documented_words(_: Any, response: Any, case: Any) -> None:
    """Hold refusals and failures to the texts of the document: it quotes them, with `...` and `N` for what varies."""
    status = response.status_code
    if status not in (401, 403, 429) and status < 500:
        return
    media = case.operation.definition.raw["responses"].get(str(status), {}).get("content", {}).get("application/json")
    if media is None:
        return  # which is what other checks are about
    documented = [example["value"]["error"] for example in media["examples"].values()]
    error = response.json()["error"]
    assert any(re.match(_pattern(text), error) for text in documented), f"{error!r} is none of {documented}"


def _pattern(text: str) -> str:
    return re.sub(r"\\\.\\\.\\\.|\bN\b", ".*", re.escape(text))


def _header(response: Any, name: str) -> str:
    values = response.headers.get(name.lower())
    assert values is not None, f"{response.status_code} without {name}"
    return str(values[0])
