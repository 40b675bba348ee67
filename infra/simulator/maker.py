"""The process that makes the simulated files: it reads calls from standard input and answers each, until that ends.

A call is pickled: module, function, positional and named arguments; the answer is a line, empty where all went well.
pvlib and HDF5 are loaded here and not by the server, which starts fast, stays small and always answers.
"""

import importlib
import pickle
import sys
from typing import IO


def main(calls: IO[bytes], answers: IO[bytes]) -> None:
    """Make file after file; one that fails is answered with its error."""
    while calls.peek(1):  # type: ignore[attr-defined]
        module, function, arguments, options = pickle.load(calls)  # noqa: S301 - from our own parent
        try:
            getattr(importlib.import_module(module), function)(*arguments, **options)
            said = ""
        except Exception as error:  # noqa: BLE001 - told to who asked; the next call may be better
            said = " ".join(f"{type(error).__name__}: {error}".split())
        answers.write(said.encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
