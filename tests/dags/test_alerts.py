"""The alert sentence."""

import logging
from types import SimpleNamespace

import pytest

from dags.alerts import alert, sentence


def context(**more: object) -> dict[str, object]:
    run = SimpleNamespace(dag_id="forecast", run_id="manual__1", partition_key="2026-06-21T10")
    return {"dag_run": run, "ti": SimpleNamespace(task_id="build"), **more}


def test_it_says_how_urgent_what_why_and_what_follows() -> None:
    error = ValueError("met_nordic: the file is\n truncated.")
    assert sentence("high", "the last good cycle is served", context(exception=error)) == (
        "URGENCY high: forecast.build of 2026-06-21T10 (run manual__1) failed: met_nordic: the file is truncated; "
        "the last good cycle is served."
    )


def test_it_is_one_line_even_without_an_exception_or_a_key() -> None:
    bare = context()
    bare["dag_run"] = SimpleNamespace(dag_id="forecast", run_id="manual__1", partition_key=None)
    text = sentence("low", "nothing is lost", bare)
    assert text == ("URGENCY low: forecast.build (run manual__1) failed: it ended without saying why; nothing is lost.")


def test_the_callback_logs_it_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        alert("high", "act")(context(exception=OSError("no disk")))
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert caplog.messages == [sentence("high", "act", context(exception=OSError("no disk")))]
