"""What a version says of its sources."""

import json
from datetime import UTC, datetime

import pytest

from catalog import stac
from dags.build.forecast import forecast
from tests.support import netcdf
from tests.support.context import context_of
from tiles.manifest import Manifest
from tiles.store import open_store

CYCLE = datetime(2026, 6, 20, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("attributes", "licence", "attribution"),
    [({}, "CC BY 4.0", "MET Norway"), ({"data_origin": "simulated"}, "none: simulated data", "SIMULATED by Solflis")],
)
def test_invented_weather_is_not_put_down_to_the_authority(tmp_path, attributes, licence, attribution):
    made = netcdf.MadeUp(steps=67, nx=40, ny=36, spacing=2500.0, attributes=attributes)

    def mild(file):
        file["air_temperature_2m"][...] = 285.15

    netcdf.write(netcdf.met_nordic_path(tmp_path / "up", CYCLE), made, mild)
    store = open_store(str(tmp_path / "tiles"))
    addresses = {"met_nordic": str(tmp_path / "up")}
    context = context_of(store, "2026-06-20T12:00:00Z!", partition="2026-06-20T06", addresses=addresses)
    entry = forecast.build(context)
    provenance = Manifest.read(store, entry.manifest).provenance
    for terms in (provenance, provenance["sources"][0]):
        assert terms["licence"] == licence
        assert terms["attribution"].startswith(attribution)
    item = json.loads(store.get(stac.item_key(entry)))
    assert item["properties"]["providers"][0]["name"] == ("Solflis" if attributes else "MET Norway")
