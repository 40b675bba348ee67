"""What goes wrong upstream, in one sentence an operator can act on."""

import re
from dataclasses import dataclass

_WORDS = 200  # characters


class SourceError(Exception):
    """One clear sentence: which upstream, which file, what is wrong with it."""


class NotYetAvailable(SourceError):
    """The upstream does not hold that cycle (yet, or any more)."""


class Misconfigured(SourceError):
    """The operator's address of the upstream cannot be asked: the upstream itself may be well."""


class Throttled(SourceError):
    """The upstream asks to be left alone for a while.

    Parameters
    ----------
    sentence : str
    seconds : float
        For so long, s.
    """

    def __init__(self, sentence: str, seconds: float) -> None:
        super().__init__(sentence)
        self.seconds = seconds

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        """Return how it comes back from another process."""
        return type(self), (str(self), self.seconds)


@dataclass(frozen=True)
class Origin:
    """Which file of which source an error sentence is about; `url` carries no credentials."""

    source: str
    url: str

    def error(self, what: str) -> SourceError:
        """Return the error whose sentence is "<source>: <url> <what>"."""
        return SourceError(f"{self.source}: {self.url} {what}")

    def absent(self, what: str) -> NotYetAvailable:
        """Return the same sentence as a `NotYetAvailable`."""
        return NotYetAvailable(f"{self.source}: {self.url} {what}")


def beginning(text: str) -> str:
    """Return the beginning of what a source says, on one line and without what commands a terminal."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:_WORDS]


def words_of(body: bytes) -> str:
    """Return the beginning of the words of an answer in XML or HTML, as `beginning` has it."""
    text = re.sub("<[^>]*>", " ", body[:4000].decode("utf-8", "replace"))
    return beginning(text) or "without a text"
