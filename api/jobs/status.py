"""How far a job is, as the groups tell it whose callers poll."""

from typing import Any, Literal

from pydantic import Field

from api.core import fields
from api.jobs.queue import Job, Jobs
from tiles.clock import iso


class Status(fields.Closed):
    """A job."""

    jobb_id: str
    status: Literal["queued", "running", "done", "failed"]
    posisjon: int = Field(description="Place in the queue, from 1; 0 once it runs.")
    foran: int = Field(description="Jobs before it.")
    ventende_i_koen: int
    estimert_sekunder: int
    fremdrift: float = Field(ge=0, le=1)
    fase: str = Field(description="What is being done.")
    utloper: str = Field(description="Until when job and result are kept, ISO 8601 UTC.")
    feil: fields.Maybe[dict[str, Any]] = Field(None, description="`status`, `code` and `error` of a job that failed.")


async def status_of(jobs: Jobs, job: Job, typical: float) -> dict[str, Any]:
    """Return the fields of `Status`.

    Parameters
    ----------
    jobs : Jobs
    job : Job
    typical : float
        How long a job of its kind usually runs, s.
    """
    ahead, waiting = await jobs.place(job)
    status: dict[str, Any] = {
        "jobb_id": job.id,
        "status": job.state,
        "posisjon": ahead + 1 if job.state == "queued" else 0,
        "foran": ahead,
        "ventende_i_koen": waiting,
        "estimert_sekunder": 0 if job.has_ended else max(1, round(typical * (ahead + 1 - job.progress))),
        "fremdrift": job.progress,
        "fase": job.phrase,
        "utloper": iso(job.expires_at),
    }
    if job.state == "failed":
        error = job.error()
        status["feil"] = {"status": error.status, "code": error.problem.code, "error": error.text("nb")}
    return status
