"""Faults on request: which paths misbehave, how, and how often."""

import os
import random
import time
import uuid
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Mode = Literal[
    "error", "notfound", "truncate", "stale", "slow", "garbage", "empty", "reset", "wronggrid",
    "exception", "spike", "holes",
    "error_body", "missing", "centimetres", "short",
    "lonlat", "cut", "none", "prose",
]  # fmt: skip
OF_SNOW = ("error_body", "missing", "centimetres", "short")
_HEIGHTS, _BUILDINGS, _MAPS = ("/kartverket_wcs/",), ("/bygning",), ("/kartverket_wcs/", "/ar5", "/corine")
_POLYGONS, _PICTURES = ("/ar50", *_BUILDINGS), ("/ortofoto",)
# What only some sources can be.
_ONLY = {"spike": _HEIGHTS, "lonlat": _POLYGONS, "cut": _POLYGONS, "none": _BUILDINGS, "prose": ("/vision/",)}
_ONLY |= {"holes": _MAPS, "exception": (*_MAPS, *_BUILDINGS, *_PICTURES)}
_ONLY |= dict.fromkeys(OF_SNOW, ("/nve_gts/",))


class Rule(BaseModel):
    """One fault.

    Parameters
    ----------
    path : str
        Glob of the paths that misbehave; `*` matches `/` too.
    mode : str
        What they do.
    times : int, optional
        How many requests (HEAD counts) misbehave; None for all until the rule is deleted.
    status : int
        The answer of the modes `error` and `error_body`; 200 is for the latter alone.
    retry_after : int, optional
        Seconds in the header `Retry-After` of mode `error`.
    seconds : float
        How long mode `slow` waits before it answers.
    hours : int
        How much older the cycle is that mode `stale` answers.
    fraction : float
        The share of the bytes that mode `truncate` leaves, 0-1.
    how : str
        Mode `truncate`: `connection` promises all bytes asked for and breaks off; `file` is a shorter file.

    Raises
    ------
    ValueError
        It is none; the text says why.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    path: str
    mode: Mode
    times: int | None = Field(None, ge=1)
    status: int = Field(500, le=599)
    retry_after: int | None = None
    seconds: float = Field(30.0, ge=0)
    hours: int = Field(6, ge=1)
    fraction: float = Field(0.5, ge=0, lt=1)
    how: Literal["connection", "file"] = "connection"

    @model_validator(mode="after")
    def _is_possible(self) -> "Rule":
        if self.status < 400 and (self.mode, self.status) != ("error_body", 200):
            raise ValueError("status is 400-599")
        if not self.path.startswith(only := _ONLY.get(self.mode, ("",))):
            raise ValueError(f"mode {self.mode} is for a path that begins with {' or '.join(only)}")
        return self


class Rules(list[Rule]):
    """The rules in force, oldest first; the first that matches a request is the one it meets."""

    def meet(self, path: str) -> Rule | None:
        """Return the rule that a request meets, and count it."""
        for rule in self:
            if fnmatchcase(path, rule.path):
                if rule.times is not None:
                    rule.times -= 1
                    if rule.times == 0:
                        self.remove(rule)
                return rule
        return None


def spoilt(data: bytes, rule: Rule) -> bytes:
    """Return bytes as the modes `truncate`, `garbage` and `empty` have them; of other modes as they are."""
    if rule.mode == "truncate":
        return data[: int(len(data) * rule.fraction)]
    if rule.mode == "garbage":
        return random.Random(len(data)).randbytes(min(len(data), 1 << 20))  # noqa: S311 - noise, no secret
    return b"" if rule.mode == "empty" else data


def damaged(good: Path, rule: Rule) -> Path:
    """Return a spoilt copy of a file: shorter, of another grid, noise, or empty.

    It lies beside the good file and is as lasting; its modification time, and so its ETag, are its own.
    """
    copy = good.with_name(f"{good.stem}_{rule.mode}{rule.fraction if rule.mode == 'truncate' else ''}.nc")
    if copy.exists():
        return copy
    data = spoilt(good.read_bytes(), rule)
    temporary = copy.with_name(f".{copy.name}.{uuid.uuid4().hex}")
    temporary.write_bytes(data)
    if rule.mode == "wronggrid":
        import h5py  # only here: the server starts without it

        with h5py.File(temporary, "r+") as file:
            axis, off = ("x", 100_000) if "x" in file else ("lon", 2)  # m, degrees
            file[axis][...] = file[axis][...] + off
    moved = good.stat().st_mtime + 1
    os.utime(temporary, (time.time(), moved))
    return temporary.replace(copy)
