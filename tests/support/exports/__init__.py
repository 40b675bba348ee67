"""Synthetic production exports with known truth: `make(seed)` gives a file, `judge(export, answer)` a verdict."""

from tests.support.exports.export import Answer, Export, Truth
from tests.support.exports.judge import Verdict, judge
from tests.support.exports.make import make

__all__ = ["Answer", "Export", "Truth", "Verdict", "judge", "make"]
