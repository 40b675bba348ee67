"""Every file format: a module of this folder with a `FORMAT` in it; JSON and the picture beside them."""

from typing import Any

import api.horizon.formats
from api.core.file_formats import declared
from api.core.pipeline import JSON_FORMAT, Format
from api.horizon.formats.common import FileFormat
from api.horizon.profile import HorizonProfile, Tier

JSON = "json"

FORMATS: dict[str, FileFormat] = declared(api.horizon.formats)
"""File formats by the value of `format`."""


def names(tier: Tier) -> dict[str, str]:
    """Return the values of `format` that a level takes, by themselves and their aliases."""
    values = formats(tier)
    aliases = {alias: one.value for one in FORMATS.values() for alias in one.aliases}
    return {**dict(zip(values, values, strict=True)), **aliases}


def file_suffix(value: str) -> str:
    """Return what a file's name ends with before its extension."""
    return FORMATS[value].suffix if value in FORMATS else ""


def formats(tier: Tier) -> dict[str, Format]:
    """Return what a level answers with: JSON of its fields, files and the picture of its `HorizonProfile`."""
    files = {value: one for value, one in FORMATS.items() if tier in one.tiers}
    picture = Format("image/png", _pictured, ".png", inline=True, draw="api.horizon.picture:draw")
    return {JSON: JSON_FORMAT, **files, "png": picture}


def _pictured(profile: HorizonProfile) -> dict[str, Any]:
    from api.horizon.sun_paths import pictured  # see api/core/engines.py

    return pictured(profile)
