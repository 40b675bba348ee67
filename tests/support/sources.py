"""Maps of land cover that a test makes up, in place of NIBIO's and of CORINE."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from catalog.built_up import BuiltUp
from catalog.sources import corine
from catalog.sources.errors import SourceError
from catalog.sources.land_cover import Cover, shape_of
from catalog.sources.nibio import ar5, ar50

FARM, FOREST, TOWN, SEA = 20, 30, 11, 82

Bounds = tuple[float, ...]


class Sources:
    """Maps of one code each, with a sea if wanted, which count how often they are read and can be made to fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.codes = {"ar50": FOREST, "corine": FARM, "ar5": FOREST}
        self.reads = dict.fromkeys(("ar50", "corine", "ar5", "built"), 0)
        self.fails: Callable[[str, Bounds], bool] = lambda name, bounds: False
        self.at_sea: Callable[[Any, Any], Any] = lambda x, y: False
        for module in (ar50, corine, ar5):
            monkeypatch.setattr(module, "window", self._map(module.NAME))
        monkeypatch.setattr("api.terrain.squares.built_up", self._built)

    def _read(self, name: str, bounds: Bounds) -> None:
        self.reads[name] += 1
        if self.fails(name, bounds):
            raise SourceError(f"{name}: is away")

    def _map(self, name: str) -> Callable[..., Cover]:
        def window(url: str, bounds: tuple[float, float, float, float], cell: float, **_: Any) -> Cover:
            self._read(name, bounds)
            codes = np.full(shape_of(bounds, cell), self.codes[name], np.uint8)
            x, y = (first + cell * (np.arange(n) + 0.5) for first, n in zip(bounds[:2], codes.shape[::-1], strict=True))
            codes[np.broadcast_to(self.at_sea(x, y[:, None]), codes.shape)] = SEA
            return Cover(codes, "live", {"url": url})

        return window

    def _built(self, _: Any, bounds: Any, cell: float, **__: Any) -> BuiltUp:
        self._read("built", bounds)
        shape = shape_of(bounds, cell)
        share, height = np.full(shape, 0.2, np.float32), np.full(shape, 18, np.float32)
        return BuiltUp(share, height, "kartverket_wcs", 2021, "live", ())
