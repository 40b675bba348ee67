"""Every figure of the issues' tables: `make bench`, or `python -m tests.bench [NAME ...] [--OPTION VALUE ...]`.

An option is a keyword of `measure` of the benches that have it: `http --seconds 1`, `hammer --rounds 5`,
`pv_http --old CHECKOUT` (old and new code in one run; the old is set up in its own checkout). `disk` runs only by
name: it takes 25 minutes and 24 GB of disk.

These machines are noisy: run it on a quiet one, and compare ratios of one run rather than seconds of two.
"""

import argparse
import inspect
import subprocess
import sys
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path

ROUTES = ("horizon_http", "pv_http", "snow_http", "snowload_http", "tmy_http")
BENCHES = sorted([*ROUTES, *(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))])
ON_REQUEST = {"disk"}


def measure(name: str, options: dict[str, str]) -> int:
    """Run a bench in this process, with those of the options that it has; return the exit code."""
    module = import_module("tests.bench.routes" if name in ROUTES else f"tests.bench.bench_{name}")
    work = partial(module.measure, name) if name in ROUTES else module.measure
    known = {key: value.default for key, value in inspect.signature(work).parameters.items() if key in options}
    with tempfile.TemporaryDirectory() as folder:
        return int(work(Path(folder), **{key: type(default)(options[key]) for key, default in known.items()}) or 0)


def main() -> int:
    """Run them one after the other, each in a process of its own; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHES], metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments, more = parser.parse_known_args()
    if arguments.here:
        return measure(
            arguments.names[0], {key.strip("-"): value for key, value in zip(more[::2], more[1::2], strict=True)}
        )
    failed = []
    for name in arguments.names or [name for name in BENCHES if name not in ON_REQUEST]:
        print(f"--- {name}", flush=True)
        if subprocess.run([sys.executable, "-m", "tests.bench", name, "--here", *more], check=False).returncode != 0:
            failed.append(name)
    if failed:
        print(f"these did not finish: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
