"""What `solflis up` builds beside the forecasts, so that every endpoint answers: `solflis build all`, followed."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import BinaryIO

from infra.build_all import PRODUCT_WIDTH, TIME_WIDTH
from infra.settings import Settings
from infra.up.children import Children
from infra.up.report import say

NAME = "build-all"
# Forecasts and answers come first.
_NICE = 10
_ALWAYS_TOLD = ("begins", "failed")
_DONE = " is published"


class DemoBuild:
    """One run of `solflis build all` in a process of its own.

    Parameters
    ----------
    settings : Settings
    children : Children
    """

    def __init__(self, settings: Settings, children: Children) -> None:
        self._settings, self._children = settings, children
        self._process: subprocess.Popen[bytes] | None = None
        self._log: BinaryIO | None = None
        self._rest, self._begun, self._open_line = b"", 0.0, False

    def start(self, environment: Mapping[str, str]) -> None:
        """Start it, unless only forecasts are wanted or the areas are the whole country."""
        if self._settings.build != "all" or not self._settings.areas:
            return
        say("building what the other endpoints need, one area first, then the others (SOLFLIS_BUILD=forecast: none)")
        argv = ["nice", "-n", str(_NICE), sys.executable, "-m", "infra.cli", "build", "all"]
        self._process, self._begun = self._children.begin(NAME, argv, environment), time.monotonic()
        self._log = (self._settings.state / "logs" / f"{NAME}.log").open("rb")

    def follow(self) -> None:
        """Say what is new; a failed build ends nothing."""
        if self._process is None or self._log is None:
            return
        ended = self._process.poll()
        *lines, self._rest = (self._rest + self._log.read()).split(b"\n")
        for line in lines:
            self._tell(line.decode(errors="replace"))
        if ended is None:
            return
        self._log.close()
        self._process = None
        self._end_line()
        if ended == 0:
            say(f"everything answers, {time.monotonic() - self._begun:.0f} s after the first forecast")
        else:
            say(f"not everything could be built: see {self._log.name}; `solflis build all` makes what is missing")

    def _tell(self, line: str) -> None:
        """Write progress over the product's line on a terminal; elsewhere say what begins, ends and fails."""
        text = line[TIME_WIDTH + PRODUCT_WIDTH :]
        if sys.stdout.isatty():
            if text.startswith(_ALWAYS_TOLD[0]):
                self._end_line()
            print(f"\r\x1b[K{line[: os.get_terminal_size().columns - 1]}", end="", flush=True)
            self._open_line = True
        elif text.startswith(_ALWAYS_TOLD) or _DONE in text or not line.strip()[:1].isdigit():
            say(line)

    def _end_line(self) -> None:
        if self._open_line:
            print()
            self._open_line = False
