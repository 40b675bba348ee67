"""The product `turbidity`: pvlib's climatology at the points of the forecast's grid, published once."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pvlib.clearsky import lookup_linke_turbidity

from catalog.verify import verify
from catalog.versions import read_index
from dags.build.forecast import turbidity
from tests.support.context import context_of
from tiles.clock import Clock
from tiles.grid import FORECAST
from tiles.hydrate import hydrate
from tiles.products.turbidity import PRODUCT
from tiles.store import open_store

CLOCK = Clock.parse("2026-06-21T10:00:00Z!")


def test_published_once_and_as_pvlib_has_it(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    told: list[str] = []
    entry = turbidity.ensure(context_of(store, CLOCK, report=told.append))
    assert (entry.version, entry.data_origin, entry.variables) == ("climatology", "live", ("linke_turbidity",))
    assert entry.issued_at < datetime(2000, 1, 1, tzinfo=UTC)
    assert told
    assert verify(store, "turbidity", "climatology", report=told.append) == []

    told.clear()
    assert turbidity.ensure(context_of(store, CLOCK, report=told.append)) == entry
    assert told == []
    assert len(read_index(store, "turbidity").entries) == 1

    tile = hydrate(store, PRODUCT, entry.manifest, tmp_path / "hydrated")
    scale, offset = tile.scale("linke_turbidity")
    middles = pd.DatetimeIndex([f"2026-{month:02}-15" for month in range(1, 13)], tz="UTC")
    for lat, lon in ((59.91, 10.75), (60.6, 7.5), (69.65, 18.96), (57.0, 4.0), (72.0, 32.0)):
        cell = FORECAST.cell_at(lat, lon)
        ours = np.frombuffer(tile.raw("linke_turbidity", *cell), "<u2") * scale + offset
        # the maps are of 1/12 degree: pvlib takes the nearest point, we what lies between four
        theirs = lookup_linke_turbidity(middles, *FORECAST.centre(cell), interp_turbidity=False)
        np.testing.assert_allclose(ours, theirs, atol=0.25)
        assert ours == pytest.approx(theirs.mean(), abs=2.5)
    tile.close()
