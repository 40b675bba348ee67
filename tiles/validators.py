"""What must be true of a draft before anybody can read it. Each check is one small frozen class.

They read back what was stored, as packed integers: four variables of a national cycle are checked in about a second.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels import sun
from tiles.clock import parse_moment, parse_partition
from tiles.product import FILL, Context, Draft, Product

_NIGHT = np.sin(np.radians(-2.0))


def _places(
    product: Product, expected: NDArray[np.bool_] | None
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    """Return rows, columns and upward unit vectors (3, cells) of the cells that the source covers."""
    if product.grid is None or product.grid.epsg != 4326:
        raise TypeError(f"{product.name} lies on no grid in degrees")
    rows, columns = np.nonzero(np.ones(product.grid.shape, bool) if expected is None else expected)
    lats, lons = product.grid.axes
    return rows, columns, sun.vertical(lats[rows], lons[columns]).astype(np.float32)


def _utc(unix: int) -> str:
    return f"{np.datetime64(int(unix), 's')}Z"


@dataclass(frozen=True)
class RequiredVariables:
    """Every required variable is there, and nothing that the product does not declare."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        names = set(draft.names())
        absent = {v.name for v in product.variables if v.required} - names
        unknown = names - {v.name for v in product.variables}
        if absent:
            return f"required variables are absent: {', '.join(sorted(absent))}"
        return f"variables are not declared: {', '.join(sorted(unknown))}" if unknown else None


@dataclass(frozen=True)
class EvenAxis:
    """An axis has an allowed length, and no step of it is missing or there twice."""

    axis: str = "time"
    step: int = 1

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        values = draft.axis(self.axis).astype(np.int64)
        declared = next(d for d in product.dimensions if d.name == self.axis)
        if not declared.min_size <= len(values) <= declared.size:
            return f"the axis {self.axis} has {len(values)} steps, not {declared.min_size} to {declared.size}"
        wrong = values[:-1][np.diff(values) != self.step]
        if not wrong.size:
            return None
        unit = {"days": "D", "seconds": "s"}.get(declared.units.partition(" since ")[0])
        named = (wrong.astype(f"datetime64[{unit}]") if unit else wrong)[0]
        return f"{named} is not followed by the next step of the axis {self.axis}"


@dataclass(frozen=True)
class CompleteTimeAxis:
    """The hourly time axis has an allowed length, starts at the cycle, and no hour is missing.

    With `ahead_seconds` it starts at the hour that holds the moment so long after the cycle.
    """

    ahead_seconds: int = 0

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:
        """Return what is wrong, or None."""
        if wrong := EvenAxis(step=3600).check(draft, product, context):
            return wrong
        first = int(draft.axis("time")[0])
        begins = (int(context.issued_at.astype(np.int64)) + self.ahead_seconds) // 3600 * 3600
        if first != begins:
            due = f"at {_utc(begins)} for the" if self.ahead_seconds else "at the"
            return f"the series starts at {_utc(first)}, not {due} cycle {context.issued_at}Z"
        return None


@dataclass(frozen=True)
class WholeDay:
    """The hourly time axis starts at 00 UTC of the cycle's day, no hour is missing, and the cycle's own are there."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:
        """Return what is wrong, or None."""
        if wrong := EvenAxis(step=3600).check(draft, product, context):
            return wrong
        first, last = draft.axis("time")[[0, -1]].tolist()
        midnight = context.issued_at.astype("datetime64[D]")
        if first != midnight.astype("datetime64[s]").astype(np.int64):
            return f"the series starts at {_utc(first)}, not at 00 UTC of {midnight}"
        if last < context.issued_at.astype(np.int64):
            return f"the series ends at {_utc(last)}, before the cycle {context.issued_at}Z"
        return None


@dataclass(frozen=True)
class Fresh:
    """The draft is the cycle that was asked for, and not one of the future; cycles are hourly unless it says more."""

    every_min: int | None = None

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        text, every = context.partition, self.every_min
        cycle = parse_partition(text) if every is None else parse_moment(text, every)
        asked = np.datetime64(cycle.replace(tzinfo=None), "s")
        if asked != context.issued_at:
            return f"cycle {asked}Z was asked for, the upstream answered {context.issued_at}Z"
        if context.issued_at > context.now:
            return f"cycle {context.issued_at}Z lies after the clock's {context.now}Z"
        return None


@dataclass(frozen=True)
class PhysicalRange:
    """Every value lies in its variable's valid range, and there are some."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        for name in draft.names():
            variable = product.variable(name)
            packed = draft.packed(name)
            low = int(packed.min())
            # the fill value is the largest integer: without it, the largest value is the largest of the others
            high = int(np.max(packed, where=packed != FILL, initial=0))
            if low == FILL:
                return f"{name} holds no value at all"
            reach = low * variable.scale + variable.offset, high * variable.scale + variable.offset
            if reach[0] < variable.valid_min - variable.scale / 2 or reach[1] > variable.valid_max + variable.scale / 2:
                return (
                    f"{name} reaches from {reach[0]:.5g} to {reach[1]:.5g} {variable.units}, "
                    f"outside {variable.valid_min:g} to {variable.valid_max:g}"
                )
        return None


@dataclass(frozen=True)
class ExpectedCells:
    """Of the cells that the source covers, at most a share is missing; it covers some, and nothing beyond is filled."""

    max_missing: float = 0.01

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        expected = context.expected
        if expected is None or not expected.any():
            return "the source covers no cell of the grid"
        for name in draft.names():
            there = draft.packed(name)[0] != FILL
            if np.any(there & ~expected):
                row, col = np.argwhere(there & ~expected)[0]
                return f"{name} has values in cell ({row}, {col}), which the source does not cover"
            share = 1 - np.count_nonzero(there & expected) / np.count_nonzero(expected)
            if share > self.max_missing:
                return (
                    f"{name} is missing in {share:.1%} of the cells that the source covers "
                    f"(at most {self.max_missing:.1%} is accepted)"
                )
        return None


@dataclass(frozen=True)
class NothingMissing:
    """Every value is there."""

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        for name in draft.names():
            missing = int(np.count_nonzero(draft.packed(name) == FILL))
            if missing:
                return f"{name} is missing in {missing} places"
        return None


@dataclass(frozen=True)
class NoGapsInSeries:
    """A cell has all its hours (directions) or none, but of variables that need not have a value in each."""

    but: tuple[str, ...] = ()

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:  # noqa: ARG002
        """Return what is wrong, or None."""
        for name in draft.names():
            if name in self.but or product.variable(name).over == ():  # the latter has no series
                continue
            packed = draft.packed(name)
            missing = packed == FILL
            broken = missing.any(axis=0) & ~missing.all(axis=0)
            if broken.any():
                cell = tuple(np.argwhere(broken)[0].tolist())
                step = int(np.argmax(missing[(slice(None), *cell)] != missing[(0, *cell)]))
                return f"{name} has a gap in the series of cell {cell} at step {step}"
        return None


@dataclass(frozen=True)
class NightIsZero:
    """Where the sun stays well below the horizon for a whole hour, irradiance is 0, and not missing.

    Two degrees below at the start, middle and end of the hour: far enough for any refraction.
    """

    names: tuple[str, ...]

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:
        """Return what is wrong, or None."""
        packed = {name: draft.packed(name) for name in self.names if name in draft.names()}
        rows, columns, up = _places(product, context.expected)
        # a cell that never has a value is for `ExpectedCells` to judge
        there = {name: values.min(axis=0)[rows, columns] != FILL for name, values in packed.items()}
        for hour, start in enumerate(draft.axis("time").astype(np.int64)):
            sines = sun.cos_zenith(up, sun.sun_table(start + np.array([0, 1800, 3600])))
            night = np.flatnonzero(sines.max(axis=0) < _NIGHT)
            for name, values in packed.items():
                at_night = values[hour, rows[night], columns[night]]
                wrong = np.flatnonzero((at_night != 0) & ((at_night != FILL) | there[name][night]))
                if wrong.size:
                    packed_value = at_night[wrong[0]]
                    scaled = f"{packed_value * product.variable(name).scale:.1f}"
                    cell = (int(rows[night[wrong[0]]]), int(columns[night[wrong[0]]]))
                    what = "missing" if packed_value == FILL else scaled
                    return f"{name} is {what} at night, {_utc(start)} in cell {cell}, where it must be 0"
        return None
