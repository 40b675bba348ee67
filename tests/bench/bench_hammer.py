"""64 clients on one anonymous address through 4 workers, on SQLite and on PostgreSQL: how many requests are granted.

`python -m tests.bench.bench_hammer [--rounds 50]`: exactly 24, each time.
"""

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

from tests.support.database import Postgres, in_url
from tests.support.hammer import CLIENTS, POINT, hammer
from tests.support.tiles import CYCLE, publish_made_up
from tests.support.worker import until, workers
from tiles.clock import iso
from tiles.store import open_store

WORKERS = 4


@contextmanager
def databases(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the addresses of an empty database of each kind."""
    with ExitStack() as stack:
        server = Postgres(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pg"))))
        stack.callback(server.stop)
        yield {"SQLite": f"sqlite:///{folder / 'solflis.sqlite'}", "PostgreSQL": in_url(server.make())}


async def rounds(url: str, number: int) -> list[tuple[Counter[int], float]]:
    """Return the answers of each round by status, and how long it took, s; each round has an address of its own."""
    results = []
    for n in range(number):
        begun = time.perf_counter()
        answers = await hammer([url], f"198.51.{n // 256}.{n % 256}")
        results.append((Counter(got.status for got in answers), time.perf_counter() - begun))
    return results


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    number = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        store = open_store(str(folder / "tiles"))
        publish_made_up(store, CYCLE)
        clock = f"{iso(CYCLE + timedelta(hours=1))}!"
        with databases(folder) as addresses:
            for name, address in addresses.items():
                counting = {"ACCESS": "keys", "DATABASE": address}
                with workers(WORKERS, store.url, folder / name, clock, folder / f"{name}.log", **counting) as running:
                    until(running.url, POINT, 200)
                    results = asyncio.run(rounds(running.url, number))
                granted = Counter(statuses[200] for statuses, _ in results)
                others = Counter(status for statuses, _ in results for status in statuses.elements())
                seconds = sorted(s for _, s in results)[number // 2]
                print(
                    f"{name}: {CLIENTS} clients, {WORKERS} workers, {number} rounds: granted {dict(granted)} "
                    f"(bar: 24 each time); all answers {dict(others)}; a round {seconds:.2f} s"
                )


if __name__ == "__main__":
    main()
