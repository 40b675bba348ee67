"""A made series of production: a plant in Oslo, clear days and dull ones, as energy by interval."""

from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.apply import HOUR_S, Hours
from api.plants.model import PlantModel

OSLO, UTC, WINTER = ZoneInfo("Europe/Oslo"), UTC, timezone(timedelta(hours=1))
ZONES = {"Europe/Oslo": OSLO, "UTC": UTC, "+01:00": WINTER}
_BRIGHTNESS = (1.0, 0.95, 0.35, 1.0, 0.7, 0.98, 0.5, 1.0, 0.9, 0.97)


def plant() -> PlantModel:
    """Return a plant of 10 kWp that faces south."""
    return PlantModel(59.91, 10.75, [(30, 180, 10.0)], 0.85)


class Series(NamedTuple):
    """Energy of intervals: starts in unix seconds, Wh (n,)."""

    starts: NDArray[np.int64]
    wh: NDArray[np.float64]
    step_s: int

    @property
    def minutes(self) -> int:
        """Return the length of an interval."""
        return self.step_s // 60

    @property
    def watts(self) -> NDArray[np.float64]:
        """Return mean power."""
        return self.wh * HOUR_S / self.step_s

    @property
    def counter(self) -> NDArray[np.float64]:
        """Return a counter's reading at each start and at the end of the last interval, Wh (n + 1,)."""
        return 4_321_000 + np.concatenate(([0.0], np.cumsum(self.wh)))

    @property
    def today(self) -> NDArray[np.float64]:
        """Return the reading at each start of a counter that begins anew at midnight in Oslo, Wh (n,)."""
        total = self.counter[:-1]
        day = np.array([moment.toordinal() for moment in self.local()])
        first = np.flatnonzero(np.diff(day, prepend=day[0] - 1))
        return total - total[first][np.searchsorted(first, np.arange(len(total)), side="right") - 1]

    def local(self, zone: str = "Europe/Oslo", *, ends: bool = False) -> list[datetime]:
        """Return what a clock shows at the starts, or the ends, of the intervals."""
        seconds = self.starts + (self.step_s if ends else 0)
        return [datetime.fromtimestamp(second, ZONES[zone]) for second in seconds.tolist()]

    def hours(self) -> Hours:
        """Return the truth."""
        hour = self.starts // HOUR_S
        starts, place = np.unique(hour, return_inverse=True)
        return Hours(starts * HOUR_S, np.bincount(place, self.wh).astype(np.float64), np.ones(len(starts)))


def series(minutes: int = 60, first: str = "2024-06-03", days: int = 10, model: PlantModel | None = None) -> Series:
    """Return production from midnight of a day in Oslo."""
    model = model or plant()
    begin = datetime.fromisoformat(first).replace(tzinfo=OSLO)
    end = (datetime.fromisoformat(first) + timedelta(days=days)).replace(tzinfo=OSLO)
    starts = np.arange(int(begin.timestamp()), int(end.timestamp()), minutes * 60)
    hours = np.arange(starts[0] - starts[0] % HOUR_S - HOUR_S, starts[-1] + 3 * HOUR_S, HOUR_S)
    clear = np.interp(starts + minutes * 30, hours + HOUR_S // 2, model.clear(hours))
    day = (starts - starts[0]) // 86_400
    brightness = np.array(_BRIGHTNESS)[day % len(_BRIGHTNESS)]
    ripple = 1 + 0.4 * (1 - brightness) * np.sin(starts / 1700)
    return Series(starts, np.round(clear * brightness * ripple * minutes / 60, 1), minutes * 60)
