"""Which months of which archives a version of the climate archive is made of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from catalog.sources import frost
from catalog.sources.climate_archive import ARCHIVES
from catalog.sources.http import without_credentials
from dags.areas import Area
from dags.build.blocks import fingerprint_of
from dags.build.climate.archive_hours import Month, Upstream, hour_axis, month_after
from dags.build.context import BuildContext
from dags.build.provenance import user_agent
from tiles.grid import distance_km
from tiles.products.climate_archive import PRODUCT
from tiles.products.tmy import FIRST_YEAR, LAST_YEAR

REANALYSES = tuple(name for name, archive in ARCHIVES.items() if archive.kind == "reanalysis")
SOLARMODEL = "sarah3"
# Raised by one when the way from files to cells changes.
RECORD = 2
DEFAULT = ("nora3", SOLARMODEL)
# Of areas: farther stations count little in the bias of their cells, and each costs as much as a cell.
STATIONS_WITHIN_KM = 100.0
_YEARS = re.compile(r"(\d{4})-(\d{4})", re.ASCII)
_MONTHS = re.compile(r"(\d{4})(?:-(\d{2})--\1-(\d{2}))?", re.ASCII)


@dataclass(frozen=True)
class ArchiveFiles:
    """The monthly files that a version is made of.

    Parameters
    ----------
    partition : str
        A year, `1991`; or months of one, `2018-10--2018-12`, of which no typical year can be made.
    months : tuple of (year, month)
    upstreams : tuple of Upstream
        A reanalysis, `nora3` or `era5`, and a solar model, `sarah3`, unless there is none.
    """

    partition: str
    months: tuple[Month, ...]
    upstreams: tuple[Upstream, ...]

    @classmethod
    def of(cls, context: BuildContext) -> "ArchiveFiles":
        """Return the files that a context names.

        Raises
        ------
        ValueError
            The partition is none of the archive's, or the source is none.
        """
        partition = context.partition or ""
        return cls(partition, months_of(partition), _upstreams(context))

    @property
    def n_hours(self) -> int:
        """Hours of the version; of a part of a year one less, for an accumulation's last may lie in the next file."""
        first, after = (int(hour_axis([month], 1)[0]) for month in (self.months[0], month_after(self.months[-1])))
        hours = (after - first) // 3600
        return hours if self.whole_year else hours - 1

    @property
    def whole_year(self) -> bool:
        """Whether typical years can be made of it."""
        return len(self.months) == 12

    @property
    def fingerprint(self) -> str:
        """The same of the same files by the same method."""
        addresses = [(upstream.archive, without_credentials(upstream.url)) for upstream in self.upstreams]
        return fingerprint_of(self.partition, RECORD, PRODUCT.schema, addresses)


def months_of(partition: str) -> tuple[Month, ...]:
    """Return the months that a partition names.

    Raises
    ------
    ValueError
        It is none, or none of the archive's.
    """
    if match := _MONTHS.fullmatch(partition):
        year, first, last = int(match[1]), int(match[2] or 1), int(match[3] or 12)
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise ValueError(f"'{partition}' is not of the archive, which is of {FIRST_YEAR} to {LAST_YEAR}")
        if 1 <= first <= last <= 12:
            return tuple((year, month) for month in range(first, last + 1))
    raise ValueError(f"'{partition}' is no year: write 1991, or months of one such as 2018-10--2018-12")


def years_of(partition: str | None) -> list[str]:
    """Return the partitions of a year, of a range of years `1991-2025`, or of months; all years for none.

    Raises
    ------
    ValueError
        The range ends before it begins.
    """
    text = partition or f"{FIRST_YEAR}-{LAST_YEAR}"
    match = _YEARS.fullmatch(text)
    if match is None:
        return [text]
    if int(match[1]) > int(match[2]):
        raise ValueError(f"'{text}' is no range of years: write the first one first, such as 1991-2025")
    return [str(year) for year in range(int(match[1]), int(match[2]) + 1)]


def stations_near(areas: Sequence[Area], url: str) -> tuple[tuple[float, float], ...]:
    """Return where pyranometers stand whose bias counts in the areas: their cells are wanted too.

    Parameters
    ----------
    areas : sequence of Area
        None of them is the whole country, which has every station's cell anyway.
    url : str
        Of Frost.

    Raises
    ------
    SourceError
        Frost does not tell.
    """
    if not areas:
        return ()
    listed = frost.stations(url, user_agent=user_agent(), deadline_s=120.0)
    return tuple(
        (station.lat, station.lon)
        for station in listed.stations
        if any(distance_km(area.lat, area.lon, station.lat, station.lon) <= STATIONS_WITHIN_KM for area in areas)
    )


def _upstreams(context: BuildContext) -> tuple[Upstream, ...]:
    names = tuple(context.source.split("+")) if context.source else DEFAULT
    kinds = [ARCHIVES[name].kind if name in ARCHIVES else name for name in names]
    if kinds not in (["reanalysis"], ["reanalysis", "solarmodel"]):
        raise ValueError(
            f"'{'+'.join(names)}' is no archive: write one of {', '.join(REANALYSES)}, with '+{SOLARMODEL}' behind it "
            "if there is a solar model"
        )
    return tuple(Upstream(name, context.address(name)) for name in names)
