"""The interpretation of a file as a small stored object, which the reader in `apply.py` follows to the letter."""

import re
from dataclasses import asdict, dataclass
from typing import Any, Literal

from api.plants.interpretation.dates import Order
from api.plants.interpretation.headings import UNITS

Quantity = Literal["energi", "effekt", "teller"]
Stamp = Literal["start", "slutt"]
OSLO, UTC, FILE = "Europe/Oslo", "UTC", "fil"
"""Zones; `fil`: each stamp has its own offset."""


@dataclass(frozen=True)
class Mapping:
    """How hours of energy follow from the cells of a sheet.

    Parameters
    ----------
    sheet : int
        Number of the sheet.
    time : tuple of int
        Columns of the stamp: one, or date and time of day.
    order : str
        Of day, month and year in dates.
    zone : str
        `Europe/Oslo`, `UTC`, an offset such as `+01:00`, or `fil`.
    stamp : {"start", "slutt"}
        Which end of the interval the stamp is; a counter is read at the interval's end.
    interval_s : int
        Length of an interval.
    values : tuple of int
        Columns that are added.
    unit : str
        `W`, `kW`, `MW`, `Wh`, `kWh`, `MWh`, `Ws`, `J`, `kJ` or `MJ`.
    quantity : {"energi", "effekt", "teller"}
        Energy in the interval, mean power over it, or a counter's reading.
    label : int, optional
        Column of labels, such as the inverter, when rows of several are mixed.
    kept : tuple of str
        Labels whose rows count; empty: all.
    shift_s : int
        Seconds that are added to stamps: the file's clock is an hour wrong.
    sign : int
        -1 where production is written with a minus, as grid meters write what is fed in.
    seasons : tuple of str
        `normaltid`, `sommertid`: of the rows that it was found by, for a zone may be right in one alone.
    """

    sheet: int
    time: tuple[int, ...]
    order: Order
    zone: str
    stamp: Stamp
    interval_s: int
    values: tuple[int, ...]
    unit: str
    quantity: Quantity
    label: int | None = None
    kept: tuple[str, ...] = ()
    shift_s: int = 0
    sign: int = 1
    seasons: tuple[str, ...] = ()

    @property
    def factor(self) -> float:
        """Watts or watt hours of one unit, with the sign."""
        return UNITS[self.unit.upper()] * self.sign

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Mapping":
        """Return what `to_json` wrote."""
        tuples: dict[str, Any] = {name: tuple(fields.get(name, ())) for name in ("time", "values", "kept", "seasons")}
        if fields["quantity"] == "teller" and not tuples["seasons"]:  # as it was written before seasons were
            tuples["stamp"] = "slutt"
        return cls(**{**fields, **tuples})


def offset_minutes(zone: str) -> int | None:
    """Return the minutes of a fixed zone, None of `Europe/Oslo` and `fil`."""
    if zone == UTC:
        return 0
    match = re.fullmatch(r"([+-])(\d{2}):(\d{2})", zone)
    return None if match is None else (int(match[2]) * 60 + int(match[3])) * (-1 if match[1] == "-" else 1)
