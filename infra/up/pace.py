"""The runs of workflows by the clock: by Airflow's schedules where it is real time, else by `solflis up`."""

from datetime import timedelta

from obstore.exceptions import BaseError

from catalog.versions import read_index
from dags.partition import latest_cycle
from dags.workflows import WORKFLOWS, Workflow
from infra.settings import Settings
from infra.up.report import say
from infra.up.rest import Airflow
from tiles.clock import format_partition
from tiles.store import open_store

SCHEDULED = tuple(row for row in WORKFLOWS.values() if row.cron and not row.until)
"""What runs by the clock."""
UNDER_WAY = {"queued", "running"}
# After so long a real upstream has published the cycle of an hour; the simulator has it at once.
PUBLISHED_WITHIN = timedelta(minutes=20)


class Pace:
    """Triggers what is due by the installation's clock.

    Parameters
    ----------
    settings : Settings
    client : Airflow
        Where runs are triggered.
    """

    def __init__(self, settings: Settings, client: Airflow) -> None:
        self._settings, self._client = settings, client
        self._last: dict[str, str] = {}
        self._told: dict[str, str] = {}

    def start(self) -> None:
        """Trigger what is wanted as soon as there is a forecast; the others wait for their time."""
        self._last |= {row.name: self._due(row) for row in SCHEDULED if not row.at_start}
        self.keep()

    def keep(self) -> None:
        """Trigger what has become due."""
        for row in SCHEDULED:
            self.trigger(row)

    def trigger(self, row: Workflow) -> str:
        """Trigger the partition that is due, unless it is published or being built; return the key of the last.

        Where the clock is real time Airflow schedules those that follow. What fails is tried again by the next call.
        """
        key = self._due(row)
        if key == self._last.get(row.name) or (self._settings.clock.is_real and row.name in self._last):
            return self._last[row.name]
        try:
            if row.products and read_index(open_store(self._settings.store), row.products[0]).get(key) is not None:
                say(f"{row.name}: {key} is published already")
            elif not UNDER_WAY & set(self._client.runs(row.name, key).values()):
                say(f"{row.name}: triggered {key} as run {self._client.trigger(row.name, key)}")
            self._last[row.name] = key
        except (KeyError, TypeError, ValueError, OSError, BaseError) as error:
            text = f"{row.name}: neither published nor triggered, it is tried again: {error!r}"
            if self._told.get(row.name) != text:  # a look is every moment
                say(text)
                self._told[row.name] = text
        return key

    def _due(self, row: Workflow) -> str:
        now, source = self._settings.clock.now(), self._settings.forecast_source
        if row.partition != "cycle":
            return row.due(now)
        delay = timedelta(0) if source in self._settings.simulated_sources else PUBLISHED_WITHIN
        return format_partition(latest_cycle(source, now - delay))
