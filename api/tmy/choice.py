"""Which of the four products a query asks for: named itself, or by source and period."""

from typing import Literal, NamedTuple

from api import texts
from api.errors import BadRequest

Source = Literal["ensemble", "reanalysis", "solarmodel"]
Period = Literal["30", "18"]
ProductName = Literal["ens_tmy30", "reanalysis_tmy30", "reanalysis_tmy18", "solarmodel_tmy30"]
Confidence = Literal["tmy", "mean", "p50", "p75", "p90", "p95"]

SOURCE: Source = "ensemble"
PERIOD: Period = "30"


class Made(NamedTuple):
    """What source and period a product is of."""

    source: Source
    period: Period


PRODUCTS: dict[ProductName, Made] = {
    "ens_tmy30": Made("ensemble", "30"),
    "reanalysis_tmy30": Made("reanalysis", "30"),
    "reanalysis_tmy18": Made("reanalysis", "18"),
    "solarmodel_tmy30": Made("solarmodel", "30"),
}
ENSEMBLE: ProductName = "ens_tmy30"
"""The one that is mixed and bias corrected."""
_BY_MADE = {made: name for name, made in PRODUCTS.items()}


def choose(product: ProductName | None, source: Source | None, period: Period | None) -> ProductName:
    """Return the product that is asked for.

    Parameters
    ----------
    product, source, period : str or None
        As asked; None where not given.

    Raises
    ------
    BadRequest
        No product is of that source and period, or they contradict the product that is named.
    """
    if product is None:
        made = Made(source or SOURCE, period or PERIOD)
        if made not in _BY_MADE:
            choices = "; ".join(f"source={known.source}, period={known.period}" for known in _BY_MADE)
            raise BadRequest(texts.TMY_PERIOD.format(source=made.source, period=made.period, choices=choices))
        return _BY_MADE[made]
    made = PRODUCTS[product]
    against = {"source": (source, made.source), "period": (period, made.period)}
    for name, (given, own) in against.items():
        if given is not None and given != own:
            raise BadRequest(
                texts.TMY_CONTRADICTION.format(
                    product=product, given=f"{name}={given}", source=made.source, period=made.period
                )
            )
    return product
