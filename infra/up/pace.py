"""The runs beside the forecast's: by Airflow's schedules where the clock is real time, else by `solflis up`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from obstore.exceptions import BaseError

from catalog.versions import read_index
from dags.partition import CORRECTION_AT, SKILL_AT, latest_image, latest_morning
from infra.settings import Settings
from infra.up.report import say
from infra.up.rest import Airflow
from tiles.clock import format_moment
from tiles.store import open_store


def _began(at: time, now: datetime) -> datetime:
    """Return a moment of the day whose run at a time of day is the last that has come."""
    return now - timedelta(hours=at.hour, minutes=at.minute)


def newest_image(now: datetime) -> str:
    """Return the time of the newest satellite image that can be out."""
    return format_moment(latest_image(now))


def day_to_judge(now: datetime) -> str:
    """Return the last day that the morning's run has judged."""
    return f"{_began(SKILL_AT, now) - timedelta(days=1):%Y-%m-%d}"


def week_of_training(now: datetime) -> str:
    """Return the last Monday whose morning run has come."""
    run = _began(CORRECTION_AT, now)
    return f"{run - timedelta(days=run.weekday()):%Y-%m-%d}"


def morning_of_snow(now: datetime) -> str:
    """Return the date of the last morning whose snow is out."""
    return latest_morning(now).isoformat()


class _Unreadable(Exception):
    """Of what is published nothing can be said now."""


_UNDER_WAY = {"queued", "running"}


@dataclass(frozen=True)
class Rhythm:
    """A DAG that runs by the clock.

    Parameters
    ----------
    dag : str
    due : callable
        Returns the partition key that is due at a moment.
    at_start : bool
        Whether it runs as soon as there is a forecast, not only when the next partition is due.
    product : str
        It does not run where this product's version of that name is published, and where it is not it runs also when
        an earlier run has failed. Empty: it runs unless there was a run.
    """

    dag: str
    due: Callable[[datetime], str]
    at_start: bool = False
    product: str = ""


RHYTHMS = (
    Rhythm("nowcast", newest_image, at_start=True),
    Rhythm("skill", day_to_judge),
    Rhythm("correction", week_of_training),
    Rhythm("snow_daily", morning_of_snow, at_start=True, product="snow_outlook"),
)


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
        for rhythm in RHYTHMS:
            if rhythm.at_start:
                self._trigger(rhythm, rhythm.due(now))
            else:
                self._last[rhythm.dag] = rhythm.due(now)

    def keep(self) -> None:
        """Trigger what has become due, where the clock is not real time (else Airflow schedules what follows)."""
        now = self._clock.now()
        for rhythm in RHYTHMS:
            if self._clock.is_real and rhythm.dag in self._last:
                continue
            key = rhythm.due(now)
            if key != self._last.get(rhythm.dag):
                self._trigger(rhythm, key)

    def _trigger(self, rhythm: Rhythm, key: str) -> None:
        try:
            if self._is_wanted(rhythm, key):
                self._client.trigger(rhythm.dag, key)
                say(f"{rhythm.dag}: triggered {key}")
            self._last[rhythm.dag] = key
        except _Unreadable as error:
            if (told := str(error)) != self._told:  # a look is every moment
                say(told)
                self._told = told
        except OSError:
            pass  # Airflow may be too busy building to answer in time: the next look tries again

    def _is_wanted(self, rhythm: Rhythm, key: str) -> bool:
        if not rhythm.product:
            return not self._client.runs(rhythm.dag, key)
        if self._is_published(rhythm.product, key):
            return False
        return not set(self._client.runs(rhythm.dag, key).values()) & _UNDER_WAY

    def _is_published(self, product: str, version: str) -> bool:
        try:
            return read_index(open_store(self._store), product).get(version) is not None
        except (KeyError, TypeError, ValueError, OSError, BaseError) as error:
            raise _Unreadable(f"{product}: what is published cannot be read, it is tried again: {error!r}") from error
