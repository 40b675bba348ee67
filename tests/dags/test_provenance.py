"""What a version says of its sources."""

from datetime import UTC, datetime

import pytest

from dags.build.forecast import forecast
from tests.support import netcdf
from tiles.clock import Clock
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
    entry = forecast.build(
        "2026-06-20T06",
        "met_nordic",
        url=str(tmp_path / "up"),
        store=store,
        clock=Clock.parse("2026-06-20T12:00:00Z!"),
        report=lambda _: None,
    )
    provenance = Manifest.read(store, entry.manifest).provenance
    for terms in (provenance, provenance["sources"][0]):
        assert terms["licence"] == licence
        assert terms["attribution"].startswith(attribution)
