"""The four typical meteorological years of every 3 km cell: declared once, they differ in their source."""

from tiles.grid import NORWAY3KM
from tiles.product import Dimension, Product, Variable
from tiles.products.climate_archive import BLOCK, weather
from tiles.shardwise import ShardByShard
from tiles.validators import NoGapsInSeries, PhysicalRange, RequiredVariables

HOURS = 8760
FAMILY = "tmy"

# Of each product: what it is made of, and its first and last year.
MADE_OF = {
    "ens_tmy30": ("reanalysis (0.40) and solar model (0.60), bias corrected against pyranometers", 1991, 2020),
    "reanalysis_tmy30": ("the reanalysis alone", 1991, 2020),
    "reanalysis_tmy18": ("the reanalysis alone", 2008, 2025),
    "solarmodel_tmy30": ("the satellite-based solar model, with the reanalysis' weather", 1991, 2020),
}
FIRST_YEAR, LAST_YEAR = 1991, 2025

_MEAN = "Mean over the hour that starts at `hour` (UTC)."
_INSTANT = "At the start of the hour, `hour` (UTC), and no mean over it."
_MISSING = "Missing (65535) on cells that are not built or that the source does not reach; never for part of a year."


def _irradiance(name: str, standard_name: str, long_name: str, highest: float, comment: str) -> Variable:
    return Variable(
        name,
        units="W m-2",
        standard_name=standard_name,
        long_name=long_name,
        cell_methods="hour: mean",
        scale=0.1,
        valid_max=highest,
        comment=f"{_MEAN} {comment} {_MISSING}",
    )


_VARIABLES = (
    _irradiance(
        "ghi", "surface_downwelling_shortwave_flux_in_air", "global horizontal irradiance", 1500,
        "Of the month's typical year, as it was.",
    ),
    _irradiance(
        "dni", "surface_direct_along_beam_shortwave_flux_in_air", "direct normal irradiance", 1400,
        "Skartveit, Olseth & Tuft 1998 from ghi; ghi = dni x cosine of the zenith angle + dhi.",
    ),
    _irradiance(
        "dhi", "surface_diffuse_downwelling_shortwave_flux_in_air", "diffuse horizontal irradiance", 1500,
        "What of ghi is not beam.",
    ),
    *weather("hour: point", f"{_INSTANT} Months are joined over six hours each side. {_MISSING}", required=True),
)  # fmt: skip


def _product(name: str) -> Product:
    source, first, last = MADE_OF[name]
    return Product(
        name=name,
        title=f"Typical meteorological year {name} for Norway",
        description=(
            f"Twelve typical months of {first}-{last} joined to one year of 8760 hours, of {source}. The year 2001 is "
            "a placeholder; which years the months are of says `tmy_stats`."
        ),
        schema=1,
        grid=NORWAY3KM,
        dimensions=(
            Dimension(
                "hour",
                size=HOURS,
                min_size=HOURS,
                long_name="start of the hour in the placeholder year 2001 of no leap day",
                standard_name="time",
                units="hours since 2001-01-01",
                dtype="int64",
                step="PT1H",
                bounds=(0, 1),
            ),
        ),
        variables=_VARIABLES,
        chunk=(HOURS, 1, 1),
        shard=(HOURS, BLOCK, BLOCK),
        on_request=True,
        family=FAMILY,
        version_rule="first and last year of the archive that it is made of, 1991-2025",
        validators=(RequiredVariables(), ShardByShard(PhysicalRange()), ShardByShard(NoGapsInSeries())),
    )


PRODUCTS = tuple(_product(name) for name in MADE_OF)
