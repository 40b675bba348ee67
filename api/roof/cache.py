"""Finished results by building and parameters, in the state folder: another point on a building is not analysed."""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import shapely

from api.core.code_version import code_version
from api.core.settings import Settings
from api.jobs.queue import question_of
from api.jobs.results import Results
from api.roof.site import Site
from tiles.store import NotFound

_PERIOD_S = 900
_MM = 3


class ResultCache:
    """Files of results; each is found for 15 to 30 minutes.

    Parameters
    ----------
    settings : Settings
    site : Site
    request : mapping
    """

    def __init__(self, settings: Settings, site: Site, request: Mapping[str, Any]) -> None:
        self._period = int(settings.clock.now().timestamp() // _PERIOD_S)
        self._folder = settings.state / "roofs"
        ring = site.frame.utm(shapely.get_coordinates(site.outline)).round(_MM).tolist()
        parameters = sorted((name, value) for name, value in request.items() if name not in ("lat", "lon", "omriss"))
        self._key = question_of("roof", ring, site.source, parameters, code_version()).hex()
        self._names = ["json", "collections", "geojson", *(("png", "svg", "dxf") if request["tegning"] else ())]

    def get(self) -> dict[str, bytes] | None:
        """Return the files of a result by extension; None where there is none."""
        for period in (self._period, self._period - 1):
            if (folder := self._folder / str(period)).is_dir():
                with suppress(NotFound):
                    stored = Results(str(folder))
                    return {name: stored.get(self._key, f"result.{name}") for name in self._names}
        return None

    def put(self, files: Mapping[str, bytes]) -> None:
        """Keep the files of a result, and remove those of earlier periods."""
        Results(str(self._folder / str(self._period))).put(
            self._key, {f"result.{name}": content for name, content in files.items()}
        )
        for folder in self._folder.iterdir():
            # a job that began in an earlier period leaves what is newer alone
            if folder.name.isdecimal() and int(folder.name) < self._period - 1:
                shutil.rmtree(folder, ignore_errors=True)
