"""`/health` beside compressed bodies of 2.9 MB that would unpack to 3 GB, five times forty, ten at a time.

The bar: p99 at most 20 ms.
"""

import http.client
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests.bench.asking import Client, Paths, percentile
from tests.bench.serving import settings_of, versions
from tests.bench.timing import cpu_s
from tests.support.deflate import bomb

BODIES, AT_ONCE, ROUNDS = 40, 10, 5


def send(host: str, body: bytes, number: int) -> int:
    """Return the status that a body is answered; 0 where the connection ends without."""
    connection = http.client.HTTPConnection(host, timeout=60)
    headers = {"Content-Encoding": "deflate", "Content-Type": "application/json"}
    try:
        connection.request("POST", ("/api/forecast", "/nowhere")[number % 2], body, headers)
        return connection.getresponse().status
    except OSError:
        return 0


def send_all(host: str) -> None:
    """Send all bodies, and print what they are answered."""
    body = bomb()
    with ThreadPoolExecutor(AT_ONCE) as senders:
        print("answers:", sorted(set(senders.map(partial(send, host, body), range(BODIES * ROUNDS)))))


def measure(folder: Path, old: str = "") -> None:
    """Print the figures."""
    with versions(settings_of(folder), old) as servers:
        for label, server in servers.items():
            client = Client(server.url)
            took, before = client.ask_for(Paths(("/health",)), 2.0), cpu_s(server.pids[0])
            print(f"{label}alone: p50 {percentile(took, 0.5):.2f} ms, p99 {percentile(took, 0.99):.2f} ms")
            sending = get_context("spawn").Process(target=send_all, args=(server.url.removeprefix("http://"),))
            sending.start()
            took = []
            while sending.is_alive():
                took.append(client.ask("/health"))
            spent = cpu_s(server.pids[0]) - before
            print(
                f"{label}beside the bodies: p50 {percentile(took, 0.5):.2f} ms, p99 {percentile(took, 0.99):.2f} ms, "
                f"longest {max(took) * 1e3:.2f} ms, processor {spent:.2f} s"
            )
