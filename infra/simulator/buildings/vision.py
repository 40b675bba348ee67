"""A vision model: `POST /vision/v1/chat/completions`, which knows the building and errs as documented.

It looks at no pixel but the picture's size: the prompt tells bounds and centre in UTM 33. Of each building it always
says the same: another form for 1 in 15 (and confidence 0.55 for 0.9), another material for 1 in 20, the wrong answer
about panels for 1 in 30; the tilt is off by up to 4 degrees, corners by up to a pixel, and 1 in 10 objects is missed.
"""

import asyncio
import base64
import re
import struct
from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EXECUTOR
from infra.simulator.small import with_faults

if TYPE_CHECKING:
    from infra.simulator.buildings.record import Building

ROUTE = "/vision/v1/chat/completions"
MODEL = "simulated-vision"
WRONG_FORM, WRONG_MATERIAL, WRONG_PANELS, MISSED = 1 / 15, 1 / 20, 1 / 30, 0.1
TILT_ERROR_DEGREES, CORNER_ERROR_PIXELS = 4.0, 1.0
SURE, UNSURE = 0.9, 0.55
_PROSE = "I see a house with a nice roof, but I would rather describe it in my own words."
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BOUNDS = re.compile(rf"bounds_utm33:\s*{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}")
_CENTRE = re.compile(rf"centre_utm33:\s*{_NUMBER}\s+{_NUMBER}")
_DATA_URI = re.compile(r"data:image/png;base64,(.+)", re.DOTALL)


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a completion."""
    try:
        question = orjson.loads(await request.read())
        parts = {part["type"]: part for part in question["messages"][-1]["content"]}
        schema = question["response_format"]["type"]
        bounds, centre = (
            found.groups() for each in (_BOUNDS, _CENTRE) if (found := each.search(parts["text"]["text"]))
        )
        picture = _DATA_URI.fullmatch(parts["image_url"]["image_url"]["url"])
        size = struct.unpack(">II", base64.b64decode(picture[1])[16:24]) if picture else ()
        if schema != "json_schema" or not size:
            raise ValueError
    except (ValueError, KeyError, TypeError, IndexError, struct.error):
        what = "one PNG as data URI, bounds_utm33, centre_utm33 and a json_schema are wanted"
        return web.json_response({"error": {"message": what, "type": "invalid_request_error"}}, status=400)
    numbers = [float(value) for value in (*bounds, *centre)]
    look = asyncio.get_running_loop().run_in_executor(EXECUTOR, _answer, numbers, size)
    content = _PROSE if rule is not None and rule.mode == "prose" else orjson.dumps(await look).decode()
    message = {"role": "assistant", "content": content}
    completion = {
        "id": "chatcmpl-simulated", "object": "chat.completion", "model": MODEL, "data_origin": "simulated",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }  # fmt: skip
    return web.Response(body=orjson.dumps(completion), content_type="application/json")


def _answer(numbers: list[float], size: tuple[int, int]) -> dict[str, Any]:
    """Return what is said of the building at the centre: `numbers` are bounds and centre."""
    from infra.simulator.buildings.record import building_at  # only here: the server starts without numpy

    building = building_at(*numbers[4:])
    if building is None:
        nothing = {"form": "ukjent", "tilt_deg": None, "material": "ukjent"}
        return {**nothing, "existing_panels": False, "obstacles": [], "confidence": 0.0}
    return _description(building, numbers, size)


def _description(building: "Building", numbers: list[float], size: tuple[int, int]) -> dict[str, Any]:
    import numpy as np

    from infra.simulator.buildings.lots import FORMS, MATERIALS
    from infra.simulator.buildings.record import objects_of
    from infra.simulator.heights.noise import uniform

    number = building.number

    def draw(seed: int, *more: int) -> float:
        return float(uniform(seed, number & 0xFFFFFFFF, number >> 32, *more))

    def other(names: tuple[str, ...], name: str, is_wrong: bool) -> str:
        return names[(names.index(name) + 1) % len(names)] if is_wrong else name

    west, _, _, north = numbers[:4]
    pixel = (numbers[2] - west) / size[0], (numbers[1] - north) / size[1]
    things = objects_of(building)
    obstacles = []
    for k, thing in enumerate(things):
        corners = (thing.corners - (west, north)) / pixel
        inside = ((corners >= 0) & (corners <= size)).all()
        if inside and draw(301, k) >= MISSED:
            off = np.array([[draw(302, k, i, j) for j in range(2)] for i in range(len(corners))])
            corners = np.clip(corners + CORNER_ERROR_PIXELS * (2 * off - 1), 0, size)
            obstacles.append({"kind": thing.kind, "polygon": corners.round(1).tolist()})
    is_wrong = draw(303) < WRONG_FORM
    panels = any(thing.kind == "solceller" for thing in things)
    tilt = building.tilt + TILT_ERROR_DEGREES * (2 * draw(304) - 1) * (building.tilt > 0)
    return {
        "form": other(FORMS, building.form, is_wrong),
        "tilt_deg": round(max(0.0, tilt), 1),
        "material": other(MATERIALS, building.material, draw(305) < WRONG_MATERIAL),
        "existing_panels": panels != (draw(306) < WRONG_PANELS),
        "obstacles": obstacles,
        "confidence": UNSURE if is_wrong else SURE,
    }
