"""The 8760 rows of a file: their time stamps, made once in a process, and their numbers.

A row is declared as one pattern of `str.format`: first its stamp, of the number `n` from 1 on, the moment `t`, its
hour's day of the year `yday`, and of the hour that ends at the moment its beginning `day` and its number in its day
`hour`, 1..24; then quantities of a `TypicalYear` with their digits, such as `{ghi:.1f}`, and what is between them.

Formats are imported when the application starts; the loop that prints is not, see api/core/engines.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from api.tmy.year import HOURS, MEANS, Floats, TypicalYear

if TYPE_CHECKING:
    from kernels.text_rows import Texts

PLACEHOLDER = datetime(2001, 1, 1, tzinfo=UTC)
"""Where the typical year begins. A year without 29 February that nobody takes for one of the selected."""
_START = np.datetime64(PLACEHOLDER.date(), "h")
MONTH = (_START + np.arange(HOURS)).astype("datetime64[M]").astype(int) % 12
"""The month of each row, counted from 0, int (8760,)."""
HOUR_START, HOUR_CENTRE, HOUR_END = 0, 30, 60
"""The moment of a row's stamp: so many minutes after its hour begins. Hours that are known by their end are local."""
_QUANTITY = re.compile(r"{(\w+):\.(\d)f}")


@cache
def stamps(pattern: str, minutes: int) -> Texts:
    """Return what each row begins with."""
    from kernels.text_rows import Texts

    first, hour, texts = PLACEHOLDER + timedelta(minutes=minutes), timedelta(hours=1), []
    for n in range(HOURS):
        t = first + n * hour
        day = t - hour
        texts.append(pattern.format(n=n + 1, t=t, yday=n // 24 + 1, day=day, hour=day.hour + 1).encode())
    return Texts.of(texts)


def table(year: TypicalYear, row: str, minutes: int, stamped: Texts | None = None) -> bytes:
    """Print rows.

    Parameters
    ----------
    year : TypicalYear
    row : str
        Their pattern.
    minutes : int
        `HOUR_START`; `HOUR_CENTRE`: instants are halfway between the full hours; or `HOUR_END`: in UTC+1.
    stamped : Texts (8760,), optional
        In place of their stamps.
    """
    from kernels.text_rows import text_rows

    stamp, *parts = _QUANTITY.split(row)
    rows = year.at_hour_ends() if minutes == HOUR_END else year

    def values(name: str) -> Floats:
        quantity: Floats = getattr(rows, name)
        return (quantity + np.roll(quantity, -1)) / 2 if minutes == HOUR_CENTRE and name not in MEANS else quantity

    return text_rows(
        stamps(stamp, minutes) if stamped is None else stamped,
        np.stack([values(name) for name in parts[::3]]),
        [int(digits) for digits in parts[1::3]],
        [b"", *(after.encode() for after in parts[2::3])],
    )


def writer(
    head: Callable[[TypicalYear], Iterable[str]], row: str, minutes: int, foot: str = ""
) -> Callable[[TypicalYear], bytes]:
    """Return what writes a file: the lines of its head, which end as its rows do, and its rows; see `table`."""
    end = "\r\n" if row.endswith("\r\n") else "\n"

    def write(year: TypicalYear) -> bytes:
        return end.join((*head(year), "")).encode() + table(year, row, minutes) + foot.encode()

    return write
