"""How far the archive is off at pyranometers, by month: what the ensemble is corrected by."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.sources import frost
from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.frost import Station
from catalog.sources.http import without_credentials
from catalog.sources.registry import SOURCES
from catalog.versions import Entry, read_index
from dags.build.blocks import fingerprint_of
from dags.build.climate import normals as climate
from dags.build.climate.archive_reading import Archive, Years, ground_of, sources_of
from dags.build.context import BuildContext, Report
from dags.build.provenance import provenance, user_agent
from kernels.tmy.bias import StationBias, station_bias
from kernels.tmy.bias_field import Sites, leave_one_out
from kernels.tmy.calendar import Calendar
from kernels.tmy.ensemble import spread
from kernels.tmy.sunlight import clear_year, sunlight_at
from tiles.chunked import ChunkedTile
from tiles.dimensions import MAX_STATIONS
from tiles.grid import NORWAY3KM, Cell
from tiles.manifest import Manifest
from tiles.products.climate_archive import BLOCK
from tiles.products.station_bias import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

# Raised by one when the method changes what a bias is.
RECORD = 1
MODELS = ("reanalysis", "ensemble")
NEAREST_KM = 6.0
_YEAR_DEADLINE_S = 1800.0


@dataclass(frozen=True)
class Biases:
    """What the stations tell.

    Attributes
    ----------
    version : str
    sites : Sites
        Of the stations, in the order of the rows of `bias`.
    bias : dict of str to float64 (stations, 12)
        Of `reanalysis` and `ensemble`, W/m2, NaN where a station does not tell.
    fingerprint : str
        Of what it was made of.
    """

    version: str
    sites: Sites
    bias: dict[str, NDArray[np.float64]]
    fingerprint: str


def ensure(years: Years, context: BuildContext) -> Entry:
    """Return the bias of these years, which is worked out and published first where it is not.

    Raises
    ------
    SourceError
        Frost does not answer, or not as it should.
    TileCorrupt
        The archive is damaged at a station.
    """
    url = context.address(frost.NAME)
    stations = frost.stations(url, user_agent=user_agent(), deadline_s=120.0).stations[:MAX_STATIONS]
    # of the stations' own cells: an archive that grows elsewhere changes no bias
    corners = {(row // BLOCK * BLOCK, column // BLOCK * BLOCK) for row, column in _cells(stations, years)[0].values()}
    fingerprint = fingerprint_of(
        RECORD, years.fingerprint(corners), [s.number for s in stations], without_credentials(url)
    )
    held = read_index(context.store, PRODUCT.name).get(version_of(years.calendar))
    if held is not None and Manifest.read(context.store, held.manifest).provenance.get("fingerprint") == fingerprint:
        context.report(f"the bias at stations is that of {held.attempt}")
        return held
    return _build(years, stations, fingerprint, context)


def version_of(calendar: Calendar) -> str:
    """Return the version that is made of an archive's years, `1991-2025`."""
    return f"{calendar.first_year}-{calendar.last_year}"


def _build(years: Years, stations: Sequence[Station], fingerprint: str, context: BuildContext) -> Entry:
    archive, calendar, report = Archive(context.store, years), years.calendar, context.report
    cells, left_out = _cells(stations, years)
    report(f"{len(cells)} of {len(stations)} stations stand in a cell of the archive")
    observed, origins = _observed(context.address(frost.NAME), sorted(cells), calendar, report)
    told: dict[int, dict[str, StationBias]] = {}
    for column, number in enumerate(sorted(cells)):
        told[number] = _compared(archive, cells[number], observed[:, column])
        reasons = {result.reason for result in told[number].values() if result.reason}
        if reasons:
            left_out[number] = "; ".join(sorted(reasons))
    for reason in sorted(set(left_out.values())):
        numbers = [str(number) for number, why in sorted(left_out.items()) if why == reason]
        report(f"left out, {reason}: station {', '.join(numbers)}")
    kept = [s for s in stations if s.number in told]
    said = provenance(
        [*sources_of(years.manifests), SOURCES[frost.NAME].named(origin_of(*origins))],
        source=f"{years.entries[-1].source}+{frost.NAME}",
        data_origin=origin_of(*(manifest.provenance["data_origin"] for manifest in years.manifests), *origins),
        fingerprint=fingerprint,
        stations=[[s.number, s.name, s.lat, s.lon, _height(s)] for s in kept],
        left_out={str(number): reason for number, reason in sorted(left_out.items())},
        leave_one_out=_verified(kept, told, report),
        missing_variables=[],
    )
    nothing = StationBias(np.full(12, np.nan), np.zeros(12, np.int64))
    # a table needs a station: one of number 0 tells nothing
    results = {s.number: told[s.number] for s in kept} or {0: {}}
    axes = {"month": np.arange(1, 13), "station": np.array(list(results), np.int64)}
    draft = Draft(context.store, PRODUCT, version_of(calendar), axes, said)
    for model in MODELS:
        values = np.stack([result.get(model, nothing).bias for result in results.values()], axis=1)
        if np.isfinite(values).any():
            draft.write(f"bias_{model}", values)
    counts = np.stack([result.get("reanalysis", nothing).years for result in results.values()], axis=1)
    draft.write("years", counts.astype(np.float64))
    begins, ends = (datetime(year, 1, 1, tzinfo=UTC) for year in (calendar.first_year, calendar.last_year + 1))
    return publish(draft, Moment(begins, begins, ends), now=context.clock.now(), expected=None, report=report)


def _cells(stations: Sequence[Station], years: Years) -> tuple[dict[int, Cell], dict[int, str]]:
    """Return the cell of each station that has one, and why others do not."""
    found: dict[int, Cell] = {}
    left_out: dict[int, str] = {}
    for station in stations:
        nearest = NORWAY3KM.nearest(station.lat, station.lon, years.built, NEAREST_KM)
        if nearest is None:
            left_out[station.number] = f"no cell of the archive within {NEAREST_KM:g} km is built"
        else:
            found[station.number] = nearest[0]
    return found, left_out


def _observed(
    url: str, numbers: Sequence[int], calendar: Calendar, report: Report
) -> tuple[NDArray[np.float32], list[DataOrigin]]:
    """Return what the stations measured, (n_hours, stations), a year at a time; and the origin of each year."""
    if not numbers:
        return np.empty((calendar.n_hours, 0), np.float32), []
    years, origins = [], []
    for year in range(calendar.first_year, calendar.last_year + 1):
        begins, ends = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
        got = frost.observations(url, numbers, begins, ends, user_agent=user_agent(), deadline_s=_YEAR_DEADLINE_S)
        years.append(got.ghi)
        origins.append(got.data_origin)
        report(f"observations of {year}: {np.isfinite(got.ghi).mean():.0%} of {len(numbers)} stations' hours")
    return np.concatenate(years), origins


def _compared(archive: Archive, cell: Cell, observed: NDArray[np.float32]) -> dict[str, StationBias]:
    """Compare what goes into a typical year, before it is corrected, with a station."""
    series, calendar = archive.series(cell), archive.calendar
    told = {"reanalysis": station_bias(series.ghi_reanalysis, observed, calendar)}
    if not np.isnan(series.ghi_solarmodel).all():
        lat, lon = NORWAY3KM.centre(cell)
        altitude = ground_of(archive, cell)
        sunlight = sunlight_at(lat, lon, altitude)
        clear = clear_year(sunlight, altitude, climate.linke_turbidity_of_months(lat, lon))
        ensemble, _ = spread(
            series.ghi_reanalysis, series.ghi_solarmodel, np.ones(12), clear, calendar, calendar.last_year
        )
        told["ensemble"] = station_bias(ensemble, observed, calendar)
    return told


def _verified(
    stations: Sequence[Station], told: dict[int, dict[str, StationBias]], report: Report
) -> dict[str, dict[str, float]]:
    """Return how good the correction is where there is no station: each corrected by the others."""
    found = {}
    for model in MODELS:
        with_bias = [s for s in stations if model in told[s.number] and not told[s.number][model].reason]
        if len(with_bias) < 2:
            continue
        bias = np.stack([told[s.number][model].bias for s in with_bias])
        before, after = leave_one_out(_sites([[s.lat, s.lon, _height(s)] for s in with_bias]), bias)
        found[model] = {"uncorrected_wm2": round(before, 2), "corrected_wm2": round(after, 2)}
        report(f"{model}, each station corrected by the others: {before:.1f} -> {after:.1f} W/m2 off, in the mean")
    return found


def read(store: Store, version: str) -> tuple[Biases, Entry]:
    """Read the published bias.

    Raises
    ------
    ValueError
        There is none.
    TileCorrupt
        It is damaged.
    """
    entry = read_index(store, PRODUCT.name).get(version)
    if entry is None:
        raise ValueError("the bias at stations is not published any more: begin this build again")
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    said = tile.manifest.provenance
    size = len(said["stations"])
    bias = {
        model: PRODUCT.variable(f"bias_{model}").unpack(tile.table(f"bias_{model}")).T[:size]
        if f"bias_{model}" in tile.manifest.variables
        else np.full((size, 12), np.nan)
        for model in MODELS
    }
    return Biases(entry.version, _sites([row[2:] for row in said["stations"]]), bias, said["fingerprint"]), entry


def _sites(rows: Sequence[Sequence[float]]) -> Sites:
    return Sites(*np.array(rows, np.float64).reshape(-1, 3).T)


def _height(station: Station) -> float:
    """Return a station's height, m; that of the relief where Frost does not say."""
    if station.altitude is not None:
        return station.altitude
    return round(float(climate.altitude(np.array([station.lat]), np.array([station.lon]))[0]), 1)
