"""What a product is: one declaration, from which writer, validators, reader, STAC item and docs derive."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tiles.grid import Grid

# 65535 rather than 0: a chunk full of zeros (a whole night) is data, a chunk full of fill is absent.
FILL = 65535
# Only in hydrated tiles: the cell's shard is damaged.
CORRUPT = 65534
# The largest packed value; what lies beyond is refused, not clipped.
PACKED_MAX = 65533


@dataclass(frozen=True)
class Variable:
    """One quantity of a product, packed to 16 bits: physical = packed * scale + offset.

    Parameters
    ----------
    name : str
        The array's name in the store.
    units, long_name, standard_name, cell_methods : str
        CF metadata; `standard_name` is empty where CF has none.
    scale, offset : float
        Of the packing.
    valid_min, valid_max : float
        The physical range that the validators accept.
    comment : str
        Names the averaging window, and what a missing value means.
    required : bool
        Whether a version may lack it.
    over : tuple of str or None
        Of the product's own dimensions, those that it varies along, in their order; None: all of them.
    """

    name: str
    _: KW_ONLY
    long_name: str
    valid_max: float
    comment: str
    units: str = "1"
    standard_name: str = ""
    cell_methods: str = ""
    scale: float = 1
    offset: float = 0.0
    valid_min: float = 0
    required: bool = True
    over: tuple[str, ...] | None = None

    def pack(self, values: NDArray[np.floating]) -> NDArray[np.uint16]:
        """Pack physical values; NaN becomes the fill value.

        Raises
        ------
        ValueError
            A value lies beyond what 16 bits at this scale can hold, or is infinite.
        """
        packed = np.rint((values - self.offset) / self.scale)
        missing = np.isnan(packed)
        if np.any((packed < 0) | (packed > PACKED_MAX)):  # NaN compares false
            raise ValueError(f"{self.name} holds values that {self.units} at {self.scale} cannot be packed to")
        return np.where(missing, FILL, packed).astype(np.uint16)

    def unpack(self, packed: NDArray[np.uint16]) -> NDArray[np.float64]:
        """Return physical values; the fill value becomes NaN."""
        # of a single value numpy makes no array
        values: NDArray[np.float64] = np.asarray(packed.astype(np.float64) * self.scale + self.offset)
        values[packed >= CORRUPT] = np.nan
        return values


@dataclass(frozen=True)
class Dimension:
    """A dimension that is no part of the grid; a version has `min_size` (else `size`) to `size` steps of it.

    Parameters
    ----------
    name, long_name, units, standard_name, dtype, comment : str
    size, min_size : int
    step : str
        The ISO 8601 duration of a step of time, `PT1H`; empty for what is not time.
    bounds : (float, float) or None
        Where the interval of a value begins and ends, from the value, in its unit; None where values are no intervals.
    labels : tuple of str
        Names of the values 0, 1, ...; empty where they are numbers.
    """

    name: str
    size: int
    long_name: str
    units: str = "1"
    standard_name: str = ""
    dtype: str = "float64"
    comment: str = ""
    step: str = ""
    bounds: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    min_size: int = 0

    def __post_init__(self) -> None:
        if not self.min_size:
            object.__setattr__(self, "min_size", self.size)


class Draft(Protocol):
    """What a validator sees of a draft: see `tiles.writer.Draft`."""

    version: str

    def names(self) -> list[str]:
        """Return the variables that the draft holds."""
        ...

    def axis(self, name: str) -> NDArray[np.generic]:
        """Return the values of a dimension."""
        ...

    def packed(self, name: str) -> NDArray[np.uint16]:
        """Return a variable's whole packed array as it was stored."""
        ...

    def shards(self, name: str) -> Iterable[tuple[str, NDArray[np.uint16]]]:
        """Return the stored shards of a variable that nobody has judged yet: the key and what it holds."""
        ...

    def judged(self, name: str) -> bool:
        """Return whether shards of a variable were judged by whoever wrote them."""
        ...


class Validator(Protocol):
    """One thing that must be true of a draft before it is published.

    One that only looks at `Draft.shards` says `by_shards = True`: it judges each block when that is written.
    """

    def check(self, draft: Draft, product: "Product", context: "Context") -> str | None:
        """Return what is wrong, in one sentence, or None."""
        ...


@dataclass(frozen=True)
class Context:
    """What validators need to know beside the draft.

    Parameters
    ----------
    partition : str
        What was asked for.
    issued_at, now : datetime64[s]
        The moment the draft stands for, and the clock's.
    expected : bool array over the grid, or None
        The cells that the source covers.
    """

    partition: str
    issued_at: np.datetime64
    now: np.datetime64
    expected: NDArray[np.bool_] | None = None


@dataclass(frozen=True, kw_only=True)
class Product:
    """The declaration of a product.

    Parameters
    ----------
    name, title, description : str
    schema : int
        Raised by one when arrays change meaning or layout; readers open this one and the one before.
    grid : Grid or None
        None for tables that lie on no grid.
    dimensions : tuple of Dimension
        Before the grid's own two.
    variables : tuple of Variable
    chunk, shard : tuple of int
        Of the whole array, in the order of `dimensions` and then the grid's; a chunk never exceeds the version's size.
        A shard is one chunk where none is given.
    read : 'hydrated' or 'chunk'
        How points are read; see tiles/README.md.
    stale_after, expires_after : timedelta or None
        Past the first it is called stale, past the second it is no longer served.
    due : callable or None
        Whether a version is expected of a moment: while none is, an old one is no trouble. None: always.
    on_request : bool
        Built only when an operator asks for it: that there is none is no trouble.
    joined_along : str
        The dimension along which versions follow one another, so that `catalog.open` joins them; empty where each
        version stands for itself.
    family : str
        The name that products share which differ in their source only; empty for those that stand alone.
    keep : timedelta or None
        How long versions stay before `gc` removes them; None for ever.
    validators : tuple of Validator
        Beside those of every product: `tiles.shardwise.validators_of`.
    """

    name: str
    title: str
    description: str
    schema: int = 1
    grid: Grid | None = None
    dimensions: tuple[Dimension, ...] = ()
    variables: tuple[Variable, ...]
    chunk: tuple[int, ...]
    shard: tuple[int, ...] = ()
    read: Literal["hydrated", "chunk"] = "chunk"
    stale_after: timedelta | None = None
    expires_after: timedelta | None = None
    keep: timedelta | None = None
    version_rule: str
    due: Callable[[datetime], bool] | None = field(default=None, repr=False)
    on_request: bool = False
    family: str = ""
    joined_along: str = ""
    validators: tuple[Validator, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.shard:
            object.__setattr__(self, "shard", self.chunk)

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of all dimensions, in order."""
        return tuple(d.name for d in self.dimensions) + (self.grid.dims if self.grid else ())

    def variable(self, name: str) -> Variable:
        """Return the declaration of a variable.

        Raises
        ------
        KeyError
            The product has no such variable.
        """
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise KeyError(f"{self.name} has no variable '{name}'; it has {', '.join(v.name for v in self.variables)}")

    def dims_of(self, variable: Variable) -> tuple[str, ...]:
        """Return the names of a variable's dimensions, in order."""
        return tuple(d.name for d in self._own(variable)) + (self.grid.dims if self.grid else ())

    def _own(self, variable: Variable) -> tuple[Dimension, ...]:
        return tuple(d for d in self.dimensions if variable.over is None or d.name in variable.over)

    def layout(
        self, variable: Variable, sizes: Mapping[str, int]
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return shape, inner chunk and shard of a variable in a version whose own dimensions have these sizes."""
        chunks, shards = dict(zip(self.dims, self.chunk, strict=True)), dict(zip(self.dims, self.shard, strict=True))
        own, places = self._own(variable), self.grid.dims if self.grid else ()
        shape = (*(sizes[d.name] for d in own), *(self.grid.shape if self.grid else ()))

        def along(each: Mapping[str, int]) -> tuple[int, ...]:
            # an axis that is one chunk long by declaration follows the version's length
            follows = (sizes[d.name] if each[d.name] == d.size else each[d.name] for d in own)
            return (*follows, *(each[name] for name in places))

        return shape, along(chunks), along(shards)
