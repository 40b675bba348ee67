"""Validators for products too large to be held whole: each stored shard is checked as if it were the product."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiles.product import FILL, Context, Draft, Product, Validator
from tiles.validators import NoGapsInSeries, PhysicalRange, RequiredVariables

_NEVER = np.datetime64("NaT", "s")


@dataclass
class _Part:
    """Some arrays of a draft, as a draft of their own: a shard of one variable, or all variables of a block."""

    version: str
    whole: Draft
    values: Mapping[str, NDArray[np.uint16]]
    place: str = ""

    def names(self) -> list[str]:
        return list(self.values)

    def axis(self, name: str) -> NDArray[np.generic]:
        return self.whole.axis(name)

    def packed(self, name: str) -> NDArray[np.uint16]:
        return self.values[name]

    def shards(self, name: str) -> Iterator[tuple[str, NDArray[np.uint16]]]:
        if name in self.values:
            yield f"{name}/{self.place}", self.values[name]

    def judged(self, name: str) -> bool:
        return name not in self.values


@dataclass(frozen=True)
class ShardByShard:
    """A validator that judges each shard by itself, and a draft that stores some."""

    validator: Validator
    by_shards: ClassVar[bool] = True

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:
        """Return what is wrong, or None."""
        for name in draft.names():
            seen = draft.judged(name)
            for shard, values in draft.shards(name):
                wrong = self.validator.check(_Part(draft.version, draft, {name: values}), product, context)
                if wrong:
                    return f"in {shard}, {wrong}"
                seen = True
            if not seen:
                return f"{name} holds no value at all"
        return None


def validators_of(product: Product) -> tuple[Validator, ...]:
    """Return the validators of every product and of this one, by shards where the whole need not be in memory."""
    together = (RequiredVariables(), *product.validators, PhysicalRange())
    if product.read == "hydrated":  # which others hold whole anyway
        return together
    return tuple(ShardByShard(each) if isinstance(each, (PhysicalRange, NoGapsInSeries)) else each for each in together)


def judge_block(
    product: Product, draft: Draft, corner: tuple[int, int], packed: Mapping[str, NDArray[np.uint16]]
) -> str | None:
    """Return what the validators of shards find wrong with a block that is to be written, or None.

    Parameters
    ----------
    product : Product
    draft : Draft
        That it belongs to.
    corner : (int, int)
        Row and column of its first cell.
    packed : mapping of str to uint16 array (..., rows, columns)
    """
    there = {name: values for name, values in packed.items() if (values != FILL).any()}
    part = _Part(draft.version, draft, there, f"block at row {corner[0]}, column {corner[1]}")
    context = Context(draft.version, _NEVER, _NEVER)
    for validator in validators_of(product):
        if getattr(validator, "by_shards", False) and (wrong := validator.check(part, product, context)):
            return wrong
    return None
