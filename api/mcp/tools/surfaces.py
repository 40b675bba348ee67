"""The surfaces of a plant as tools take them: azimuth from south in all of them."""

from typing import Any

from api.mcp.tool import Fields

MOST = 4
KWP: dict[str, Any] = {"type": "number", "minimum": 0.05, "maximum": 100_000}
ANGLE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 90, "default": 35}
ASPECT: dict[str, Any] = {"type": "number", "minimum": -180, "maximum": 180, "default": 0}
ARRAYS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST,
    "items": {
        "type": "object",
        "properties": {"peakpower": KWP, "angle": ANGLE, "aspect": ASPECT},
        "required": ["peakpower"],
    },
}


def angles(surface: Fields) -> tuple[float, float]:
    """Return tilt, and azimuth from south, of a surface, degrees."""
    return surface.get("angle", ANGLE["default"]), surface.get("aspect", ASPECT["default"])
