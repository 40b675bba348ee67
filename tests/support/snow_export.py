"""The snow authority's own export of a real winter, read in the plainest way."""

from datetime import date
from pathlib import Path

REAL = "snow/senorge_swe_bratsberg_1957-58.csv"


def by_stamp(path: Path) -> dict[date, float]:
    """The values as they stand, 65535 for missing, by the date of their stamp at 06 UTC."""
    rows = [line.split(";") for line in path.read_text("utf-8").splitlines()[2:] if line.strip()]
    return {date(*reversed([int(n) for n in stamp[:10].split(".")])): float(v.replace(",", ".")) for stamp, v in rows}
