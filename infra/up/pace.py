"""The runs beside the forecast's: by Airflow's schedules where the clock is real time, else by `solflis up`."""

from obstore.exceptions import BaseError

from catalog.versions import read_index
from dags.workflows import WORKFLOWS, Workflow
from infra.settings import Settings
from infra.up.report import say
from infra.up.rest import Airflow
from infra.up.runs import DAG as FORECAST
from tiles.store import open_store


class _Unreadable(Exception):
    """Of what is published nothing can be said now."""


_UNDER_WAY = {"queued", "running"}


SCHEDULED = tuple(row for row in WORKFLOWS.values() if row.cron and not row.until and row.name != FORECAST)
"""What runs by the clock, beside the forecast."""


class Pace:
    """Triggers what is due by the installation's clock.

    Parameters
    ----------
    settings : Settings
    client : Airflow
        Where runs are triggered.
    """

    def __init__(self, settings: Settings, client: Airflow) -> None:
        self._clock, self._store, self._client = settings.clock, settings.store, client
        self._last: dict[str, str] = {}
        self._told = ""

    def start(self) -> None:
        """Trigger what is wanted as soon as there is a forecast; the others wait for their time."""
        now = self._clock.now()
        for row in SCHEDULED:
            if row.at_start:
                self._trigger(row, row.due(now))
            else:
                self._last[row.name] = row.due(now)

    def keep(self) -> None:
        """Trigger what has become due, where the clock is not real time (else Airflow schedules what follows)."""
        now = self._clock.now()
        for row in SCHEDULED:
            if self._clock.is_real and row.name in self._last:
                continue
            key = row.due(now)
            if key != self._last.get(row.name):
                self._trigger(row, key)

    def _trigger(self, row: Workflow, key: str) -> None:
        try:
            if self._is_wanted(row, key):
                self._client.trigger(row.name, key)
                say(f"{row.name}: triggered {key}")
            self._last[row.name] = key
        except _Unreadable as error:
            if (told := str(error)) != self._told:  # a look is every moment
                say(told)
                self._told = told
        except OSError:
            pass  # Airflow may be too busy building to answer in time: the next look tries again

    def _is_wanted(self, row: Workflow, key: str) -> bool:
        """Whether a version is neither published nor being built; of what publishes none, whether there was no run."""
        if not row.products:
            return not self._client.runs(row.name, key)
        if self._is_published(row.products[0], key):
            return False
        return not set(self._client.runs(row.name, key).values()) & _UNDER_WAY

    def _is_published(self, product: str, version: str) -> bool:
        try:
            return read_index(open_store(self._store), product).get(version) is not None
        except (KeyError, TypeError, ValueError, OSError, BaseError) as error:
            raise _Unreadable(f"{product}: what is published cannot be read, it is tried again: {error!r}") from error
