"""The product `turbidity`: pvlib's climatology at the points of the forecast's grid, published once."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
from pvlib.clearsky import lookup_linke_turbidity

from dags.build.forecast import turbidity
from tests.support.context import context_of
from tiles.grid import FORECAST
from tiles.hydrate import hydrate
from tiles.products.turbidity import PRODUCT
from tiles.store import Store

CLOCK = "2026-06-21T10:00:00Z!"


def test_published_once_and_as_pvlib_has_it(tmp_path: Path, store: Store) -> None:
    entry = turbidity.ensure(context_of(store, CLOCK))
    assert (entry.version, entry.data_origin, entry.variables) == ("climatology", "live", ("linke_turbidity",))
    assert entry.issued_at < datetime(2000, 1, 1, tzinfo=UTC)
    assert turbidity.ensure(context_of(store, CLOCK)) == entry

    tile = hydrate(store, PRODUCT, entry.manifest, tmp_path / "hydrated")
    scale, offset = tile.scale("linke_turbidity")
    middles = pd.DatetimeIndex([f"2026-{month:02}-15" for month in range(1, 13)], tz="UTC")
    for lat, lon in ((59.91, 10.75), (60.6, 7.5), (69.65, 18.96), (57.0, 4.0), (72.0, 32.0)):
        cell = FORECAST.cell_at(lat, lon)
        ours = np.frombuffer(tile.raw("linke_turbidity", *cell), "<u2") * scale + offset
        # the maps are of 1/12 degree: pvlib takes the nearest point, we what lies between four
        theirs = lookup_linke_turbidity(middles, *FORECAST.centre(cell), interp_turbidity=False)
        np.testing.assert_allclose(ours, theirs, atol=0.25)
    tile.close()
