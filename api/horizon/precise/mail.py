"""The mail with the links to a report."""

import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from string import Template

import orjson

from api.core.errors import Language
from api.horizon.precise.schemas import PreciseRequest

_WORDS = tomllib.loads(Path(__file__).with_name("mail.toml").read_text(encoding="utf-8"))


def letter(
    body: PreciseRequest, links: Mapping[str, str], until: datetime, language: Language, simulated: bool
) -> bytes:
    """Return the mail that a request wants, empty where none, as `api.core.mail.deliver` takes it."""
    if body.email is None:
        return b""
    words, place = _WORDS[language], f"{body.lat:.5f}, {body.lon:.5f}"
    note = words["simulated"] if simulated else ""
    text = Template(words["text"]).substitute(links, place=place, until=f"{until:%Y-%m-%d}", note=note)
    return orjson.dumps({"to": body.email.mailbox, "subject": words["subject"], "text": text})
