"""From a position to what is known there, and to the hours of a typical year."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import NotFound, Unavailable
from api.tmy.choice import ENSEMBLE, PRODUCTS, Confidence, ProductName
from api.tmy.current import RETRY_S, STATS, Climate, Version
from api.tmy.licence import Licence
from api.tmy.place import Land, Place, require_coverage
from api.tmy.statistics import Statistics, read
from api.tmy.year import MEANS, QUANTITIES, TypicalYear
from tiles.grid import NORWAY3KM
from tiles.product import FILL
from tiles.products.tmy import MADE_OF


@dataclass(frozen=True)
class Found:
    """What answers for a position.

    Parameters
    ----------
    place : Place
    land : Land
    stats : Version
        That `known` was read from.
    known : Statistics
    """

    place: Place
    land: Land
    stats: Version
    known: Statistics


def find(climate: Climate, lat: float, lon: float, now: datetime) -> Found:
    """Return what answers for a position.

    Parameters
    ----------
    climate : Climate
    lat, lon : float
        Degrees north and east.
    now : datetime

    Raises
    ------
    BadRequest
        It lies outside the coverage.
    NotFound
        No cell of land is near.
    Unavailable
        Nothing is published, nothing is built there, or it cannot be read.
    """
    require_coverage(lat, lon)
    land = climate.land(now)
    place = land.nearest(lat, lon)
    stats = climate.stats(now)
    with stats.reading() as tile:
        known = read(tile, place.cell)
    if known is None:
        raise Unavailable(texts.TMY_NOT_BUILT.format(product=STATS), RETRY_S)
    return Found(place, land, stats, known)


def require_product(known: Statistics, product: ProductName, confidence: Confidence) -> None:
    """Refuse a product that does not exist in a cell, or one without the long-term value that is asked for.

    Raises
    ------
    NotFound, Unavailable
    """
    if product not in known.products:
        raise NotFound(texts.TMY_NO_PRODUCT.format(product=product, choices=", ".join(known.products)))
    if known.products[product].annual_ghi[confidence] is None:
        raise Unavailable(texts.TMY_NO_TARGET.format(confidence=confidence, product=product), RETRY_S)


def typical_year(
    found: Found,
    version: Version,
    product: ProductName,
    confidence: Confidence,
    tz: Literal["utc", "local"],
    licence: Licence,
    now: datetime,
) -> TypicalYear:
    """Return the year as writers of formats take it; `require_product` has let it through.

    Raises
    ------
    Unavailable
        It is not built in the cell, or cannot be read.
    """
    hours = hours_of(version, found.place, product)
    known = found.known.products[product]
    target = known.annual_ghi[confidence]
    factor = 1.0
    if confidence != "tmy" and target is not None:
        from kernels.tmy.scaling import scaled  # the machine code of others is loaded behind the first answers

        factor = factor_to(target, hours["ghi"])
        hours |= dict(zip(MEANS, scaled(hours["ghi"], hours["dni"], hours["dhi"], factor), strict=True))
    lat, lon = NORWAY3KM.centre(found.place.cell)
    bias, n_stations, weights = _made(found.known, product)
    return TypicalYear(
        **hours,
        lat=round(lat, 5),
        lon=round(lon, 5),
        elevation_m=round(found.known.elevation, 1),
        cell_id=found.place.cell_id,
        product=product,
        confidence=confidence,
        scale_factor=round(factor, 6),
        product_years=MADE_OF[product][1:],
        selected_years=known.selected_years,
        annual={name: np.nan if value is None else value for name, value in known.annual_ghi.items()},
        annual_dni_kwh_m2_tmy=np.nan if known.annual_dni is None else known.annual_dni,
        bias_correction_wm2=bias,
        n_stations_bias=n_stations,
        ensemble_weights=weights,
        sources=[dict(source) for source in version.sources],
        method=version.method,
        license=licence.sentence(now),
        license_version=licence.version,
        license_last_day=licence.last_day,
        license_expired=licence.expired(now),
        generator=version.generator,
        data_origin=origin(version, found.stats),
        tz=tz,
    )


def _made(known: Statistics, product: ProductName) -> tuple[tuple[float, ...], int, dict[str, float]]:
    """Return a product's bias correction, the stations behind it, and weights.

    All but the ensemble are one model as it is.
    """
    if product == ENSEMBLE:
        return tuple(known.bias_correction.round(2).tolist()), known.n_stations, known.weights
    weights = {name: float(name == PRODUCTS[product].source) for name in known.weights}
    return (0.0,) * len(known.bias_correction), 0, weights


def factor_to(target: float, ghi: NDArray[np.float64]) -> float:
    """Return what a year is multiplied by, so that its GHI is a target.

    Parameters
    ----------
    target : float
        kWh/m2.
    ghi : float64 (8760,)
        W/m2.
    """
    return target / (float(ghi.sum()) / 1000)


def hours_of(
    version: Version, place: Place, product: ProductName, quantities: Sequence[str] = QUANTITIES
) -> dict[str, NDArray[np.float64]]:
    """Return the hours of a cell as they are stored, each float64 (8760,).

    Raises
    ------
    Unavailable
        They are not built there, or cannot be read.
    """
    hours: dict[str, NDArray[np.float64]] = {}
    with version.reading() as tile:
        for name in quantities:
            packed = tile.series(name, place.cell)
            if packed[0] == FILL:
                raise Unavailable(texts.TMY_NOT_BUILT.format(product=product), RETRY_S)
            scale, offset = tile.scale(name)
            hours[name] = packed.astype(np.float64) * scale + offset
    return hours


def origin(*versions: Version) -> Literal["live", "simulated"]:
    """Return `simulated` if any of some versions is."""
    return "simulated" if any(version.entry.data_origin != "live" for version in versions) else "live"
