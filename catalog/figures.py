"""How good the forecasts of a day were, as lines to read: the product `skill`, over all stations."""

from datetime import datetime
from itertools import pairwise
from typing import Any

from catalog.versions import read_index
from tiles.manifest import Manifest
from tiles.store import Store

PRODUCT = "skill"
_ORDER = ("v23b", "v1", "raw")


def figures(store: Store, now: datetime, day: str | None = None) -> list[str]:
    """Return the figures of a day, a row for each class of lead and model; of the newest day when None.

    Raises
    ------
    KeyError
        That day was not judged.
    TileCorrupt
        The version is damaged.
    """
    index = read_index(store, PRODUCT)
    entry = index.newest(now) if day is None else index.get(day)
    if entry is None:
        there = ", ".join(e.version for e in index.entries) or "none; 'solflis build skill' judges yesterday"
        raise KeyError(f"no forecasts of {day or 'any day'} were judged; there are: {there}")
    said = Manifest.read(store, entry.manifest).provenance
    heading = f"forecasts of {entry.version} from {entry.source} at stations ({entry.data_origin} data)"
    return [heading, *table(said["lead_edges"], said["overall"])]


def table(lead_edges: list[int], overall: dict[str, dict[str, list[float | None]]]) -> list[str]:
    """Return the table of figures.

    Parameters
    ----------
    lead_edges : list of int
        Of the classes of lead, hours.
    overall : dict
        By model and figure (`pairs`, `nmae`, `bias`, `rmse`, `skill`), a list over the classes; None is missing.
    """
    lines = [f"  {'lead h':<8}{'model':<7}{'pairs':>8}{'nMAE %':>9}{'bias':>8}{'RMSE':>8}{'skill %':>9}"]
    for k, (low, high) in enumerate(pairwise(lead_edges)):
        for model, of in sorted(overall.items(), key=lambda item: _ORDER.index(item[0])):
            if of["pairs"][k]:
                lines.append(f"  {f'{low}-{high}':<8}{model:<7}{int(of['pairs'][k] or 0):>8}{_shown(of, k)}")
    return lines


def _shown(of: dict[str, Any], k: int) -> str:
    columns = (("nmae", 100, 9), ("bias", 1, 8), ("rmse", 1, 8), ("skill", 100, 9))
    return "".join(f"{'-' if of[name][k] is None else f'{times * of[name][k]:.1f}':>{w}}" for name, times, w in columns)
