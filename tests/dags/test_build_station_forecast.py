"""Forecasts at stations: the right cells, as the source has them, beside the forecast and without it."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyproj
import pytest

from catalog.sources import http
from catalog.sources.errors import SourceError
from catalog.sources.frost import Station
from catalog.versions import read_index
from dags.build.context import BuildContext
from dags.build.correction import correction, station_forecast
from dags.build.correction.station_reading import read
from dags.build.correction.stations import listed
from dags.build.forecast import forecast
from kernels import cloud, sun
from tests.support import netcdf
from tests.support.context import context_of
from tests.support.http_server import Respond, serving
from tests.support.stations import publish_table
from tiles.store import Store, open_store

CYCLE = datetime(2026, 6, 20, 6, tzinfo=UTC)
NOON = "2026-06-20T12:00:00Z!"
MADE = netcdf.MadeUp(steps=67, nx=60, ny=50, spacing=2500.0, attributes={"data_origin": "simulated"})
PLACES = {1: (10, 20), 2: (49, 0), 3: (0, 59), 4: (30, 31)}  # station: row and column of its cell
OUTSIDE = Station(9, "FAR AWAY", 59.9, 5.0, 3.0)


def place(row: float, column: float) -> tuple[float, float]:
    x, y = MADE.axes()
    lon, lat = pyproj.Proj(netcdf.PROJ4)(x[0] + 2500 * column, y[0] + 2500 * row, inverse=True)
    return lat, lon


def listing(stations: list[Station]) -> dict[str, Any]:
    rows = [
        {"id": f"SN{s.number}", "name": s.name, "geometry": {"coordinates": [s.lon, s.lat]}, "masl": s.altitude}
        for s in stations
    ]
    return {"data": rows, "data_origin": "simulated"}


# 0.4 of a cell from the centre, towards the next one
STATIONS = [OUTSIDE, *(Station(n, f"S{n}", *place(r + 0.4, c - 0.4), 10.0) for n, (r, c) in PLACES.items())]


def stub(document: dict[str, Any], asked: list[str]) -> Respond:
    def respond(path: str, *_: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(path)
        return 200, {}, json.dumps(document).encode()

    return respond


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


def upstream(folder: Path, edit: Callable[[h5py.File], None] | None = None) -> str:
    def mild(file: h5py.File) -> None:
        file["air_temperature_2m"][...] = 285.15
        if edit is not None:
            edit(file)

    netcdf.write(netcdf.met_nordic_path(folder, CYCLE), MADE, mild)
    return str(folder)


def asked_of(store: Store, url: str, frost: str, clock: str = NOON, report: Any = lambda _: None) -> BuildContext:
    addresses = {"met_nordic": url, "frost": frost}
    return context_of(store, clock, partition="2026-06-20T06", addresses=addresses, report=report)


def build(*asked: Any) -> Any:
    return station_forecast.build(asked_of(*asked))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str, list[str]]]:
    """A forecast with its stations, built as the DAG does; what Frost was asked."""
    folder, asked = tmp_path_factory.mktemp("stations"), []
    store, url = open_store(str(folder / "tiles")), upstream(folder / "up")
    with serving(stub(listing(STATIONS), asked)) as frost:
        forecast.build(asked_of(store, url, frost))
        yield store, url, asked


def test_the_forecast_brings_the_stations_inside_the_domain_along(made: Any) -> None:
    store, _, asked = made
    (entry,) = read_index(store, "station_forecast").entries
    assert (entry.version, entry.source, entry.data_origin) == ("2026-06-20T06", "met_nordic", "simulated")
    assert asked == ["/sources/v0.jsonld"]
    got = read(store, entry)
    assert got.stations.tolist() == [1, 2, 3, 4]
    assert got.times.tolist() == [int(CYCLE.timestamp()) + 3600 * h for h in range(66)]
    assert got.leads[[0, 65]].tolist() == [0.5, 65.5]
    assert len(got.provenance["stations"]["list"]) == 5, "the whole list, for a source that reaches further"
    assert got.provenance["correction_version"] == "identity"


def test_values_are_those_of_the_nearest_cell_of_the_source(made: Any) -> None:
    store, _, _ = made
    got = read(store, read_index(store, "station_forecast").entries[0])
    truth = MADE.truth()
    for i, (row, column) in enumerate(PLACES.values()):
        rate = np.diff(truth["ghi_acc"][:, row, column]) / 3600
        lat, lon = place(row, column)
        height = sun.elevation(lat, lon, got.times + 1800)
        lit, dark = height > 3, height < -4
        np.testing.assert_allclose(got.fields["ghi_raw"][lit, i], rate[lit], atol=0.06)
        assert np.all(got.fields["ghi_raw"][dark, i] == 0), "light at night is packing noise"
        np.testing.assert_array_equal(got.fields["ghi"][:, i], got.fields["ghi_raw"][:, i])
        day = height > 5  # at the horizon, the hour's mean sine is not that of its middle
        np.testing.assert_allclose(got.fields["sine"][day, i], np.sin(np.radians(height[day])), atol=0.01)
        clouds = truth["cloud"][:, row, column].astype(np.float32)
        expected = np.empty(66, np.float32)
        cloud.ghi_under_cloud(got.fields["gcs"][:, i].copy(), (clouds[:-1] + clouds[1:]) / 2, expected)
        np.testing.assert_allclose(got.fields["ghi_v1"][:, i], expected, atol=0.12)
        assert got.fields["gcs"][:, i].max() > 600


def test_the_backfill_gives_the_very_same_without_a_forecast(made: Any, tmp_path: Path) -> None:
    store, url, _ = made
    other = open_store(str(tmp_path))
    with serving(stub(listing(STATIONS), [])) as frost:
        entry = build(other, url, frost)
    ours = read(store, read_index(store, "station_forecast").entries[0])
    again = read(other, entry)
    for name, values in ours.fields.items():
        np.testing.assert_array_equal(again.fields[name], values)
    assert read_index(other, "forecast").entries == ()


def test_the_list_lasts_a_week_then_frost_is_asked_and_need_not_answer(made: Any) -> None:
    store, url, asked = made
    before = len(asked)
    lines: list[str] = []
    away = []

    def respond(path: str, *_: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(path)
        return (503, {}, b"") if away else (200, {}, json.dumps(listing(STATIONS)).encode())

    with serving(respond) as frost:
        build(store, url, frost.replace("//", "//id@"))
        assert len(asked) == before + 1, "the list of the version before is that of another address"
        build(store, url, frost)
        assert len(asked) == before + 1, "now it is of this one, and young enough"
        build(store, url, frost, "2026-06-27T13:00:00Z!")
        assert len(asked) == before + 2
        away.append(True)
        entry = build(store, url, frost, "2026-07-05T13:00:00Z!", lines.append)
    assert read(store, entry).stations.tolist() == [1, 2, 3, 4]
    assert any("the list of stations stays that of 2026-06-27T13:00:00Z" in line for line in lines)


def test_a_published_table_corrects_the_next_cycle_here_too(made: Any, store: Store) -> None:
    _, url, _ = made
    publish_table(store, 0.5, "2026-06-19")
    with serving(stub(listing(STATIONS), [])) as frost:
        got = read(store, build(store, url, frost))
    assert got.provenance["correction_version"] == "2026-06-19"
    bright = got.fields["gcs"] >= 6
    np.testing.assert_allclose(got.fields["ghi"][bright], got.fields["ghi_raw"][bright] / 2, atol=0.11)


def test_which_table_counts_for_whom(store: Store) -> None:
    """The newest of the same source and the same origin: what simulated weather taught never touches a real one."""
    for day, source, origin in (("17", "met_nordic", "live"), ("18", "met_nordic", "simulated"),
                                ("19", "arome_metcoop", "live"), ("21", "met_nordic", "live")):  # fmt: skip
        publish_table(store, 1.0, f"2026-06-{day}", source=source, origin=origin)

    def version(source: str, origin: str) -> str:
        return correction.current(context_of(store, NOON), source, origin)[1].version

    assert version("met_nordic", "live") == "2026-06-17", "that of the 21st lies in the future"
    assert version("met_nordic", "simulated") == "2026-06-18"
    assert version("arome_metcoop", "live") == "2026-06-19"
    assert version("arome_metcoop", "simulated") == "identity"


SLOW = pytest.mark.slow


@pytest.mark.parametrize("damage", [b"", pytest.param(b"{}", marks=SLOW), pytest.param(None, marks=SLOW)])
def test_a_damaged_list_is_asked_for_again_and_without_frost_the_forecast_is_published(
    made: Any, tmp_path: Path, damage: bytes | None
) -> None:
    _, url, asked = made
    store, lines = open_store(str(tmp_path)), []
    with serving(stub(listing(STATIONS), asked)) as frost:
        manifest = build(store, url, frost).manifest
        if damage is None:
            store.delete(manifest)
        else:
            store.put(manifest, damage)
        found = listed(asked_of(store, url, frost, report=lines.append))
        assert [s.number for s in found.stations] == [1, 2, 3, 4, 9]
    assert len(lines) == 1
    assert lines[0].startswith("warning: the list of stations of 2026-06-20T06 cannot be read: ")
    forecast.build(asked_of(store, url, "http://id@127.0.0.1:1", report=lines.append))
    assert read_index(store, "forecast").get("2026-06-20T06") is not None
    skipped = [line for line in lines if line.startswith("warning: station_forecast of this cycle is skipped: ")]
    assert len(skipped) == 1
    assert "id@" not in skipped[0]


@pytest.mark.parametrize(
    ("edit", "stations", "sentence"),
    [
        (None, [OUTSIDE], "no station lies in the domain"),
        (lambda f: f[netcdf.SHORTWAVE].__setitem__((40, 10, 20), 0.0), STATIONS, "at S1, step 40: .* a new base"),
    ],
)
def test_what_cannot_be_kept_is_refused(
    tmp_path: Path, store: Store, edit: Any, stations: list[Station], sentence: str
) -> None:
    with serving(stub(listing(stations), [])) as frost, pytest.raises(SourceError, match=sentence):
        build(store, upstream(tmp_path / "up", edit), frost)
    assert read_index(store, "station_forecast").entries == ()
