"""The two search services of addresses and place names, with the simulator's registers.

with PlaceSearches() as service:
    Settings(..., urls={"kartverket_adresser": service.url})
"""

import orjson

from infra.simulator.addresses.serve import addresses, names
from tests.support.http_server import Request, Server, Status


class PlaceSearches(Server):
    """Threaded server on loopback; a context manager."""

    def __init__(self) -> None:
        super().__init__(self._answer_of)
        # what the registers are made with is imported now: an application hides parts of it while it starts
        addresses({"sok": "Oslo"})
        names({"sok": "Oslo"})

    def _answer_of(self, request: Request) -> Status:
        search = addresses if request.path.startswith("/adresser/v1/sok?") else names
        document = search({name: values[0] for name, values in request.query.items()})
        return Status(200, {"Content-Type": "application/json"}, orjson.dumps(document))
