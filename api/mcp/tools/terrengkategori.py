"""`terrengkategori`: terrain category and terrain form around a site; a job that is waited for."""

import asyncio
import time

from api.mcp.texts import SIMULATED, degrees, first, joined, number, short, text
from api.mcp.tool import Api, Fields, Tool, ToolError

JOBS, JOB = "POST /api/terrain/jobs", "GET /api/terrain/jobs/{jobb_id}"
_SITE = ("lat", "lon", "hoyde_m", "v_b0")
_FIRST_LOOK_S, _LONGEST_PAUSE_S = 0.2, 2.0
_WAITING = ("queued", "running")


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    deadline = time.monotonic() + api.wait_s
    job_id = arguments.get("jobb_id")
    if (job_id is None and not {"lat", "lon"} <= arguments.keys()) or (job_id is not None and len(arguments) > 1):
        raise ToolError(text("errors", "site_or_job"))
    if job_id is None:
        job_id = (await api.post("/api/terrain/jobs", arguments))["jobb_id"]
    elif not job_id.isalnum():
        raise ToolError(text("errors", "job_id"))
    pause_s = _FIRST_LOOK_S
    while True:
        job = await _job(api, job_id)
        if job["status"] == "failed":
            raise ToolError(job["feil"]["error"])
        if job["status"] == "done" or time.monotonic() + pause_s > deadline:
            return {"": job}
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


async def _job(api: Api, job_id: str) -> Fields:
    try:
        return await api.get(f"/api/terrain/jobs/{job_id}", {})
    except ToolError as error:
        if error.status in (404, 410):
            raise ToolError(text("errors", "no_job")) from error
        raise


def _summary(parts: dict[str, Fields]) -> str:
    job = parts[""]
    if job["status"] in _WAITING:
        return joined(
            f"Beregningen er ikke ferdig. Kall terrengkategori igjen om {max(5, job['estimert_sekunder'])} sekunder "
            f"med jobb_id {job['jobb_id']} og ingen andre argumenter.",
            "Resultatet ligger i 15 minutter etter at det er ferdig.",
        )
    site = job["resultat"]
    result = site["resultat"]
    where = degrees(site["lat"], site["lon"])
    shares = ", ".join(f"{name} i {count}" for name, count in result["kategorier"].items() if count)
    worst = result["dimensjonerende_sektor"]
    unsure = sum(not one["sikkerhet"]["sikker"] for one in site["sektorer"])
    return joined(
        f"Av 72 sektorer rundt {where} er terrengkategorien {shares}."
        if shares
        else f"Arealdekket rundt {where} er ikke kjent.",
        f"Største terrengformfaktor c_o er {number(result['c_o_maks'], 2)}.",
        _wind(site["sektorer"][worst - 1], site["hoyde_m"]) if worst else "",
        f"{unsure} sektorer er usikre." if unsure else "",
        first(
            (site["data_origin"] == "simulated", SIMULATED),
            (True, "Beslutningsstøtte i beta: ansvarlig prosjekterende kontrollerer."),
        ),
        "Kilde: Kartverket og NIBIO, etter NS-EN 1991-1-4.",
    )


def _wind(sector: Fields, height_m: float) -> str:
    """Return the wind of the sector that decides."""
    wind = sector["vind"]
    pressure = f" og vindkasttrykket q_p {number(wind['q_p_pa'])} Pa" if wind["q_p_pa"] is not None else ""
    return (
        f"Dimensjonerende er vind fra {number(sector['retning_deg'])}° (kategori {sector['kategori']}): "
        f"i {short(height_m)} m høyde er c_e {number(wind['c_e'], 2)}{pressure}."
    )


TOOL = Tool(
    name="terrengkategori",
    answers={"": JOB},
    fetch=_fetch,
    summarise=_summary,
    takes={JOBS: _SITE},
    own={"jobb_id": {"type": "string", "maxLength": 64}},
    required=(),
)
