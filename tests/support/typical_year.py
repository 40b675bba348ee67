"""A made-up typical year: a sky at 60 N with clouds from day to day, plausible to the readers of weather files."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from api.tmy.year import HOURS, TypicalYear

LAT, LON = 60.39, 5.32
SELECTED = (1996, 2003, 2011, 1999, 2018, 1992, 2006, 2013, 1994, 2001, 2009, 2015)


def typical_year(**changes: Any) -> TypicalYear:
    """Return a year whose hours are closed: ghi = dni x sine of the sun's height + dhi."""
    rng = np.random.default_rng(5)
    hour = np.arange(HOURS)
    height = _sine_of_sun(hour + 0.5)
    up = np.maximum(height, 0.0)
    clear = np.repeat(rng.beta(1.2, 1.2, HOURS // 24), 24) * rng.uniform(0.85, 1.0, HOURS)
    dni = np.where(height > 0.03, 950.0 * clear * up**0.25, 0.0)
    dhi = up * (60.0 + 120.0 * (1.0 - clear)) * rng.uniform(0.9, 1.1, HOURS)
    season = -np.cos(2.0 * np.pi * (hour / 24.0 - 20.0) / 365.0)
    day = -np.cos(2.0 * np.pi * (hour % 24 - 2.0) / 24.0)
    walk = np.convolve(rng.normal(0.0, 1.0, HOURS + 47), np.ones(48) / 7.0, "valid")
    warm = 7.0 + 8.0 * season + 2.5 * day + 1.5 * walk
    year = TypicalYear(
        ghi=dni * up + dhi,
        dni=dni,
        dhi=dhi,
        temp_air=warm,
        rel_hum=np.clip(82.0 - 8.0 * day + 5.0 * walk, 20.0, 100.0),
        wind_speed=np.abs(4.0 + 2.0 * walk + rng.normal(0.0, 0.5, HOURS)),
        mslp=1010.0 - 8.0 * walk,
        lat=LAT,
        lon=LON,
        elevation_m=212.4,
        cell_id="N3-214-031",
        product="ens_tmy30",
        confidence="tmy",
        scale_factor=1.0,
        product_years=(1991, 2020),
        selected_years=SELECTED,
        annual={"tmy": 801.2, "mean": 799.0, "p50": 798.5, "p75": 780.1, "p90": 761.3, "p95": 750.9},
        annual_dni_kwh_m2_tmy=812.6,
        bias_correction_wm2=(0.0, -0.4, -1.2, -2.0, -2.5, -3.1, -2.9, -2.2, -1.1, -0.5, 0.0, 0.0),
        n_stations_bias=9,
        ensemble_weights={"reanalysis": 0.40, "solarmodel": 0.60},
        sources=[
            {"name": "Made-up reanalysis", "licence": "CC BY 4.0", "attribution": "Værvarslinga på Vestlandet; «A/B»"},
            {"name": "Made-up sun: a model", "licence": "CC BY 4.0", "attribution": "Sola, Tromsø"},
        ],
        method="NREL weights, five candidates; monthly GHI nearest the mean",
        license="Downloads are licensed for projects designed on or before 2026-09-30",
        license_version="tmy-v1-2026-09-30",
        license_last_day=date(2026, 9, 30),
        license_expired=False,
        generator="Solflis TMY, record 1",
        data_origin="live",
    )
    return replace(year, **changes)


def _sine_of_sun(hours: Any) -> Any:
    """Return the sine of the sun's height, for hours of UTC from the year's beginning on; good enough for a fixture."""
    declination = np.radians(23.45) * np.sin(2.0 * np.pi * (hours / 24.0 - 80.0) / 365.0)
    angle = np.radians(15.0 * (hours % 24.0 + LON / 15.0 - 12.0))
    lat = np.radians(LAT)
    return np.sin(lat) * np.sin(declination) + np.cos(lat) * np.cos(declination) * np.cos(angle)
