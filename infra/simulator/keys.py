"""What the parts of the simulator's application share."""

from aiohttp import web

from infra.simulator.misbehave import Rules
from tiles.clock import Clock

RULES = web.AppKey("RULES", Rules)
CLOCK = web.AppKey("CLOCK", Clock)
