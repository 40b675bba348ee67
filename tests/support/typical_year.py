"""A made-up typical year as the writers of weather files take it."""

from dataclasses import replace
from datetime import date
from typing import Any

from api.tmy.licence import Licence
from api.tmy.year import TypicalYear
from tests.support.tmy import QUAY_CELL, hours_of

LAT, LON = 60.39, 5.32
SELECTED = (1996, 2003, 2011, 1999, 2018, 1992, 2006, 2013, 1994, 2001, 2009, 2015)


def typical_year(**changes: Any) -> TypicalYear:
    """Return the year of a quay in Bergen, or one that differs in what is given."""
    hours: dict[str, Any] = {**hours_of("reanalysis_tmy18", QUAY_CELL)}
    year = TypicalYear(
        **hours,
        lat=LAT,
        lon=LON,
        elevation_m=212.4,
        cell_id="N3-214-031",
        product="ens_tmy30",
        confidence="tmy",
        scale_factor=1.0,
        product_years=(1991, 2020),
        selected_years=SELECTED,
        annual_ghi_kwh_m2={"tmy": 801.2, "mean": 799.0, "p50": 798.5, "p75": 780.1, "p90": 761.3, "p95": 750.9},
        annual_dni_kwh_m2_tmy=812.6,
        bias_correction_wm2=(0.0, -0.4, -1.2, -2.0, -2.5, -3.1, -2.9, -2.2, -1.1, -0.5, 0.0, 0.0),
        n_stations_bias=9,
        ensemble_weights={"reanalysis": 0.40, "solarmodel": 0.60},
        tz="utc",
        sources=[
            {"name": "Made-up reanalysis", "licence": "CC BY 4.0", "attribution": "Værvarslinga på Vestlandet; «A/B»"},
            {"name": "Made-up sun: a model", "licence": "CC BY 4.0", "attribution": "Sola, Tromsø"},
        ],
        method="NREL weights, five candidates; monthly GHI nearest the mean",
        licence=Licence("tmy-v1-2026-09-30", date(2026, 9, 30)),
        generator="Solflis TMY, record 1",
        data_origin="live",
    )
    return replace(year, **changes)
