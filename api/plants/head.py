"""What a job of an uploaded file is given, and what it makes of the file."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import orjson

from api.data.plants.uploads import Reading


class Head(NamedTuple):
    """What is known of a file beside its bytes.

    Parameters
    ----------
    plant_id, upload_id : str
    filnavn : str
        As the caller gives it: its ending may help, nothing else of it may be used.
    enhet, tidssone, stempel, kolonne, dato : str or None
        Answers to questions of an earlier upload.
    korriger : bool
        Whether corrections are made.
    bekreft : bool
        Whether it is confirmed at once, unless the check finds an error.
    remembered : mapping of str to dict
        How confirmed files of the plant were read, by fingerprint.
    """

    plant_id: str
    upload_id: str
    filnavn: str = ""
    enhet: str | None = None
    tidssone: str | None = None
    stempel: str | None = None
    kolonne: str | None = None
    dato: Literal["dmy", "mdy", "ymd"] | None = None
    korriger: bool = True
    bekreft: bool = False
    remembered: Mapping[str, dict[str, Any]] = {}


class Processed(NamedTuple):
    """A file that was read and checked.

    Parameters
    ----------
    content : dict
        `tolkning`, `endringer`, `kontroll`, `forhandsvisning`, as they are answered.
    reading : Reading
    is_known : bool
        Whether it is stored without asking: read as a confirmed file with the same headings, with no finding and no
        correction.
    """

    content: dict[str, Any]
    reading: Reading
    is_known: bool = False


def content_of(head: Head, file: bytes) -> bytes:
    """Return the input of a job: a line of JSON, and the file."""
    fields = {name: value for name, value in head._asdict().items() if name != "remembered"}
    return orjson.dumps(fields) + b"\n" + file


def read_content(content: bytes) -> tuple[Head, bytes]:
    """Return what `content_of` joined."""
    line, _, file = content.partition(b"\n")
    return Head(**orjson.loads(line)), file
