"""The id of a request: in its answer, in every log line that it causes, and with what it is charged."""

import os
import time
from contextvars import ContextVar

from multidict import istr

HEADER = istr("X-Request-Id")

current: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request that the running task answers; threads started by `asyncio.to_thread` have it too."""


# Asked for in stock: each call of the system costs a request some microseconds.
_STOCK = 256
_random: list[str] = []


def new_request_id() -> str:
    """Return 32 hexadecimal digits: the moment in ns, then 8 random bytes; later ids sort later."""
    if not _random:
        digits = os.urandom(8 * _STOCK).hex()
        _random.extend(digits[at : at + 16] for at in range(0, len(digits), 16))
    return f"{time.time_ns():016x}{_random.pop()}"


def current_id() -> str:
    """Return the id of the request that the running task answers.

    Raises
    ------
    LookupError
        It answers none.
    """
    if (identity := current.get()) is None:
        raise LookupError("no request is being answered")
    return identity
