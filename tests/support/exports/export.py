"""What a made export is: the file, the plant as registered, the truth, and what made it difficult."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.support.exports.clock import Ints
from tests.support.exports.plant import Plant
from tests.support.exports.weather import Floats

HOURS, DAILY, NOT_PRODUCTION = "hours", "refuse_daily", "not_production"


@dataclass(frozen=True)
class Truth:
    """What a perfect reader finds in the file.

    `hours` maps the unix seconds of an hour's start to kWh. In `soft` hours the file covers a part only, or a gap was
    bridged: any reasonable figure, or none, is right there. `hour_slack_kwh` and `total_slack_kwh` are what rounding,
    night noise and negative stand-by values may cost. `steps` holds starts and kWh of the intervals in the file.
    """

    outcome: str
    hours: dict[int, float]
    unit: str
    quantity: str
    interval_min: int
    stamp: str
    zone: str
    must_ask: frozenset[str] = frozenset()
    soft: frozenset[int] = frozenset()
    hour_slack_kwh: float = 0.0
    total_slack_kwh: float = 0.0
    steps: tuple[Ints, Floats] | None = None


@dataclass(frozen=True)
class Export:
    """A made file and all that is known of it."""

    seed: int
    content: bytes
    file_name: str
    plant: Plant
    truth: Truth
    traits: dict[str, str]


@dataclass
class Answer:
    """What an interpreter made of a file."""

    hours: dict[int, float] | None
    unit: str = ""
    quantity: str = ""
    interval_min: int = 0
    stamp: str = ""
    zone: str = ""
    questions: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    refusal: str | None = None


class Line(NamedTuple):
    """A line that is no row of data, after the given number of rows."""

    after: int
    cells: list[str]


@dataclass
class Column:
    """A column of a table: texts, numbers (NaN is missing) or clock times (naive datetimes)."""

    heading: str
    values: list[Any]
    decimals: int | None = None
    unit: str = ""
    role: str = ""

    @property
    def is_number(self) -> bool:
        """Return whether the cells are numbers."""
        return self.decimals is not None


@dataclass
class Table:
    """A sheet before it is written: lines above, heading rows, columns, lines below and between."""

    columns: list[Column]
    titles: list[list[str]] = field(default_factory=list)
    heads: list[list[str]] = field(default_factory=list)
    footers: list[list[Any]] = field(default_factory=list)
    between: list[Line] = field(default_factory=list)
    context: dict[str, Any] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Return the number of data rows."""
        return len(self.columns[0].values)
