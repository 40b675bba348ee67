"""The 8760 rows of a file: their time stamps, made once in a process, and their numbers.

Formats are imported when the application starts; the loop that prints is not, see api/engines.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from api.tmy.year import HOURS, Floats

if TYPE_CHECKING:
    from kernels.text_rows import Texts

PLACEHOLDER = datetime(2001, 1, 1, tzinfo=UTC)
"""Where the typical year begins. A year without 29 February that nobody takes for one of the selected."""
HOUR_START, HOUR_CENTRE, HOUR_END = 0, 30, 60


class Column(NamedTuple):
    """Numbers of each row.

    Parameters
    ----------
    values : float64 (8760,)
    decimals : int
    after : bytes
        What follows each of them.
    """

    values: Floats
    decimals: int
    after: bytes = b","


@cache
def stamps(pattern: str, minutes: int) -> Texts:
    """Return what each row begins with.

    Parameters
    ----------
    pattern : str
        Of `str.format`, with the row's number `n` from 1 on, the moment `t`, its hour's day of the year `yday`, and
        of the hour that ends at the moment its beginning `day` and its number in its day `hour`, 1..24.
    minutes : int
        How much later than an hour's start the moment is.
    """
    from kernels.text_rows import Texts

    first, hour, texts = PLACEHOLDER + timedelta(minutes=minutes), timedelta(hours=1), []
    for n in range(HOURS):
        t = first + n * hour
        day = t - hour
        texts.append(pattern.format(n=n + 1, t=t, yday=n // 24 + 1, day=day, hour=day.hour + 1).encode())
    return Texts.of(texts)


def table(before: Texts | None, columns: Sequence[Column]) -> bytes:
    """Print rows.

    Parameters
    ----------
    before : Texts (8760,) or None
        What each begins with.
    columns : Columns
    """
    from kernels.text_rows import Texts, text_rows

    return text_rows(
        Texts.empty(HOURS) if before is None else before,
        np.stack([column.values for column in columns]),
        [column.decimals for column in columns],
        [b"", *(column.after for column in columns)],
    )
