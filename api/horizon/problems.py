"""The problems of the horizon endpoints."""

from api.core.errors import problem
from api.core.problems import NotBuilt

WITHIN_S = 10.0
"""For an answer of level 2; heights go on being fetched after it."""

PRECISE_WITHIN_S = 60.0
"""For an answer of level 3; its job goes on after it."""

OUTSIDE = problem("horizon.OUTSIDE")
LEVEL_1_ONLY = problem("horizon.LEVEL_1_ONLY")
NOT_PUBLISHED = problem("horizon.NOT_PUBLISHED", NotBuilt)
NO_TILE = problem("horizon.NO_TILE")
NOT_BUILT_THERE = problem("horizon.NOT_BUILT_THERE", NotBuilt)
ROOF_NOT_PUBLISHED = problem("horizon.ROOF_NOT_PUBLISHED", NotBuilt)
ROOF_NOT_BUILT = problem("horizon.ROOF_NOT_BUILT", NotBuilt)
NO_HEIGHTS = problem("horizon.NO_HEIGHTS")
NO_GROUND = problem("horizon.NO_GROUND")
BACKEND_FAILED = problem("horizon.BACKEND_FAILED")
PRECISE_SLOW = problem("horizon.BACKEND_SLOW", seconds=f"{PRECISE_WITHIN_S:g}")
TOO_MANY_MAILS = problem("horizon.TOO_MANY_MAILS")
JOB_GOES_ON = problem("horizon.JOB_GOES_ON", seconds=f"{PRECISE_WITHIN_S:g}")
BACKEND_SLOW = problem("horizon.BACKEND_SLOW", seconds=f"{WITHIN_S:g}")
