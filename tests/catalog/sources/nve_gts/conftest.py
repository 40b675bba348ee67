"""Passing faults of the authority are tried again without long waits."""

import pytest

from catalog.sources import http


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
