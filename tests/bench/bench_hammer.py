"""64 clients on one address through 4 workers, on SQLite and on PostgreSQL: exactly 24 requests are granted."""

import asyncio
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

from tests.support.database import Postgres, in_url
from tests.support.hammer import CLIENTS, POINT, hammer
from tests.support.tiles import CYCLE, publish_made_up
from tests.support.worker import until, workers
from tiles.clock import iso
from tiles.store import open_store

WORKERS = 4


async def answers(url: str, rounds: int) -> list[tuple[Counter[int], float]]:
    """Return the answers of each round by status, and how long it took, s; each round has an address of its own."""
    results = []
    for n in range(rounds):
        begun = time.perf_counter()
        got = await hammer([url], f"198.51.{n // 256}.{n % 256}")
        results.append((Counter(one.status for one in got), time.perf_counter() - begun))
    return results


def measure(folder: Path, rounds: int = 50) -> None:
    """Print the figures."""
    store = open_store(str(folder / "tiles"))
    publish_made_up(store, CYCLE)
    clock = f"{iso(CYCLE + timedelta(hours=1))}!"
    with ExitStack() as stack:
        server = Postgres(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pg"))))
        stack.callback(server.stop)
        for name, address in (
            ("SQLite", f"sqlite:///{folder / 'solflis.sqlite'}"),
            ("PostgreSQL", in_url(server.make())),
        ):
            counting = {"ACCESS": "keys", "DATABASE": address}
            with workers(WORKERS, store.url, folder / name, clock, folder / f"{name}.log", **counting) as running:
                until(running.url, POINT, 200)
                results = asyncio.run(answers(running.url, rounds))
            granted = Counter(statuses[200] for statuses, _ in results)
            others = Counter(status for statuses, _ in results for status in statuses.elements())
            seconds = sorted(s for _, s in results)[rounds // 2]
            print(
                f"{name}: {CLIENTS} clients, {WORKERS} workers, {rounds} rounds: granted {dict(granted)} "
                f"(bar: 24 each time); all answers {dict(others)}; a round {seconds:.2f} s"
            )
