"""The process that draws: `python -m api.pictures.child` reads requests from stdin and answers on stdout.

A request is its length (`REQUEST`) and JSON: `picture`, a module `api.<group>.picture`, and `data` for its `draw`. An
answer is a status and a length (`ANSWER`), then the PNG, or what failed. It ends when stdin does, and when idle.
"""

import argparse
import importlib
import json
import re
import select
import struct
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from api.child import inside

REQUEST = struct.Struct("!I")
ANSWER = struct.Struct("!BI")
DRAWN, FAILED = 0, 1

_PICTURE = re.compile(r"api\.[a-z_]+\.picture")


def main(arguments: list[str]) -> int:
    """Run as a command; return the exit code: 0 only where no request was left without an answer."""
    parser = argparse.ArgumentParser(prog="api.pictures.child", description=__doc__)
    parser.add_argument("--idle", type=float, required=True, help="seconds without work after which it ends")
    options = parser.parse_args(arguments)
    inside.obey()
    answers = inside.take_stdout()
    while select.select([0], [], [], options.idle)[0]:
        if (head := inside.read(REQUEST.size)) is None or (request := inside.read(*REQUEST.unpack(head))) is None:
            break
        status, body = answer(request)
        try:
            inside.write(answers, ANSWER.pack(status, len(body)) + body)
        except BrokenPipeError:
            break
    return 0


def answer(request: bytes) -> tuple[int, bytes]:
    """Draw what is asked for; of what fails, tell where and which kind of error, never its text: it can quote data."""
    try:
        asked: Mapping[str, Any] = json.loads(request)
        if not _PICTURE.fullmatch(asked["picture"]):
            raise ValueError("no picture")
        return DRAWN, importlib.import_module(asked["picture"]).draw(asked["data"])
    except Exception as error:  # noqa: BLE001 - whatever it is, the next request is another
        frames = traceback.extract_tb(error.__traceback__)
        return FAILED, "\n".join(
            [type(error).__name__, *(f"{f.filename}:{f.lineno} {f.name}" for f in frames)]
        ).encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
