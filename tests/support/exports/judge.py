"""Compares an interpreter's answer with the truth of a made export."""

import numpy as np

from tests.support.exports.clock import HOUR
from tests.support.exports.export import DAILY, HOURS, NOT_PRODUCTION, Answer, Export, Truth

SEVERE = ("advarsel", "feil")
# Intervals up to a quarter of an hour may be placed a quarter of an hour off: the sun cannot tell.
SHIFTS_MIN = (0, 5, -5, 10, -10, 15, -15)


class Verdict(str):
    """One of right, asked, refused, silently_wrong, needlessly_refused; with the reason, for grouping and reading."""

    __slots__ = ("blocked", "hours_right", "reason")

    reason: str
    hours_right: bool
    blocked: bool

    def __new__(cls, kind: str, reason: str, hours_right: bool = False, blocked: bool = False) -> "Verdict":
        verdict = super().__new__(cls, kind)
        verdict.reason, verdict.hours_right, verdict.blocked = reason, hours_right, blocked
        return verdict


def judge(export: Export, answer: Answer) -> Verdict:
    """Return the verdict on an answer.

    A question makes an answer "asked" even where its hours are right (`hours_right` tells): the bar counts files read
    at once. A finding of severity feil beside right hours leaves it "right" with `blocked` set.
    """
    truth = export.truth
    severe = [str(f.get("kode")) for f in answer.findings if f.get("alvor") in SEVERE]
    blocked = any(f.get("alvor") == "feil" for f in answer.findings)
    if answer.refusal is not None or answer.hours is None:
        return _refusal(truth, answer)
    if truth.outcome == DAILY:
        if answer.questions or blocked:
            return Verdict("asked", "daily sums: asked or blocked, not refused", blocked=blocked)
        return Verdict("silently_wrong", "daily sums became hours")
    if truth.outcome == NOT_PRODUCTION:
        if "ikke_produksjon" in severe:
            return Verdict("right", "told that it is not production", blocked=blocked)
        if answer.questions or severe:
            return Verdict("asked", f"not production: {answer.questions or severe}", blocked=blocked)
        return Verdict("silently_wrong", "took what is not production for production")
    difference = compare(truth, answer.hours)
    if not difference:
        if answer.questions:
            return Verdict("asked", f"hours right, but asked: {answer.questions}", hours_right=True, blocked=blocked)
        lucky = f"not asked about {', '.join(sorted(truth.must_ask))}" if truth.must_ask else ""
        return Verdict("right", lucky, hours_right=True, blocked=blocked)
    if answer.questions or severe:
        return Verdict("asked", f"{difference}; {answer.questions or severe}", blocked=blocked)
    return Verdict("silently_wrong", difference)


def _refusal(truth: Truth, answer: Answer) -> Verdict:
    reason = answer.refusal or "no hours"
    if truth.outcome in (DAILY, NOT_PRODUCTION):
        return Verdict("right", reason)
    if answer.refusal is None and answer.questions:
        return Verdict("asked", f"no hours, but asked: {answer.questions}")
    if truth.must_ask:
        return Verdict("refused", reason)
    return Verdict("needlessly_refused", reason)


def compare(truth: Truth, hours: dict[int, float]) -> str:
    """Return how the hours differ from the truth, "" where they agree."""
    assert truth.outcome == HOURS
    if any(start % HOUR for start in hours):
        return "an hour does not begin on the hour"
    if not all(np.isfinite(value) for value in hours.values()):
        return "an hour is not a number"
    reasons = [_difference(truth, truth.hours, hours)]
    if truth.steps is not None and truth.interval_min <= 15:
        reasons += [_difference(truth, _shifted(truth, minutes), hours) for minutes in SHIFTS_MIN[1:] if reasons[0]]
    return "" if "" in reasons else reasons[0]


def _shifted(truth: Truth, minutes: int) -> dict[int, float]:
    """Return the truth's hours where each interval is placed some minutes later."""
    assert truth.steps is not None
    starts, kwh = truth.steps
    # An interval that then reaches over the hour is shared between both.
    begin, length = starts + minutes * 60, truth.interval_min * 60
    first = begin - begin % HOUR
    over = np.clip((begin + length - first - HOUR) / length, 0, 1)
    hours: dict[int, float] = dict.fromkeys(truth.hours, 0.0)
    for hour, value, share in zip(first.tolist(), kwh.tolist(), over.tolist(), strict=True):
        hours[hour] = hours.get(hour, 0.0) + value * (1 - share)
        if share:
            hours[hour + HOUR] = hours.get(hour + HOUR, 0.0) + value * share
    return hours


def _difference(truth: Truth, expected: dict[int, float], hours: dict[int, float]) -> str:
    keys = sorted((expected.keys() | hours.keys()) - truth.soft)
    edges = {min(truth.hours), max(truth.hours)} if truth.hours else set()
    edges |= {edge + step for edge in edges for step in (-HOUR, HOUR)}
    keys = [key for key in keys if key not in edges]
    if not keys:
        return ""
    want = np.array([max(expected.get(key, 0.0), 0.0) for key in keys])
    got = np.array([max(hours.get(key, 0.0), 0.0) for key in keys])
    total, peak = want.sum(), want.max()
    slack = truth.total_slack_kwh
    if abs(got.sum() - total) > 0.005 * total + slack + 1e-6:
        return f"{got.sum():.3f} kWh for {total:.3f}"
    tolerance = 0.02 * want + 0.004 * peak + truth.hour_slack_kwh + 1e-6
    weight = np.maximum(want, got)
    wrong = np.abs(got - want) > tolerance
    if weight.sum() > 0 and weight[wrong].sum() > 0.02 * weight.sum():
        worst = int(np.argmax(np.abs(got - want)))
        example = f"hour {keys[worst]}: {got[worst]:.3f} for {want[worst]:.3f}"
        return f"{wrong.sum()} of {len(keys)} hours, {_lag(want, got)}; {example}"
    soft_want = sum(expected.get(key, 0.0) for key in truth.soft)
    soft_got = sum(hours.get(key, 0.0) for key in truth.soft)
    if soft_got > 1.6 * soft_want + 0.1 * total + truth.hour_slack_kwh * max(len(truth.soft), 1) + peak:
        return f"{soft_got:.3f} kWh in gaps that hold {soft_want:.3f}"
    return ""


def _lag(want: np.ndarray, got: np.ndarray) -> str:
    """Return the lag of best agreement: a wrong zone or stamp shows as whole hours."""
    scores = {lag: float((want * np.roll(got, -lag)).sum()) for lag in range(-3, 4)}
    best = max(scores, key=lambda lag: scores[lag])
    return f"best lag {best} h"
