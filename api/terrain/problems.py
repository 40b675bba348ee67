"""The problems of the terrain endpoints."""

from api.core.errors import problem

WITHIN_S = 60.0
"""For an answer of `POST /api/terrain/category`; its job goes on after it."""

NOT_ON_LAND = problem("terrain.NOT_ON_LAND")
BACKEND_FAILED = problem("terrain.BACKEND_FAILED")
TIMEOUT = problem("terrain.TIMEOUT", seconds=f"{WITHIN_S:g}")
NOT_FOUND = problem("terrain.NOT_FOUND")
EXPIRED = problem("terrain.EXPIRED")
NOT_READY = problem("terrain.NOT_READY")
