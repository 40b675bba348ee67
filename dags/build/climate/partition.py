"""What somebody asks of the climate archive: months, upstreams, areas."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_hex

from catalog.sources import frost
from catalog.sources.climate_archive import ARCHIVES
from catalog.sources.http import without_credentials
from dags.areas import Area
from dags.build.climate.archive_hours import Month, Upstream, hour_axis
from dags.build.provenance import code_version, user_agent
from tiles.grid import distance_km
from tiles.products.climate_archive import PRODUCT
from tiles.products.tmy import FIRST_YEAR, LAST_YEAR

REANALYSES = tuple(name for name, archive in ARCHIVES.items() if archive.kind == "reanalysis")
SOLARMODEL = "sarah3"
# Raised by one when the way from files to cells changes.
RECORD = 1
DEFAULT = ("nora3", SOLARMODEL)
# Of areas: farther stations count little in the bias of their cells, and each costs as much as a cell.
STATIONS_WITHIN_KM = 100.0
_YEAR = re.compile(r"(\d{4})", re.ASCII)
_MONTHS = re.compile(r"(\d{4})-(\d{2})--(\d{4})-(\d{2})", re.ASCII)


@dataclass(frozen=True)
class Ask:
    """What is to be built.

    Parameters
    ----------
    partition : str
        A year, `1991`; or months of one, `2018-10--2018-12`, of which no typical year can be made.
    archives : tuple of str
        A reanalysis, `nora3` or `era5`, and a solar model, `sarah3`, unless there is none.
    urls : mapping of str to str
        Where archives, stations (`frost`) and borders (`kartverket`) are read, if not at their authorities'.
    store : str
        Its address.
    clock : str
        Its text.
    areas : tuple of Area
        None of them is the whole country.
    run : str
        Names the build; of two at once the later one goes on.
    """

    partition: str
    archives: tuple[str, ...]
    urls: Mapping[str, str] = field(repr=False)
    store: str
    clock: str = ""
    areas: tuple[Area, ...] = ()
    run: str = field(default_factory=lambda: token_hex(8))

    @property
    def months(self) -> tuple[Month, ...]:
        """The months that the partition names.

        Raises
        ------
        ValueError
            It is none, or none of the archive's.
        """
        if (year := _YEAR.match(self.partition)) and not FIRST_YEAR <= int(year[1]) <= LAST_YEAR:
            raise ValueError(f"'{self.partition}' is not of the archive, which is of {FIRST_YEAR} to {LAST_YEAR}")
        if match := _YEAR.fullmatch(self.partition):
            return tuple((int(match[1]), month) for month in range(1, 13))
        match = _MONTHS.fullmatch(self.partition)
        if match and match[1] == match[3] and 1 <= int(match[2]) <= int(match[4]) <= 12:
            return tuple((int(match[1]), month) for month in range(int(match[2]), int(match[4]) + 1))
        raise ValueError(f"'{self.partition}' is no year: write 1991, or months of one such as 2018-10--2018-12")

    @property
    def n_hours(self) -> int:
        """Hours of the version; of a part of a year one less, for an accumulation's last may lie in the next file."""
        last = self.months[-1]
        after = (last[0] + 1, 1) if last[1] == 12 else (last[0], last[1] + 1)
        hours = int(hour_axis([after], 1)[0] - hour_axis(self.months, 1)[0]) // 3600
        return hours if len(self.months) == 12 else hours - 1

    @property
    def upstreams(self) -> tuple[Upstream, ...]:
        """The archives that are read, the reanalysis first.

        Raises
        ------
        ValueError
            They are not one reanalysis and at most one solar model.
        """
        unknown = [name for name in self.archives if name not in ARCHIVES]
        kinds = [ARCHIVES[name].kind for name in self.archives if name in ARCHIVES]
        if unknown or kinds not in (["reanalysis"], ["reanalysis", "solarmodel"]):
            raise ValueError(
                f"'{'+'.join(self.archives)}' is no archive: write one of {', '.join(REANALYSES)}, with "
                f"'+{SOLARMODEL}' behind it if there is a solar model"
            )
        return tuple(Upstream(name, self.urls.get(name) or ARCHIVES[name].default_url) for name in self.archives)

    @property
    def whole_year(self) -> bool:
        """Whether typical years can be made of it."""
        return len(self.months) == 12

    @property
    def plan(self) -> str:
        """Fingerprint of what the blocks are made of, and how."""
        said = [self.partition, code_version(), RECORD, PRODUCT.schema]
        said += [(u.archive, without_credentials(u.url)) for u in self.upstreams]
        return sha256(repr(said).encode()).hexdigest()[:16]


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
