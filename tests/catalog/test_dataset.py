"""What a data scientist opens: from any address, all years as one, named, and as it is written to NetCDF."""

import json
import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import xarray as xr

import catalog
from catalog.publish import Moment, publish
from catalog.remote import open_readable
from catalog.versions import read_index
from tests.support.archive import PROVENANCE
from tests.support.http_files import FileServer
from tests.support.tiles import CYCLE, OSLO, made_up_ghi
from tests.support.tmy import OSLO_CELL, TROMSO_CELL, annual_of
from tiles.clock import Clock
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.climate_archive import BLOCK
from tiles.products.climate_archive import PRODUCT as ARCHIVE
from tiles.products.registry import PRODUCTS
from tiles.store import open_store
from tiles.writer import Draft

NOT_MADE_UP = {"albedo", "day", "nowcast", "municipality_borders", "skill", "station_bias"}
"""Products that only their builders publish."""
ALIKE = {"reanalysis_tmy18", "reanalysis_tmy30", "solarmodel_tmy30"}
"""Products declared as `ens_tmy30` is."""


def publish_hours(store, version, begins, hours, level, *, names=("ghi_reanalysis", "altitude"), origin="simulated"):
    """Publish hours of the archive around Oslo, of one value each."""
    times = int(begins.timestamp()) + 3600 * np.arange(hours)
    draft = Draft(store, ARCHIVE, version, {"time": times}, {**PROVENANCE, "data_origin": origin, "made": version})
    corner = (OSLO_CELL[0] // BLOCK * BLOCK, OSLO_CELL[1] // BLOCK * BLOCK)
    for name in names:
        variable = ARCHIVE.variable(name)
        packed = np.full((*(() if variable.over == () else (hours,)), BLOCK, BLOCK), FILL, np.uint16)
        packed[..., OSLO_CELL[0] - corner[0], OSLO_CELL[1] - corner[1]] = variable.pack(np.array(level))
        draft.write_block(name, corner, packed)
    moment = Moment(begins, begins, begins + timedelta(hours=hours))
    return publish(draft, moment, now=begins, expected=None, report=lambda _: None)


@pytest.fixture(scope="module")
def hours_of_2019(everything):
    """Two days of the archive, in the store of all products."""
    publish_hours(everything, "2019", datetime(2019, 1, 1, tzinfo=UTC), 48, 100.0)


def opened(store, name):
    """Open a product, and of one that lies on a grid a few cells that are built."""
    product = PRODUCTS[name]
    if product.family:
        data = catalog.open(product.family, product=name, store=store)
    else:
        data = catalog.open(name, store=store)
    if product.grid is None:
        return data
    objects = Manifest.read(store, read_index(store, name).entries[-1].manifest).objects
    shards = [key.split("/c/")[1] for key in objects if "/c/" in key and key.split("/")[0] in data.data_vars]
    corner = [int(i) * side for i, side in zip(shards[0].split("/")[-2:], product.shard[-2:], strict=True)]
    return data.isel({dim: slice(at, at + 12) for dim, at in zip(product.grid.dims, corner, strict=True)})


@pytest.mark.parametrize(
    "name",
    [
        *sorted(PRODUCTS.keys() - NOT_MADE_UP - ALIKE),
        *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(ALIKE)),
    ],
)
@pytest.mark.usefixtures("hours_of_2019")
def test_every_product_is_written_to_netcdf_as_it_is(everything, tmp_path, name):
    data = opened(everything, name)
    data.to_netcdf(tmp_path / "x.nc")
    with xr.open_dataset(tmp_path / "x.nc", decode_coords="all") as back:
        xr.testing.assert_equal(back.load(), data.load())
        assert set(back.attrs) == set(data.attrs)
    with xr.open_dataset(tmp_path / "x.nc", mask_and_scale=False) as stored:
        for variable in data.data_vars:
            declared = PRODUCTS[name].variable(variable)
            packing = stored[variable].attrs
            assert stored[variable].dtype == np.uint16
            assert (packing["_FillValue"], packing["scale_factor"]) == (FILL, declared.scale)
            assert packing["add_offset"] == declared.offset


def test_an_attribute_that_netcdf_cannot_hold_is_json_text(everything):
    attributes = catalog.open("snow_factors", store=everything).attrs
    assert json.loads(attributes["municipalities"])[0][:2] == [301, "Oslo"]
    assert json.loads(attributes["missing_variables"]) == []
    assert attributes["data_origin"] == "simulated"


@pytest.mark.parametrize("ranges", [True, False])
def test_a_plain_file_server_is_enough(everything, ranges):
    with FileServer(everything.root, ranges=ranges) as server:
        data = catalog.open("forecast", store=f"{server.url}/")
        assert data.ghi.chunks is not None
        noon = data.ghi.isel(time=11).sel(lat=OSLO[0], lon=OSLO[1], method="nearest")
        assert float(noon) == pytest.approx(made_up_ghi(CYCLE)[11, 37, 35], abs=0.051)
        assert math.isnan(float(data.ghi[0, 0, 0]))
        asked = {request.path for request in server.requests}
    assert not any(path.endswith("/") for path in asked), "nothing is listed"
    with FileServer(everything.root) as server, pytest.raises(KeyError, match="solflis build skill"):
        catalog.open("skill", store=server.url)


def test_a_bucket_and_a_protocol_of_fsspec_give_what_the_folder_gives(everything, s3_url):
    import fsspec

    bucket, memory = open_store(s3_url), fsspec.filesystem("memory")
    for key in everything.keys("land"):
        bucket.put(key, everything.get(key))
        memory.pipe_file(f"/tiles/{key}", everything.get(key))
    expected = catalog.open("land", store=str(everything.root)).load()
    for address in (s3_url, "memory://tiles", f"file://{everything.root}"):
        xr.testing.assert_identical(catalog.open("land", store=address).load(), expected)


def test_what_lies_behind_https_is_not_written_to():
    store = open_readable("https://host/tiles")
    with pytest.raises(PermissionError, match="read only"):
        store.update("x/index.json", lambda _: b"")


def test_typical_years_are_chosen_by_name(everything):
    stats = catalog.open("tmy_stats", store=everything)
    assert stats["product"].values.tolist()[:2] == ["ens_tmy30", "reanalysis_tmy30"]
    mean = stats.annual_ghi_mean.sel(product="reanalysis_tmy30")[OSLO_CELL]
    assert float(mean) == pytest.approx(annual_of("reanalysis_tmy30", OSLO_CELL)["mean"], abs=0.02)


def test_hours_and_days_have_their_bounds(everything):
    hours = catalog.open("forecast", store=everything)
    assert hours.time.encoding["bounds"] == "time_bnds"
    assert (hours.time_bnds[:, 0] == hours.time).all()
    assert (hours.time_bnds[:, 1] - hours.time == np.timedelta64(1, "h")).all()
    days = catalog.open("snow_history", store=everything)
    assert days.time_bnds[0].values.astype("datetime64[h]").astype(str).tolist() == ["1957-09-01T06", "1957-09-02T06"]
    typical = catalog.open("tmy", product="ens_tmy30", store=everything)
    assert str(typical.hour_bnds.values[0, 0])[:13] == "2001-01-01T00"


def test_all_years_of_the_archive_are_one_series(store):
    year = {n: datetime(n, 1, 1, tzinfo=UTC) for n in (2017, 2018, 2019)}
    publish_hours(store, "2019", year[2019], 48, 300.0, origin="live")
    publish_hours(store, "2017", year[2017], 48, 100.0, names=("ghi_reanalysis", "altitude", "wind_speed"))
    publish_hours(store, "2018", year[2018], 48, 200.0)
    publish_hours(store, "2018-01--2018-01", year[2018], 24, 999.0)  # of which the year holds all
    data = catalog.open("climate_archive", store=store)
    at_oslo = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1])
    assert data.ghi_reanalysis.chunks is not None
    assert at_oslo.ghi_reanalysis.values.tolist() == [100.0] * 48 + [200.0] * 48 + [300.0] * 48
    assert np.isfinite(at_oslo.wind_speed.values).tolist() == [True] * 48 + [False] * 96
    assert data.time.to_index().is_monotonic_increasing
    assert data.time_bnds.shape == (144, 2)
    assert data.altitude.dims == ("y", "x")
    assert float(at_oslo.altitude) == 300.0, "of the newest year that has it"
    assert np.isnan(data.ghi_reanalysis.isel(y=TROMSO_CELL[0], x=TROMSO_CELL[1])).all()
    assert (data.attrs["data_origin"], data.attrs["versions"]) == ("simulated", "2017 2018 2019")
    assert "made" not in data.attrs, "what differs between years is of none of them"
    one = catalog.open("climate_archive", "2018", store=store)
    assert (one.sizes["time"], one.attrs["made"]) == (48, "2018")
    before = catalog.open("climate_archive", store=store, clock=Clock(year[2018]))
    assert before.attrs["versions"] == "2017 2018"
    packed = [data[name].encoding["dtype"] for name in ("ghi_reanalysis", "altitude")]
    assert packed == [np.uint16, np.uint16], "as NetCDF will hold them"
