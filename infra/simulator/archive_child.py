"""The process that makes archive files: asked on standard input, it answers on standard output, until the input ends.

A question is a line of JSON, an answer a line of JSON and then as many bytes as its `lengths` say. pvlib and HDF5 are
loaded here and not by the server, whose event loop is never kept.
"""

import json
import sys
from dataclasses import asdict
from typing import IO, Any

import numpy as np

from infra.simulator.archive import grid_of, piece
from infra.simulator.archive_file import make_skeleton


def answer(question: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """Return the answer to one question, a heading and bytes.

    `{"month": [kind, year, month, spacing_km], "shift_x": 0.0}` asks for the file without its fields, with `"pieces":
    [number, ...]` besides for those pieces, each with all its fields one after the other.
    """
    kind, year, month, spacing_km = question["month"]
    if "pieces" in question:
        grid = grid_of(kind, spacing_km)
        made = (piece(kind, year, month, grid, number) for number in question["pieces"])
        return {}, [b"".join(np.ascontiguousarray(field).tobytes() for field in fields) for fields in made]
    skeleton = make_skeleton(kind, year, month, spacing_km, question["shift_x"])
    about = {
        "size": skeleton.size,
        "offsets": [offset for offset, _ in skeleton.parts],
        "fields": [asdict(field) for field in skeleton.fields],
        "pieces": skeleton.pieces,
    }
    return about, [data for _, data in skeleton.parts]


def main(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer question after question; one that fails is answered with its error."""
    for line in questions:
        try:
            heading, blobs = answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - told to who asked; the next question may be better
            heading, blobs = {"error": f"{type(error).__name__}: {error}"}, []
        heading["lengths"] = [len(blob) for blob in blobs]
        answers.write(json.dumps(heading).encode() + b"\n")
        for blob in blobs:
            answers.write(blob)
        answers.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
