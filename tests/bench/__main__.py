"""Every figure of the issues' tables: `make bench`, or `python -m tests.bench [NAME ...]`; `disk` runs only by name.

These machines are noisy: run it on a quiet one, and compare ratios of one run rather than seconds of two.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

# Made once and kept: a file of 2 GB that takes a minute to make.
NATIONAL = Path(tempfile.gettempdir()) / "solflis-bench" / "met_forecast_1_0km_nordic_20260620T00Z.nc"
BENCHES = {
    "national": ["tests.bench.bench_national", str(NATIONAL)],
    "http": ["tests.bench.bench_http"],
    "access": ["tests.bench.bench_access"],
    "production": ["tests.bench.bench_production"],
    "first_call": ["tests.bench.bench_first_call"],
    "hammer": ["tests.bench.bench_hammer"],
    "publish": ["tests.bench.bench_publish"],
    "publish_many": ["tests.bench.bench_publish_many"],
    "kernels": ["tests.bench.bench_kernels"],
    "nowcast": ["tests.bench.bench_nowcast"],
    "correction": ["tests.bench.bench_correction"],
    "climate_archive": ["tests.bench.bench_climate_archive"],
    "tmy": ["tests.bench.bench_tmy"],
    "pv": ["tests.bench.bench_pv"],
    "snow": ["tests.bench.bench_snow"],
    "snow_daily": ["tests.bench.bench_snow_daily"],
    "snowload": ["tests.bench.bench_snowload"],
    "tmy_formats": ["tests.bench.bench_tmy_formats"],
    "tmy_http": ["tests.bench.bench_tmy_http"],
    "pv_http": ["tests.bench.bench_pv_http"],
    "horizon": ["tests.bench.bench_horizon"],
    "dask": ["tests.bench.bench_dask"],
    "disk": ["tests.bench.bench_disk"],
    "horizon_http": ["tests.bench.bench_horizon_http"],
    "rooftop_http": ["tests.bench.bench_rooftop_http"],
    "snow_http": ["tests.bench.bench_snow_http"],
    "snowload_http": ["tests.bench.bench_snowload_http"],
}
ON_REQUEST = {"disk"}
"""Takes 25 minutes and 24 GB of disk: runs only where it is named."""


def main() -> int:
    """Run them one after the other, each in a process of its own; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *BENCHES], help=", ".join(BENCHES))
    names = parser.parse_args().names or [name for name in BENCHES if name not in ON_REQUEST]
    failed = []
    for name in names:
        print(f"--- {name}", flush=True)
        if name == "national" and not NATIONAL.exists():
            NATIONAL.parent.mkdir(exist_ok=True)
            making = NATIONAL.with_suffix(".part")
            run(["tests.bench.make_national_cycle", str(making)])
            making.rename(NATIONAL)
        if run(BENCHES[name]) != 0:
            failed.append(name)
    if failed:
        print(f"these did not finish: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def run(arguments: list[str]) -> int:
    """Run a module of this folder."""
    return subprocess.run([sys.executable, "-m", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
