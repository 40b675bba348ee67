"""A worker for the tests of `infra.serve`: answers each connection with its process id.

`STUB=stubborn` ignores SIGTERM and has a child that does so too; `STUB=dying` ends at once; `STUB=leaving` leaves an
orphan behind, says which, and runs on; `STUB=spoilt` ends because of its settings when the file `spoilt` is there.
"""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path


def main() -> None:
    mood = os.environ.get("STUB")
    if mood == "dying":
        print("dying", flush=True)
        sys.exit(3)
    if mood == "spoilt" and Path("spoilt").exists():
        sys.exit(os.EX_CONFIG)
    if mood == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()",
            ]
        )
    if mood == "leaving":
        subprocess.run(["sh", "-c", "sleep 0.3 & echo orphan $!"], check=True)
    listener = socket.socket(fileno=int(sys.argv[sys.argv.index("--fd") + 1]))
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(str(os.getpid()).encode())


main()
