"""The four typical meteorological years of every 3 km cell: declared once, they differ in their source."""

from functools import partial

from tiles.grid import NORWAY3KM
from tiles.product import Dimension, Product
from tiles.products.climate_archive import BLOCK, weather
from tiles.quantities import GHI
from tiles.validators import NoGapsInSeries

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


_irradiance = partial(GHI, cell_methods="hour: mean")
_VARIABLES = (
    _irradiance(
        "ghi",
        long_name="global horizontal irradiance",
        comment=f"{_MEAN} Of the month's typical year, as it was. {_MISSING}",
    ),
    _irradiance(
        "dni",
        standard_name="surface_direct_along_beam_shortwave_flux_in_air",
        long_name="direct normal irradiance",
        valid_max=1400,
        comment=f"{_MEAN} Skartveit, Olseth & Tuft 1998 from ghi; ghi = dni x cosine of the zenith angle + dhi. "
        f"{_MISSING}",
    ),
    _irradiance(
        "dhi",
        standard_name="surface_diffuse_downwelling_shortwave_flux_in_air",
        long_name="diffuse horizontal irradiance",
        comment=f"{_MEAN} What of ghi is not beam. {_MISSING}",
    ),
    *weather("hour: point", f"{_INSTANT} Months are joined over six hours each side. {_MISSING}", required=True),
)


def _product(name: str) -> Product:
    source, first, last = MADE_OF[name]
    return Product(
        name=name,
        title=f"Typical meteorological year {name} for Norway",
        description=(
            f"Twelve typical months of {first}-{last} joined to one year of 8760 hours, of {source}. The year 2001 is "
            "a placeholder; which years the months are of says `tmy_stats`."
        ),
        grid=NORWAY3KM,
        dimensions=(
            Dimension(
                "hour",
                size=HOURS,
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
        validators=(NoGapsInSeries(),),
    )


PRODUCTS = tuple(_product(name) for name in MADE_OF)
