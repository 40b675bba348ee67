"""A made-up horizon of a few blocks, published through the real writer."""

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from catalog.versions import Entry
from tests.support.tiles import draft_of_blocks, publish_at
from tiles.grid import HORIZON, Cell
from tiles.products.horizon import BLOCK
from tiles.products.registry import product
from tiles.store import Store
from tiles.writer import Draft

SIZE = BLOCK
YEAR = 2019
OSLO, BODO = (59.91, 10.75), (67.28, 14.4)
BUILT = datetime(2026, 5, 1, tzinfo=UTC)
AZIMUTHS = np.arange(720) / 2
BANK = (AZIMUTHS >= 150) & (AZIMUTHS < 160)


def corner(lat: float, lon: float) -> Cell:
    """The first cell of the block that holds a place."""
    row, column = HORIZON.cell_at(lat, lon)
    return row // SIZE * SIZE, column // SIZE * SIZE


def profiles(first: Cell) -> NDArray[np.float64]:
    """A hill in the east, and everywhere a height that tells the cells apart, (720, 64, 64), degrees."""
    rows, columns = np.meshgrid(np.arange(SIZE) + first[0], np.arange(SIZE) + first[1], indexing="ij")
    own = (rows % 97) * 0.02 + (columns % 89) * 0.002 - 1
    hill = 25 * np.maximum(np.cos(np.radians(AZIMUTHS - 90)), 0) ** 4
    found: NDArray[np.float64] = hill[:, None, None] + own
    return found


def distances(first: Cell) -> NDArray[np.float64]:
    """To what makes it, (720, 64, 64), m; NaN towards the open sea in the south-west. It tells the cells apart too."""
    rows, columns = np.meshgrid(np.arange(SIZE) + first[0], np.arange(SIZE) + first[1], indexing="ij")
    far = 2500 + 100 * (rows % 97) + 10 * (columns % 89) + 20 * AZIMUTHS[:, None, None]
    far[(AZIMUTHS >= 200) & (AZIMUTHS < 250)] = np.nan
    far[BANK] = 125
    return far


def beyonds(first: Cell) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What stands behind a bank in the south-south-east, 2 degrees lower and 4 km away, (720, 64, 64) each."""
    elevation, distance = np.full((2, 720, SIZE, SIZE), np.nan)
    elevation[BANK], distance[BANK] = profiles(first)[BANK] - 2, 4000
    return elevation, distance


def grounds(first: Cell) -> NDArray[np.float64]:
    """Heights of the ground, (64, 64), m; each row higher than the one before."""
    rows, columns = np.meshgrid(np.arange(SIZE) + first[0], np.arange(SIZE) + first[1], indexing="ij")
    return (rows % 97) * 3.0 + (columns % 89) * 0.4


def horizon_draft(store: Store, version: str = "2026-05-01T00", higher: float = 0.0) -> Draft:
    """A draft with the blocks of Oslo and Bodø; in that of Oslo the south-western chunk of 8 x 8 is not built."""
    declared, blocks = product("horizon"), {}
    for place in (OSLO, BODO):
        first = corner(*place)
        elevation_beyond, distance_beyond = beyonds(first)
        block = {
            "elevation": profiles(first) + higher,
            "distance": distances(first),
            "elevation_beyond": elevation_beyond + higher,
            "distance_beyond": distance_beyond,
            "ground": grounds(first),
            "dtm_year": np.full((SIZE, SIZE), float(YEAR)),
        }
        for values in block.values():
            values[..., : 8 * (place == OSLO), :8] = np.nan
        blocks[first] = {name: declared.variable(name).pack(values) for name, values in block.items()}
    return draft_of_blocks(store, declared, version, {"azimuth": AZIMUTHS}, blocks)


def publish_horizon(store: Store, version: str = "2026-05-01T00", higher: float = 0.0) -> Entry:
    """Publish it; every hill as many degrees higher."""
    return publish_at(horizon_draft(store, version, higher), BUILT)
