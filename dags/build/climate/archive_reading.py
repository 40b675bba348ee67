"""The archive's years read back, cell by cell, as one series each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.versions import Entry, read_index
from dags.build.blocks import fingerprint_of
from dags.build.cells import Mask
from dags.build.climate import normals as climate
from dags.build.context import NothingToBuild
from kernels.tmy.calendar import Calendar
from kernels.tmy.cell import Series
from tiles.blocks import published_records, stitched
from tiles.building import Corner
from tiles.chunked import ChunkedTile
from tiles.grid import NORWAY3KM, Cell
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.climate_archive import BLOCK, PRODUCT
from tiles.store import Store

NEEDED = ("ghi_reanalysis", "temp_air", "rel_hum", "wind_speed", "mslp")
SOLARMODEL = "ghi_solarmodel"
# Of each year: the index of a variable's shard, and little else.
_CACHE_BYTES = 1 << 20
_HIGHEST_GROUND_M = 5000.0


class YearsMissing(NothingToBuild):
    """The archive lacks years or quantities; the text names them and says what to do."""


@dataclass(frozen=True)
class Years:
    """The published years of an archive, in order.

    Parameters
    ----------
    calendar : Calendar
    entries : tuple of Entry
    built : bool (rows, columns)
        Cells that every one of them holds.
    manifests : tuple of Manifest
        Of the entries.
    """

    calendar: Calendar
    entries: tuple[Entry, ...]
    built: Mask
    manifests: tuple[Manifest, ...]

    @cached_property
    def _shards(self) -> dict[Corner, list[str]]:
        """By block: year, name and checksum of every shard."""
        found: dict[Corner, list[str]] = {}
        for entry, manifest in zip(self.entries, self.manifests, strict=True):
            for name, stored in sorted(manifest.objects.items()):
                if "/c/" in name and name.split("/")[0] in manifest.variables:
                    row, column = map(int, name.split("/")[-2:])
                    corner = row * BLOCK, column * BLOCK
                    found.setdefault(corner, []).append(f"{entry.version} {name} {stored['sha256']}")
        return found

    def fingerprint(self, corners: Iterable[Corner] | None = None) -> str:
        """Return the fingerprint of what some blocks hold (all, when absent): the same of the same data.

        Parameters
        ----------
        corners : iterable of (int, int), optional
        """
        which = sorted(self._shards) if corners is None else sorted(corners)
        return fingerprint_of([self._shards.get(corner) for corner in which])


def years_of(store: Store, calendar: Calendar) -> Years:
    """Find the years of the archive.

    Raises
    ------
    YearsMissing
        Some are not published, or lack a quantity that a typical year needs.
    """
    index = read_index(store, PRODUCT.name)
    found = {year: index.get(str(year)) for year in range(calendar.first_year, calendar.last_year + 1)}
    absent = [str(year) for year, entry in found.items() if entry is None]
    if absent:
        one = f" --partition {absent[0]}" if len(absent) == 1 else ""
        which = ", ".join(absent) if len(absent) < len(found) else f"all years, {absent[0]} to {absent[-1]}"
        raise YearsMissing(f"the climate archive lacks {which}: build it with 'solflis build climate_archive{one}'")
    entries = tuple(entry for entry in found.values() if entry is not None)
    built, manifests = np.ones(NORWAY3KM.shape, bool), []
    for entry in entries:
        lacking = [name for name in NEEDED if name not in entry.variables]
        if lacking:
            raise YearsMissing(
                f"the climate archive of {entry.version}, from {entry.source}, has no {', '.join(lacking)}: no typical "
                "year can be made of it; build it from another reanalysis"
            )
        manifest = Manifest.read(store, entry.manifest)
        held = {corner: record.cells for corner, record in published_records(store, manifest).items()}
        built &= stitched(held, NORWAY3KM.shape, BLOCK)
        manifests.append(manifest)
    return Years(calendar, entries, built, tuple(manifests))


class Archive:
    """Reads cells of the archive's years. Not for several threads at once.

    Parameters
    ----------
    store : Store
    years : Years
    """

    def __init__(self, store: Store, years: Years) -> None:
        self.calendar = years.calendar
        self._tiles = [ChunkedTile(store, PRODUCT, entry.manifest, _CACHE_BYTES) for entry in years.entries]

    def series(self, cell: Cell) -> Series:
        """Return all hours of a cell; the solar model is NaN where it does not reach.

        Raises
        ------
        TileCorrupt
            A year is damaged there.
        """
        return Series(**{name: self._joined(name, cell) for name in (*NEEDED, SOLARMODEL)})

    def altitude(self, cell: Cell) -> float:
        """Return the height of the model's ground in a cell, m; NaN where the reanalysis does not say."""
        tile = self._tiles[-1]
        if "altitude" not in tile.manifest.variables:
            return float("nan")
        return float(PRODUCT.variable("altitude").unpack(np.atleast_1d(tile.series("altitude", cell)))[0])

    def _joined(self, name: str, cell: Cell) -> NDArray[np.float32]:
        out = np.empty(self.calendar.n_hours, np.float32)
        first = 0
        for tile, year in zip(self._tiles, range(self.calendar.first_year, self.calendar.last_year + 1), strict=True):
            hours = self.calendar.until(year) - first
            here = out[first : first + hours]
            if name not in tile.manifest.variables:
                here[:] = np.nan
            else:
                _unpack(tile.series(name, cell), *tile.scale(name), here, f"{name} of {year}")
            first += hours
        return out


def _unpack(packed: NDArray[np.uint16], scale: float, offset: float, out: NDArray[np.float32], what: str) -> None:
    if packed.shape != out.shape:
        raise YearsMissing(f"{what} in the climate archive has {packed.size} hours, not {out.size}: build it anew")
    np.multiply(packed, np.float32(scale), out=out, casting="unsafe")
    out += np.float32(offset)
    out[packed == FILL] = np.nan


def ground_of(archive: Archive, cell: Cell) -> float:
    """Return the height of the ground in a cell, m: the reanalysis', or where that does not say, the relief's."""
    altitude = archive.altitude(cell)
    if not np.isfinite(altitude):
        lat, lon = NORWAY3KM.centre(cell)
        altitude = float(climate.altitude(np.array([lat]), np.array([lon]))[0])
    return min(max(altitude, 0.0), _HIGHEST_GROUND_M)


def sources_of(manifests: Sequence[Manifest]) -> list[dict[str, Any]]:
    """Return which upstreams the years are from, each once, without the list of files that each year has."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for manifest in manifests:
        for source in manifest.provenance["sources"]:
            named = {key: source[key] for key in ("name", "licence", "attribution")}
            found.setdefault(tuple(named.values()), named)
    return list(found.values())
