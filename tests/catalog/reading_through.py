"""Run as a program: reads one key through a folder, as a worker would, and prints what it got."""

import sys
from pathlib import Path

from catalog.readthrough import ReadThrough
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client
from tiles.clock import Clock


def main(folder: str, url: str) -> None:
    """Say that it asks, then ask."""
    client = make_client("solflis-test (test@example.com)")
    kept: ReadThrough[bytes] = ReadThrough(Path(folder), "test", Clock(), 10_000)
    print("asking", flush=True)
    print(
        kept.get("key", lambda *held: fetch("test", url, client, held[2], max_bytes=100), bytes, Deadline(20)).decode()
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
