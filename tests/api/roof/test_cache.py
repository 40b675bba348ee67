"""Results by building and parameters in the state folder."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from shapely import box

from api.roof.cache import ResultCache
from api.roof.frame import Frame
from tests.api.conftest import MovableClock

FILES = dict.fromkeys(("json", "collections", "geojson"), b"{}")


def test_a_job_that_ends_late_leaves_newer_results(tmp_path: Path) -> None:
    settings: Any = SimpleNamespace(clock=MovableClock(), state=tmp_path)

    def cache(side: float) -> ResultCache:
        site: Any = SimpleNamespace(frame=Frame.at(60.0, 10.0), outline=box(0, 0, side, side), source="bygninger")
        return ResultCache(settings, site, {"tegning": False})

    late = cache(10)
    settings.clock.moment += timedelta(minutes=16)
    cache(12).put(FILES)
    late.put(FILES)
    assert cache(12).get() == FILES
    settings.clock.moment += timedelta(minutes=31)
    assert cache(12).get() is None
    cache(10).put(FILES)
    assert len(list((tmp_path / "roofs").iterdir())) == 1
