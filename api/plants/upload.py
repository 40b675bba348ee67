"""How an uploaded file becomes an upload, and how hours are checked; in processes beside the API."""

from typing import Any

from api.core.settings import Settings
from api.data.plants.measurements import Hours
from api.data.plants.plant import Plant
from api.plants.head import Head, Processed


def process(plant: Plant, file: bytes, head: Head, settings: Settings) -> Processed:  # noqa: ARG001 -- to come
    """Read, interpret and check a file.

    Raises
    ------
    ApiError
        `UNREADABLE`, `NOT_INTERPRETED`.
    """
    raise NotImplementedError


def check_hours(plant: Plant, hours: Hours, settings: Settings) -> dict[str, Any]:  # noqa: ARG001 -- to come
    """Return the check of measurements of a day or more: `kontroll` with `status` and `funn` at least."""
    return {"status": "ok", "funn": []}
