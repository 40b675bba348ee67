"""The alert sentence."""

import logging
from types import SimpleNamespace

import pytest

from dags.alerts import alert, sentence


def context(**more: object) -> dict[str, object]:
    run = SimpleNamespace(dag_id="forecast", run_id="manual__1", partition_key="2026-06-21T10")
    return {"dag_run": run, "ti": SimpleNamespace(task_id="build"), **more}


def test_an_alert_is_one_logged_line_of_how_urgent_what_why_and_what_follows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = ValueError("met_nordic: the file is\n truncated.")
    with caplog.at_level(logging.ERROR):
        alert("high", "the last good cycle is served")(context(exception=error))
    (line,) = caplog.messages
    assert line == (
        "URGENCY high: forecast.build of 2026-06-21T10 (run manual__1) failed: met_nordic: the file is truncated; "
        "the last good cycle is served."
    )


def test_it_is_one_line_even_without_an_exception_or_a_key() -> None:
    bare = context(dag_run=SimpleNamespace(dag_id="forecast", run_id="manual__1", partition_key=None))
    text = sentence("low", "nothing is lost", bare)
    assert text == "URGENCY low: forecast.build (run manual__1) failed: it ended without saying why; nothing is lost."
