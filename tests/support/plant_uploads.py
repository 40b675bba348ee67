"""A stand-in of the interpretation of files: rows as `2026-06-01T10:00:00Z;4.2` are kWh, and words say the rest."""

import time
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from api.core.settings import Settings
from api.data.plants.measurements import Hours
from api.data.plants.plant import Plant
from api.data.plants.uploads import Reading
from api.jobs.kinds import Kind
from api.jobs.run import Run
from api.plants import job
from api.plants.head import Head, Processed
from api.plants.problems import NOT_INTERPRETED

FINGERPRINT = "e" * 64
STAND_IN = {
    "plant_upload": Kind(f"{__name__}:run", seconds=60, kept=timedelta(minutes=5), runs=1, queued=20, apart=True)
}


def process(plant: Plant, file: bytes, head: Head, settings: Settings) -> Processed:
    """Read rows; `dager` is refused, `sakte` takes a second, `feil` fails the check, `varsel` warns."""
    words = [line for line in file.decode().splitlines() if ";" not in line]
    if "dager" in words:
        raise NOT_INTERPRETED(why="den har summer for hele dager.")
    if "sakte" in words:
        time.sleep(1)
    rows = [line.split(";") for line in file.decode().splitlines() if ";" in line]
    starts = np.array([int(datetime.fromisoformat(when).timestamp()) for when, _ in rows], np.int64)
    hours = Hours(starts, np.array([1000 * float(kwh) for _, kwh in rows]))
    status = "feil" if "feil" in words else "advarsel" if "varsel" in words else "ok"
    summary = {
        "fra": rows[0][0],
        "til": rows[-1][0],
        "timer": len(rows),
        "kwh_totalt": float(hours.wh.sum() / 1000),
        "andel_av_klarvaer": 0.5,
        "tyngdepunkt_avvik_timer": None,
    }
    is_known = FINGERPRINT in head.remembered
    content: dict[str, Any] = {
        "tolkning": {
            "beskrivelse": f"{head.filnavn}: {head.enhet or 'kWh'}, {head.tidssone or 'UTC'}"
            + "!" * (not head.korriger),
            "usikkerheter": [],
            "sikkerhet": 1.0,
            "kilde": "lagret tolkning" if is_known else "regelbasert",
            "detaljer": {
                "tid": {"format": "ymd", "tidssone": "fil", "stempel": head.stempel or "start"},
                "verdi": {"enhet": "kWh", "storrelse": "energi", "kolonner": [head.kolonne or "kWh"]},
                "intervall_min": 60,
            },
        },
        "endringer": [],
        "kontroll": {"status": status, "funn": [], "oppsummering": summary},
        "forhandsvisning": [],
    }
    return Processed(content, Reading(hours, FINGERPRINT, {"sheet": 0}), is_known and status == "ok")


def run(run: Run) -> None:
    """Run the job of an upload with it."""
    job.upload.process = process
    job.run(run)


def rows_of(*values: float, day: str = "2026-06-01", words: str = "") -> bytes:
    """Return a file of consecutive hours from 10 UTC."""
    rows = [f"{day}T{10 + number}:00:00Z;{value}" for number, value in enumerate(values)]
    return "\n".join([*rows, *words.split()]).encode()
