"""The problems of the roof endpoints."""

from api.core.errors import problem

SYNC_S, QUEUED_S = 90.0, 120.0
"""For an answer of `POST /api/roof/layout`; for a job of the queue, from when it was asked for."""

PASSWORD_REQUIRED = problem("roof.PASSWORD_REQUIRED")
PASSWORD_WRONG = problem("roof.PASSWORD_WRONG")
NO_BUILDING = problem("roof.NO_BUILDING")
BUILDING_TOO_LARGE = problem("roof.BUILDING_TOO_LARGE")
BACKEND_FAILED = problem("roof.BACKEND_FAILED")
REGISTER_FAILED = problem("roof.REGISTER_FAILED")
TIMEOUT = problem("roof.TIMEOUT", seconds=f"{SYNC_S:g}")
QUEUE_TIMEOUT = problem("roof.QUEUE_TIMEOUT", seconds=f"{QUEUED_S:g}")
NOT_FOUND = problem("roof.NOT_FOUND")
NO_DRAWING = problem("roof.NO_DRAWING")
EXPIRED = problem("roof.EXPIRED")
NOT_READY = problem("roof.NOT_READY")
