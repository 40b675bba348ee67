"""Log lines as JSON, one object a line, each with the id of the request that it belongs to."""

import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

import orjson

from api.observing import request_id

# Nothing logs a secret on purpose. What an exception, or a library, quotes of its arguments passes through here.
_SECRETS = (
    (re.compile(r"sk_live_[\w-]+"), "sk_live_***"),
    (re.compile(r"((?:key|token|password|secret)(?:=|%3d))[^&\s\"'<>)]+", re.IGNORECASE), r"\1***"),
    (re.compile(r"(x-api-key\W{1,5}|bearer )[^\s\"',)\]}]+", re.IGNORECASE), r"\1***"),
    (re.compile(r"(://)[^/\s@\"']+@"), r"\1***@"),
)


def redact(text: str) -> str:
    """Return a text without what looks like a key, a token, or the password of an address."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text.encode(errors="backslashreplace").decode()  # a file's name can hold what is no UTF-8


def utc_ms(moment: float) -> str:
    """Return a moment (s since 1970) as ISO 8601 UTC with milliseconds."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


class JsonFormatter(logging.Formatter):
    """Makes of a record one line: time, level, logger, request_id, message, and an exception's trace as one field."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = {
            "time": utc_ms(record.created),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage()),
        }
        if identity := request_id.current.get():
            fields["request_id"] = identity
        if record.exc_info:
            fields["exception"] = redact(self.formatException(record.exc_info))
        return orjson.dumps(fields).decode()


def install(stream: TextIO) -> None:
    """Send everything that is logged in this process to a stream, warnings of Python too."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(True)
    sys.excepthook = lambda *exc_info: logging.getLogger("solflis.api").critical("the process ends", exc_info=exc_info)
