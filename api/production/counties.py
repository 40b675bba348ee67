"""Irradiance and specific power of the counties as published, and the answer made of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.core.prose import prose
from api.data.versions import require_provenance
from api.production.installed import Installed
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.clock import iso
from tiles.products.county_now import COUNTIES, PERFORMANCE_RATIO, PRODUCT, ROOFS

VARIABLE = "specific_power"
MODEL = "production_v2_3b"
DAY_H, HOUR_S = 24, 3600
_WARNINGS = prose(__file__, "warnings")

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CountyHours:
    """A published version.

    Parameters
    ----------
    entry : Entry
    engine : str
        Name of the engine of the specific power.
    ghi, specific_power : float64 (hours, counties)
        W/m2 and W per kWp, from `entry.valid_from` on; counties sorted by number.
    """

    entry: Entry
    engine: str
    ghi: Floats
    specific_power: Floats

    def row_of_day(self, midnight: datetime) -> int | None:
        """Return the row of a day's first hour; None where the version lacks any of its 24 hours."""
        row = round((midnight - self.entry.valid_from).total_seconds() / HOUR_S)
        return row if 0 <= row <= len(self.ghi) - DAY_H else None


def open_counties(entry: Entry, tile: ChunkedTile) -> CountyHours:
    """Return the hours of a version.

    Raises
    ------
    ValueError
        Its provenance does not say what it holds, or it has other counties.
    TileCorrupt
        It is damaged.
    """
    require_provenance(entry, tile, "counties", "engine")
    provenance = tile.manifest.provenance
    if [number for number, *_ in provenance["counties"]] != list(COUNTIES):
        raise ValueError(f"{entry.path} holds other counties than those of 2024: build it anew")
    ghi, power = (PRODUCT.variable(name).unpack(tile.table(name)) for name in ("ghi", VARIABLE))
    return CountyHours(entry, str(provenance["engine"]), ghi, power)


def method_of(engine: str) -> Mapping[str, str]:
    """Return the method in words."""
    roofs = ", ".join(f"{tilt}/{azimuth} {100 * part:g} %" for tilt, azimuth, part in ROOFS)
    texts = prose(__file__, "method")
    return {**texts, "production": texts["production"].format(engine=engine, ratio=PERFORMANCE_RATIO, roofs=roofs)}


def answer(hours: CountyHours, row: int, midnight: datetime, hour: datetime, installed: Installed) -> dict[str, Any]:
    """Return the body: every sum is the sum of what is printed.

    Parameters
    ----------
    hours : CountyHours
    row : int
        Of the day's first hour.
    midnight, hour : datetime
        Begin of the UTC day, and of the hour of it that runs.
    installed : Installed
        Counties sorted by number.
    """
    entry, at = hours.entry, hour.hour
    mw = np.array([county.mw for county in installed.counties.values()])
    # hundredths of a MW, by hour and county
    rounded = np.rint(hours.specific_power[row : row + DAY_H] * mw / 10).astype(np.int64)
    country, power, of_day = rounded.sum(axis=1).tolist(), rounded[at].tolist(), rounded.sum(axis=0).tolist()
    ghi = hours.ghi[row + at].round(1).tolist()
    return {
        "time": iso(hour),
        "date": f"{midnight:%Y-%m-%d}",
        "now": {
            "power_mw": country[at] / 100,
            "installed_mw": round(installed.mw, 3),
            "share_pct": round(country[at] / installed.mw, 1),
        },
        "today": {"energy_mwh": sum(country) / 100, "energy_so_far_mwh": sum(country[:at]) / 100},
        "counties": [
            {
                "number": number,
                "name": county.name,
                "installed_mw": county.mw,
                "power_mw": power[column] / 100,
                "energy_today_mwh": of_day[column] / 100,
                "ghi_w_m2": ghi[column],
            }
            for column, (number, county) in enumerate(installed.counties.items())
        ],
        "curve": [{"time": iso(midnight.replace(hour=one)), "power_mw": country[one] / 100} for one in range(DAY_H)],
        "installed": {
            "source": installed.source,
            "date": installed.date.isoformat(),
            "example": installed.example,
        },
        "model": MODEL,
        "cycle_time": iso(entry.issued_at),
        "data_origin": entry.data_origin,
        "method": method_of(hours.engine),
        "warnings": _warnings(entry, hour, installed),
    }


def _warnings(entry: Entry, hour: datetime, installed: Installed) -> list[str]:
    found, limit = [], PRODUCT.stale_after
    if installed.example:
        found.append(_WARNINGS["example"])
    if limit is not None and hour - entry.issued_at > limit:
        hours = limit.total_seconds() / HOUR_S
        found.append(_WARNINGS["stale"].format(cycle=iso(entry.issued_at), hours=hours))
    if entry.data_origin != "live":
        found.append(_WARNINGS["simulated"])
    return found
