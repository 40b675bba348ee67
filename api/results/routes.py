"""`GET /api/results/{job}/{file}`: files of results."""

from api.core import problems
from api.core.resources import Resources
from api.core.routing import Route
from api.jobs.links import EXPIRED_LINK, INVALID_LINK, PATH
from api.results.schemas import LinkQuery
from api.results.service import MEDIA, ResultsService

TAG = "Results"


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = ResultsService(resources)
    media = tuple(one.partition(";")[0] for one in MEDIA.values())
    return (
        Route(
            "GET",
            PATH,
            service.file,
            path_parameters={"job": "From the answer that gave the link.", "file": "Name of the file."},
            query=LinkQuery,
            media_type=media[0],
            other_media=media[1:],
            headers=(("X-Data-Origin", "`live`; `simulated` if any input is."),),
            problems=(INVALID_LINK, EXPIRED_LINK, problems.NO_JOBS),
        ),
    )
