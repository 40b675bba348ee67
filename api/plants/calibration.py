"""Queueing of a plant's calibration."""

import logging

from aiohttp import web

from api.core.errors import ApiError
from api.core.resources import Resources
from api.jobs.queue import question_of

KIND = "plant_calibration"

log = logging.getLogger("solflis.api")


class Calibrations:
    """The queue of calibrations.

    Parameters
    ----------
    resources : Resources
    """

    def __init__(self, resources: Resources) -> None:
        self._jobs, self._secret, self._clients = resources.jobs, resources.secret, resources.clients

    async def queue(self, request: web.BaseRequest, plant_id: str, of: str) -> None:
        """Queue the calibration of a plant; one that cannot be queued is made at night.

        Parameters
        ----------
        request : Request
        plant_id : str
        of : str
            What it is of, such as an upload: the same is calibrated once.
        """
        client = self._secret.digest("client", self._clients.of(request))
        try:
            await self._jobs.ask(KIND, question_of(KIND, plant_id, of), plant_id.encode(), client, plant=plant_id)
        except ApiError as error:
            log.warning("a calibration is left to the night: %s", error.problem.code)
