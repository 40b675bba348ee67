"""`method` of an answer: how it was made."""

from collections.abc import Sequence

from api.core.pipeline import origin_of
from api.core.prose import prose
from api.data.versions import credits_of
from api.snowload.site import Site
from catalog.snow_products import SnowCell
from kernels.snowload.seasons import LEAST_DAYS

DOCS = "/docs#get_api_snowload_calc"
PROSE = prose(__file__, "method")


def statistics(period: object, variability: str, detail: str = "full") -> str:
    """Return how the load of a return period is found, in words; `detail` is `short` or `full`."""
    return PROSE[f"statistics_{detail}"].format(period=period, variability=variability, least_days=LEAST_DAYS)


def method(site: Site, used: Sequence[SnowCell]) -> dict[str, str]:
    """Return how an answer was made; `used` are the cells that count."""
    fetched = sum(cell.on_demand for cell in used)
    how = [f"published as {version}" for version in sorted({cell.version for cell in used if not cell.on_demand})]
    how += [f"{fetched} of {len(used)} cells fetched from the authority on demand"] if fetched else []
    sources = {tuple(source.values()): source for cell in used for source in cell.sources}
    origin, named = origin_of(*(cell.data_origin for cell in used)), credits_of(list(sources.values()))
    first, last, query = site.seasons.start, site.seasons.stop, site.query
    return {
        "reference": PROSE["reference"],
        "data_source": (
            "water equivalent of the snow by the snow authority's model seNorge, cells of 1 km in UTM 33, winters from "
            f"{first}-{first + 1} to {last - 1}-{last}: {', '.join(how)}, {origin}: {named}"
        ),
        "statistics": statistics(query.returnperiod, f"{query.variability:g}", query.method),
        "disclaimer": PROSE["disclaimer"],
        "docs": DOCS,
    }
