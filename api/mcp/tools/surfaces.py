"""The surfaces of a plant as tools take them: azimuth from south in all of them."""

from typing import Any

from api.data.surfaces import ANGLE, ASPECT, KWP, MOST
from api.mcp.tool import Fields


def _number(low_high: tuple[float, float], **default: float) -> dict[str, Any]:
    return {"type": "number", "minimum": low_high[0], "maximum": low_high[1], **default}


POWER = _number(KWP)
TILT = _number(ANGLE, default=35.0)
AZIMUTH = _number(ASPECT, default=0.0)
ARRAYS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST,
    "items": {
        "type": "object",
        "properties": {"peakpower": POWER, "angle": TILT, "aspect": AZIMUTH},
        "required": ["peakpower"],
    },
}


def angles(surface: Fields) -> tuple[float, float]:
    """Return tilt, and azimuth from south, of a surface, degrees."""
    return surface.get("angle", TILT["default"]), surface.get("aspect", AZIMUTH["default"])
