"""What the ground gives back: of the place by month, or as it is asked for."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from catalog.publish import Moment, publish
from tests.api.conftest import Start, damage
from tests.api.pv.conftest import production, pv
from tests.support.tmy import OSLO_CELL, TROMSO
from tiles.product import FILL
from tiles.products.albedo import PRODUCT
from tiles.products.climate_archive import BLOCK
from tiles.store import open_store
from tiles.writer import Draft

EVER = datetime(1957, 9, 1, 6, tzinfo=UTC)
ABOUT = {"source": "nve_gts", "data_origin": "simulated", "method": "by hand", "sources": []}
WINTER = np.array([0.6, 0.6, 0.5, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.3, 0.5])


def publish_albedo(folder: Path) -> None:
    draft = Draft(open_store(str(folder)), PRODUCT, "1957-2026", {"month": np.arange(1, 13)}, ABOUT)
    packed = np.full((12, BLOCK, BLOCK), FILL, np.uint16)
    corner = OSLO_CELL[0] // BLOCK * BLOCK, OSLO_CELL[1] // BLOCK * BLOCK
    packed[:, OSLO_CELL[0] - corner[0], OSLO_CELL[1] - corner[1]] = PRODUCT.variable("albedo").pack(WINTER)
    draft.write_block("albedo", corner, packed)
    publish(draft, Moment(EVER, EVER, EVER), now=EVER, expected=None, report=lambda _: None)


async def test_snow_brightens_a_wall_far_more_than_a_roof(start: Start, own: Path) -> None:
    publish_albedo(own)
    api = await start(store_folder=own)
    gains = {}
    for angle in (90, 35):
        tile, bare = [await production(api, angle=angle, **asked) for asked in ({}, {"albedo": 0.2})]
        gains[angle] = tile["annual"]["e_kwh"] / bare["annual"]["e_kwh"] - 1
        july = [each["monthly"][6]["e_kwh"] for each in (tile, bare)]
        assert july[0] == july[1], "in summer the ground is bare"
    assert gains[90] > 0.01 > 3 * gains[35] > 0


async def test_which_albedo_it_is_is_told(start: Start, own: Path) -> None:
    publish_albedo(own)
    api = await start(store_folder=own)
    tile = await production(api)
    assert tile["inputs"]["albedo"] == "tile"
    assert "January to December 0.60, 0.60, 0.50" in tile["method"]["albedo"]
    assert "albedo 1957-2026 (simulated): by hand" in tile["method"]["albedo"]
    asked = await production(api, albedo=0.25)
    assert (asked["inputs"]["albedo"], asked["method"]["albedo"]) == (0.25, "0.25 in all months, as asked")
    elsewhere, bare = await production(api, TROMSO), await production(api, TROMSO, albedo=0.2)
    assert elsewhere["method"]["albedo"] == "0.2 in all months: no albedo is built for this cell yet"
    assert elsewhere["annual"] == bare["annual"]


async def test_a_damaged_albedo_is_503_and_says_what_to_ask(start: Start, own: Path) -> None:
    publish_albedo(own)
    damage(own, "albedo", "albedo")
    api = await start(store_folder=own)
    asked = await api.ask(pv())
    assert asked.status == 503
    assert "albedo=0.2" in asked.json["error"]
    assert (await api.ask(pv(albedo=0.2))).status == 200
