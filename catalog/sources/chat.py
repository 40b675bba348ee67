"""One question to a language model by an OpenAI-compatible chat endpoint, whose reply is of a JSON schema.

No source of the registry: the operator names address, key and model. A reply that is not exactly of the schema is
refused; the key stands in no sentence and in no log.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from catalog.sources.errors import Origin, beginning
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials

_MAX_BYTES = 1_000_000


class Strict(BaseModel):
    """A reply, or a part of one: as declared, and nothing more."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


_R = TypeVar("_R", bound=Strict)


class Model(NamedTuple):
    """Who is asked.

    Parameters
    ----------
    url : str
        Base address, such as `https://host/v1`.
    key : str
        Sent as a bearer token; empty for a service without.
    name : str
        Of the model.
    """

    url: str
    key: str
    name: str

    def origin(self, name: str) -> Origin:
        """Return whose errors begin with a name."""
        return Origin(name, without_credentials(self.url.partition("?")[0]))


def object_schema(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object; by hand, since services with strict schemas know few keywords."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def ask(
    name: str,
    model: Model,
    content: str | Sequence[Mapping[str, Any]],
    schema: Mapping[str, Any],
    reply: type[_R],
    *,
    user_agent: str,
    seconds: float,
) -> tuple[dict[str, Any], _R]:
    """Return the whole answer of the endpoint, and the reply within it.

    Parameters
    ----------
    name : str
        Of the caller, which begins every sentence, and of the schema.
    model : Model
    content : str or sequence of mapping
        Of the message.
    schema : mapping
    reply : type of Strict
    user_agent : str
    seconds : float
        For all of it, s.

    Raises
    ------
    SourceError
        There is no answer, or it is not of the schema.
    """
    origin = model.origin(name)
    if not re.fullmatch(r"[!-~]*", model.key):  # a client's sentence about such a header would hold it
        raise origin.error("has a key with characters that no header can hold")
    question = {
        "model": model.name,
        "temperature": 0,
        "messages": [{"role": "user", "content": content}],
        "response_format": {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}},
    }
    address = f"{model.url.rstrip('/')}/chat/completions"
    with make_client(user_agent) as client:
        answer = fetch(
            name, address, client, Deadline(seconds), max_bytes=_MAX_BYTES, content=orjson.dumps(question),
            bearer=model.key,
        )  # fmt: skip
    body = answer.body or b""
    try:
        envelope = orjson.loads(body)
        text = envelope["choices"][0]["message"]["content"]
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError) as error:
        raise origin.error(f"answered no completion: {beginning(body[:200].decode('utf-8', 'replace'))}") from error
    try:
        return envelope, reply.model_validate_json(text or "")
    except (ValidationError, TypeError) as error:
        raise origin.error(f"answered something else than the schema: {beginning(str(text))}") from error
