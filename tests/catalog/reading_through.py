"""Run as a program: reads one key through a folder, as a worker would, and prints what it got."""

import sys
from pathlib import Path

from catalog.readthrough import ReadThrough
from catalog.sources.fetch import Answer, fetch
from catalog.sources.http import Deadline, make_client
from tiles.clock import Clock


def main(folder: str, url: str) -> None:
    """Wait for a line on stdin, then read."""
    client = make_client("solflis-test (test@example.com)")
    kept: ReadThrough[bytes] = ReadThrough(Path(folder), "test", Clock(), 10_000)

    def ask(etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
        return fetch("test", url, client, deadline, max_bytes=100, etag=etag, modified=modified)

    print("ready", flush=True)
    sys.stdin.readline()
    print(kept.get("key", ask, bytes, Deadline(20)).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
