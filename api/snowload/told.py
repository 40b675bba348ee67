"""What answers say in words of how they were made; what the designer must know of them is in `warned.py`."""

from collections.abc import Iterable, Sequence

from api.snowload.asked import Asked
from api.snowload.maxima import Maxima
from kernels.snowload.seasons import LEAST_DAYS

REFERENCE = (
    "NS-EN 1991-1-3 with the Norwegian national annex, NA.4.1(2): characteristic snow load on the ground of a site, "
    "here from the series of snow in the cells around it"
)
DISCLAIMER = (
    "Decision support for the responsible designer, who checks it and decides; no substitute for the standard and its "
    "national annex. The load is that on flat, open ground, before shape, exposure and thermal coefficients. A cell's "
    "snow is a model's mean over 1 km2: drifts, wind-packed snow and single slopes are not in it, and a future climate "
    "is not either"
)
NO_BORDERS = "The borders of the municipalities are not published here yet: the municipality is not known."
_STATISTICS = (
    "highest water equivalent of each winter (September to August, days from 06 to 06 UTC) with at least {least_days} "
    "known days; value of the return period of {period} years by a gamma distribution (maximum likelihood on winters "
    "with snow, winters without as their share), a Gumbel distribution (moments) and the winters themselves "
    "(Gringorten's positions p, linear in p between two of them, beyond the highest in -ln(-ln p)); each over the "
    "highest maximum is a factor, factor_combined their mean, and char_swe_mm = factor_combined x max_swe_mm; load = "
    "water equivalent x 9.8 / 1000; the site's is the median of the cells times the variability factor "
    "{variability:g}, which stands for what a mean over 1 km2 does not show (other snow within the cell, the model's "
    "error): 1.5 where nothing else is asked for, 1 takes the cells as they are. Nothing is rounded up"
)
_DATA = (
    "water equivalent of the snow by the snow authority's model seNorge, cells of 1 km in UTM 33, winters from {first} "
    "to {last}: {how}, {origin}: {named}"
)


def method(asked: Asked, used: Sequence[Maxima]) -> dict[str, str]:
    """Return how an answer was made.

    Parameters
    ----------
    asked : Asked
    used : sequence of Maxima
        What the cells that count were read from.
    """
    return {
        "reference": REFERENCE,
        "data_source": _data_source(asked, used),
        "statistics": _STATISTICS.format(period=asked.period, variability=asked.variability, least_days=LEAST_DAYS),
        "disclaimer": DISCLAIMER,
    }


def _data_source(asked: Asked, used: Sequence[Maxima]) -> str:
    fetched = sum(one.on_demand for one in used)
    tiles = sorted({one.version for one in used if not one.on_demand})
    how = [f"published as {version}" for version in tiles]
    how += [f"{fetched} of {len(used)} cells fetched from the authority on demand"] if fetched else []
    sources = {tuple(source.values()): source for one in used for source in one.sources}
    return _DATA.format(
        first=f"{asked.seasons.start}-{asked.seasons.start + 1}",
        last=f"{asked.seasons.stop - 1}-{asked.seasons.stop}",
        how=", ".join(how),
        origin=origin(used),
        named="; ".join(f"{one['name']} ({one['licence']}; {one['attribution']})" for one in sources.values()),
    )


def origin(used: Iterable[Maxima]) -> str:
    """Return `simulated` if anything that answers is, else `live`."""
    return "live" if all(one.data_origin == "live" for one in used) else "simulated"
