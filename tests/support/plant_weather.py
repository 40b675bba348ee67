"""Made-up forecasts of one place through the real writer: each tells by its temperature which cycle it is of."""

from datetime import datetime, timedelta

import numpy as np

from catalog.publish import Moment, publish
from tests.support.tiles import MADE_UP, OSLO, draft_of_blocks, hour_starts, made_up_ghi
from tiles.grid import FORECAST
from tiles.product import FILL
from tiles.products.forecast import PRODUCT
from tiles.store import Store

_HOURS = 66
_SIDE = 128


def warmth(cycle: datetime) -> float:
    """Return the temperature of all hours of a cycle, degrees C."""
    return cycle.day + cycle.hour / 100


def publish_forecast(store: Store, cycle: datetime, level: float = 700.0) -> None:
    """Publish a cycle with values in Oslo's cell alone; irradiance is `level` times the sine of the sun's height."""
    row, column = FORECAST.cell_at(*OSLO)
    corner = row // _SIDE * _SIDE, column // _SIDE * _SIDE
    ghi = made_up_ghi(cycle, _HOURS, level, (slice(row, row + 1), slice(column, column + 1)))
    values = {"ghi": ghi, "temp_air": np.full_like(ghi, warmth(cycle))}
    block = {}
    for name, of_cell in values.items():
        block[name] = np.full((_HOURS, _SIDE, _SIDE), FILL, np.uint16)
        block[name][:, row - corner[0], column - corner[1]] = PRODUCT.variable(name).pack(of_cell)[:, 0, 0]
    provenance = {**MADE_UP, "sources": [], "licence": "none", "missing_variables": ["ghi_v1", "wind_speed"]}
    axes = {"time": hour_starts(cycle, _HOURS)}
    draft = draft_of_blocks(store, PRODUCT, f"{cycle:%Y-%m-%dT%H}", axes, {corner: block}, provenance)
    covered = np.zeros(FORECAST.shape, bool)
    covered[row, column] = True
    moment = Moment(cycle, cycle, cycle + timedelta(hours=_HOURS))
    publish(draft, moment, now=cycle, expected=covered, report=lambda _: None)
