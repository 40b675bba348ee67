"""Validators for products too large to be held whole: each stored shard is checked as if it were the product."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiles.product import Context, Draft, Product, Validator


@dataclass
class _Shard:
    """One shard of one variable, as a draft of its own."""

    version: str
    whole: Draft
    name: str
    values: NDArray[np.uint16]

    def names(self) -> list[str]:
        return [self.name]

    def axis(self, name: str) -> NDArray[np.generic]:
        return self.whole.axis(name)

    def packed(self, name: str) -> NDArray[np.uint16]:  # noqa: ARG002 - it has only the one
        return self.values

    def shards(self, name: str) -> list[tuple[str, NDArray[np.uint16]]]:
        return [(name, self.values)]


@dataclass(frozen=True)
class ShardByShard:
    """A validator that judges each shard by itself, and a draft that stores some."""

    validator: Validator

    def check(self, draft: Draft, product: Product, context: Context) -> str | None:
        """Return what is wrong, or None."""
        for name in draft.names():
            seen = 0
            for shard, values in draft.shards(name):
                wrong = self.validator.check(_Shard(draft.version, draft, name, values), product, context)
                if wrong:
                    return f"in {shard}, {wrong}"
                seen += 1
            if not seen:
                return f"{name} holds no value at all"
        return None
