"""Faults on request: which paths misbehave, how, and how often."""

import os
import random
import time
import uuid
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, get_args

Mode = Literal[
    "error", "notfound", "truncate", "stale", "slow", "garbage", "empty", "reset", "wronggrid",
    "exception", "spike", "holes",
    "error_body", "missing", "centimetres", "short",
]  # fmt: skip
# What only heights can be, and only snow.
OF_HEIGHTS = ("exception", "spike", "holes")
OF_SNOW = ("error_body", "missing", "centimetres", "short")
_ONLY = {**dict.fromkeys(OF_HEIGHTS, "/kartverket_wcs/"), **dict.fromkeys(OF_SNOW, "/nve_gts/")}


class RuleError(ValueError):
    """A rule that is not understood; the text says why."""


@dataclass
class Rule:
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
    """

    path: str
    mode: Mode
    times: int | None = None
    status: int = 500
    retry_after: int | None = None
    seconds: float = 30.0
    hours: int = 6
    fraction: float = 0.5
    how: Literal["connection", "file"] = "connection"

    @classmethod
    def parse(cls, body: Any) -> "Rule":
        """Read a rule from decoded JSON.

        Raises
        ------
        RuleError
            It is none.
        """
        if not isinstance(body, dict) or not {"path", "mode"} <= set(body):
            raise RuleError('a rule is an object with at least "path" and "mode"')
        unknown = set(body) - {field.name for field in fields(cls)}
        if unknown:
            raise RuleError(f"unknown: {', '.join(sorted(unknown))}")
        rule = cls(**body)
        whole = (rule.status, rule.hours, *(n for n in (rule.times, rule.retry_after) if n is not None))
        checks = {
            "path is a text": isinstance(rule.path, str),
            f"mode is one of {', '.join(get_args(Mode))}": rule.mode in get_args(Mode),
            "times, status, hours and retry_after are whole numbers": all(type(number) is int for number in whole),
            "seconds and fraction are numbers": all(
                type(number) in (int, float) for number in (rule.seconds, rule.fraction)
            ),
            "how is connection or file": rule.how in ("connection", "file"),
        }
        for wanted, holds in checks.items():
            if not holds:
                raise RuleError(wanted)
        if not (_is_status(rule) and rule.hours > 0 and rule.seconds >= 0 and 0 <= rule.fraction < 1):
            raise RuleError("status is 400-599, hours > 0, seconds >= 0, fraction in 0-1 and below 1")
        if not rule.path.startswith(only := _ONLY.get(rule.mode, "")):
            raise RuleError(f"mode {rule.mode} is for a path that begins with {only}")
        if rule.times is not None and rule.times < 1:
            raise RuleError("times is at least 1, or null")
        return rule

    def as_json(self) -> dict[str, Any]:
        """Return the rule as it is now."""
        return asdict(self)


def _is_status(rule: Rule) -> bool:
    return 400 <= rule.status <= 599 or (rule.mode == "error_body" and rule.status == 200)


class Rules:
    """The rules in force, oldest first; the first that matches a request is the one it meets."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []

    def add(self, rule: Rule) -> None:
        """Put a rule in force."""
        self._rules.append(rule)

    def clear(self) -> None:
        """Behave well again."""
        self._rules.clear()

    def all(self) -> list[Rule]:
        """Return the rules in force."""
        return list(self._rules)

    def meet(self, path: str) -> Rule | None:
        """Return the rule that a request meets, and count it."""
        for rule in self._rules:
            if fnmatchcase(path, rule.path):
                if rule.times is not None:
                    rule.times -= 1
                    if rule.times == 0:
                        self._rules.remove(rule)
                return rule
        return None


def damaged(good: Path, rule: Rule) -> Path:
    """Return a spoilt copy of a file: shorter, of another grid, noise, or empty.

    It lies beside the good file and is as lasting; its modification time, and so its ETag, are its own.
    """
    copy = good.with_name(f"{good.stem}_{rule.mode}{rule.fraction if rule.mode == 'truncate' else ''}.nc")
    if copy.exists():
        return copy
    data = good.read_bytes()
    if rule.mode == "truncate":
        data = data[: int(len(data) * rule.fraction)]
    elif rule.mode == "garbage":
        data = random.Random(len(data)).randbytes(min(len(data), 1 << 20))  # noqa: S311 - noise, no secret
    elif rule.mode == "empty":
        data = b""
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
