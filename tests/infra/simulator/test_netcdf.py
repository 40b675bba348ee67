"""The cycle files show the truth with the documented error, and are shaped like the real ones."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import pytest

from catalog.sources import arome_metcoop, met_nordic
from infra.simulator.netcdf import LAYOUTS, Source, make_cycle_file
from infra.simulator.weather import true_hour_mean_ghi

CYCLE = datetime(2015, 6, 21, tzinfo=UTC)
SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[Source, Path]:
    folder = tmp_path_factory.mktemp("cycles")
    names = {source: f"arome_metcoop_red_{source[14:]}_5km_20150621_00.nc" for source in LAYOUTS}
    names["met_nordic"] = "met_forecast_1_0km_nordic_20150621T00Z.nc"
    paths = {source: folder / name for source, name in names.items()}
    for source, path in paths.items():
        make_cycle_file(path, source, CYCLE, 60)
    return paths


def attributes(thing: Any) -> dict[str, Any]:
    return {name: value for name, value in thing.attrs.items() if not name.startswith("_")}


@pytest.mark.parametrize(("source", "missing"), [(met_nordic, ()), (arome_metcoop, ("cloud",))])
def test_our_source_reads_it(files: dict[Source, Path], source: Any, missing: tuple[str, ...]) -> None:
    folder = str(files["met_nordic"].parent)
    with source.open_cycle(folder, CYCLE, user_agent="test", deadline_s=20) as cycle:
        assert cycle.times.tolist() == [int(CYCLE.timestamp()) + 3600 * lead for lead in range(67)]
        assert (cycle.missing_variables, cycle.data_origin) == (missing, "simulated")
        assert cycle.altitude.max() > 800
        assert all(np.isfinite(field).all() for step in cycle.instants() for field in step.values())


@pytest.mark.parametrize("source", ["met_nordic", "arome_metcoop_test2"])
def test_accumulated_shortwave_is_the_truth_at_short_lead(files: dict[Source, Path], source: Source) -> None:
    with h5netcdf.File(files[source]) as file:
        accumulated = file[SHORTWAVE][...].astype(float).reshape(67, *file["latitude"].shape)
        lat, lon, times = file["latitude"][...], file["longitude"][...], file["time"][...]
    assert (accumulated[0] == 0).all()
    falls = np.diff(accumulated, axis=0)
    assert falls.min() >= 0
    hour_mean = falls / 3600
    true = true_hour_mean_ghi(lat, lon, times[:-1])
    assert hour_mean[true == 0].max(initial=0) < 1, "night is zero"
    day = true.mean(axis=(1, 2)) > 50
    errors = np.abs(hour_mean - true).mean(axis=(1, 2))[day] / true.mean(axis=(1, 2))[day]
    hours = np.flatnonzero(day)
    assert errors[hours < 4].max() < 0.08, "hardly any error in the first hours"
    assert errors[hours >= 48].mean() > 2 * errors[hours < 4].mean(), "the error grows"
    assert errors.max() < 0.6


@pytest.mark.parametrize("kind", ["test2", "default2"])
def test_arome_files_have_the_structure_of_the_real_ones(
    files: dict[Source, Path], shared_data: Path, kind: str
) -> None:
    real_path = shared_data / "arome_metcoop" / f"arome_metcoop_red_{kind}_5km_20150824_00.nc"
    with h5netcdf.File(real_path) as real, h5netcdf.File(files[f"arome_metcoop_{kind}"]) as ours:
        not_simulated = {"precipitation_amount"}
        assert set(ours.variables) == set(real.variables) - not_simulated
        for name in ours.variables:
            assert ours[name].dimensions == real[name].dimensions, name
            assert ours[name].dtype == real[name].dtype, name
            theirs = attributes(real[name])
            for attribute in ("units", "standard_name", "grid_mapping", "coordinates"):
                if attribute in theirs and name != "altitude":
                    ours_says = str(ours[name].attrs[attribute]).replace("+00:00", "+0000")
                    theirs_says = str(np.ravel(theirs[attribute])[0]).replace("+00:00", "+0000")
                    assert ours_says == theirs_says, (name, attribute)
            if ours[name].ndim > 2:
                assert ours[name].shape[:-2] == real[name].shape[:-2]


def test_written_again_it_is_the_same_file(files: dict[Source, Path], tmp_path: Path) -> None:
    again = tmp_path / "again.nc"
    make_cycle_file(again, "met_nordic", CYCLE, 60)
    assert again.read_bytes() == files["met_nordic"].read_bytes()
    assert again.stat().st_mtime == files["met_nordic"].stat().st_mtime == CYCLE.timestamp()
    assert [path.name for path in tmp_path.iterdir()] == ["again.nc"]


@pytest.mark.parametrize(
    ("cycle", "spacing_km"),
    [
        (CYCLE.replace(tzinfo=None), 60),
        (CYCLE + timedelta(minutes=30), 60),
        (CYCLE, 0),
        (CYCLE, float("nan")),
    ],
)
def test_nonsense_is_refused_and_leaves_nothing(tmp_path: Path, cycle: datetime, spacing_km: float) -> None:
    with pytest.raises(ValueError, match=r"whole UTC hour|can be made"):
        make_cycle_file(tmp_path / "x.nc", "met_nordic", cycle, spacing_km)
    assert not list(tmp_path.iterdir())
