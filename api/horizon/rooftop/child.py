"""The process that fetches heights: `python -m api.horizon.rooftop.child` reads requests from stdin, answers on stdout.

A frame is its length (`REQUEST`) and JSON. The first one is the setup: `url`, `user_agent`, `folder`, `max_bytes`. A
request is a number, `id`, a square: `model`, `column`, `row`, and `whole`; several are fetched at once, and answered as
they come: id, status and length (`ANSWER`), then nothing where the square is in the folder now, its bytes where it is
not, or where the whole is wanted; of what failed JSON: `sentence` and `retry_s`. Before that it says when a square's
turn has come. It ends when stdin does, and when idle.
"""

import argparse
import json
import os
import select
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from api.child import inside
from api.horizon.rooftop.block import Square
from api.horizon.rooftop.squares import Squares
from catalog.sources.errors import SourceError, Throttled

REQUEST = struct.Struct("!I")
ANSWER = struct.Struct("!IBI")
FETCHED, FAILED, BEGUN = 0, 1, 2

AT_ONCE = 6
"""Questions that a process asks at a time."""


def main(arguments: list[str]) -> int:
    """Run as a command; return the exit code: 0 only where no request was left without an answer."""
    parser = argparse.ArgumentParser(prog="api.horizon.rooftop.child", description=__doc__)
    parser.add_argument("--idle", type=float, required=True, help="seconds without work after which it ends")
    parser.add_argument("--seconds", type=float, required=True, help="within which a square is fetched")
    options = parser.parse_args(arguments)
    inside.obey()
    answers = Answers(inside.take_stdout())
    setup = _frame()
    if setup is None:
        return 0
    squares = Squares(Path(setup["folder"]), setup["url"], setup["max_bytes"])
    with ThreadPoolExecutor(AT_ONCE, "fetch") as pool:
        while answers.pending or select.select([0], [], [], options.idle)[0]:
            if not select.select([0], [], [], 1.0)[0]:
                continue
            if (asked := _frame()) is None:
                os._exit(0)  # the parent is gone: nobody waits for what is being fetched
            begin = partial(answers.begun, asked["id"])
            fetching = pool.submit(_fetched, squares, asked, setup["user_agent"], options.seconds, begin)
            answers.follow(asked["id"], fetching)
    return 0


def _fetched(
    squares: Squares, asked: Mapping[str, Any], user_agent: str, seconds: float, begin: Callable[[], None]
) -> bytes:
    begin()
    square = Square(asked["model"], asked["column"], asked["row"])
    body = squares.fetch(square, user_agent, seconds)
    return b"" if not asked["whole"] and squares.held([square]) else body


class Answers:
    """Writes answers as they come, whole.

    Parameters
    ----------
    descriptor : int
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._writing = descriptor, threading.Lock()
        self.pending = 0

    def follow(self, number: int, fetching: "Future[bytes]") -> None:
        """Answer a request when it is done."""
        with self._writing:
            self.pending += 1
        fetching.add_done_callback(lambda done: self._answer(number, done))

    def begun(self, number: int) -> None:
        """Say that a request's turn has come."""
        with self._writing:
            self._write(number, BEGUN, b"")

    def _answer(self, number: int, done: "Future[bytes]") -> None:
        status, body = told(done)
        with self._writing:
            self._write(number, status, body)
            self.pending -= 1

    def _write(self, number: int, status: int, body: bytes) -> None:
        try:
            inside.write(self._descriptor, ANSWER.pack(number, status, len(body)) + body)
        except BrokenPipeError:
            os._exit(0)


def told(done: "Future[bytes]") -> tuple[int, bytes]:
    """Return what is answered: of what is no fault of the source, where and which kind of error, not its text."""
    try:
        return FETCHED, done.result()
    except SourceError as error:
        retry_s = error.seconds if isinstance(error, Throttled) else None
        return FAILED, json.dumps({"sentence": str(error), "retry_s": retry_s}).encode()
    except Exception as error:  # noqa: BLE001 - whatever it is, the next request is another
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        where = f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}" if at is not None else "nowhere"
        return FAILED, json.dumps({"sentence": f"{type(error).__name__} at {where}", "retry_s": None}).encode()


def _frame() -> Mapping[str, Any] | None:
    if (head := inside.read(REQUEST.size)) is None or (body := inside.read(*REQUEST.unpack(head))) is None:
        return None
    frame: Mapping[str, Any] = json.loads(body)
    return frame


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
