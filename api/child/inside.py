"""What such a process does: obey, read frames from stdin, and answer where stdout was."""

import ctypes
import os
import signal
from contextlib import suppress

_NICENESS = 10
_PR_SET_PDEATHSIG = 1


def obey() -> None:
    """Let everything else go first, leave Ctrl-C to the parent, and end with it even in the middle of something."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(_NICENESS)
    with suppress(AttributeError):  # where it is not Linux, the end of stdin has to do
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def take_stdout() -> int:
    """Return the descriptor for answers; what a library prints from now on is none, and goes where errors go."""
    answers = os.dup(1)
    os.dup2(2, 1)
    return answers


def read(length: int) -> bytes | None:
    """Return so many bytes of stdin; None where it ends before."""
    parts = bytearray()
    while len(parts) < length:
        if not (part := os.read(0, length - len(parts))):
            return None
        parts += part
    return bytes(parts)


def write(descriptor: int, content: bytes) -> None:
    """Write all of it."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
