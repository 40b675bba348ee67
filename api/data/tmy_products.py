"""The four products of typical years."""

from typing import Literal

ProductName = Literal["ens_tmy30", "reanalysis_tmy30", "reanalysis_tmy18", "solarmodel_tmy30"]
Confidence = Literal["tmy", "mean", "p50", "p75", "p90", "p95"]

PRODUCTS: tuple[ProductName, ...] = ("ens_tmy30", "reanalysis_tmy30", "reanalysis_tmy18", "solarmodel_tmy30")
ENSEMBLE: ProductName = "ens_tmy30"
"""The mixed and bias-corrected product, of which production and snow are calculated."""
