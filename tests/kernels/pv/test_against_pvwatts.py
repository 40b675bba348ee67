"""The chain against PVWatts 8 on the very file that a user of SAM downloads: eight planes at five places.

What differs in a year, PVWatts over ours less 1:

- Sun and sky: -0.5 to +0.1 %. PVWatts takes the sky for even below 2.5 degrees of sun, ours is Perez' to the end. Some
  days on which its sun does not set it leaves dark (19 hours at the polar circle, 37 in Finnmark, 1.2 % of a year);
  they are left out here.
- Glass: +0.7 to +2.5 % on planes that face the sun or lie level, up to +4.1 % on those to the north: PVWatts' glass
  takes from the beam alone, Martin & Ruiz' from sky and ground too.
- Modules: +2.1 to +5.7 %, to the north -4.5 to +8 %. By Huld's formula, from PVWatts' own light and warmth, it is +0.1
  to +1.1 %, for its modules are some 2 K cooler. The rest is the formula: PVGIS 5 has silicon lose 8 % of its
  efficiency at 200 W/m2, PVWatts next to nothing. What PVWatts takes by air mass (1 % of the year, to the north up to
  11 %) First Solar's formula gives by humid air (+0.6 to +1 %, in the cold of a mountain -0.6 %).
- Inverter: -5.6 to -7.5 %, to the north to -12 %: PVWatts' works at part load; ours is within `loss`.
- Together -2.5 to +2 %, to the north -2 to +7 %: the glass and the modules give what the inverter takes.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pvlib
import pytest

from api.tmy.formats.registry import FORMATS
from kernels.pv.light import light_of
from kernels.pv.plant import Produced, System, produced
from kernels.pv.site import site_of
from tests.kernels.pv.years import PLACES, made_up, only
from tests.support.typical_year import typical_year

PLANES = [(0, 180), (30, 180), (70, 200), (90, 180), (45, 90), (45, 270), (30, 0), (90, 0)]
KWP, LOSS = 10.0, 0.14
DARK_DAYS = {"polar circle": 2, "Finnmark": 4}


class PVWatts(NamedTuple):
    """Its hours, (8760,), of our UTC hours: W/m2, W; `aoi` degrees."""

    poa: Any
    tpoa: Any
    dc: Any
    ac: Any
    tcell: Any
    aoi: Any
    sunup: Any


def pvwatts(file: Path, tilt: float, azimuth: float) -> PVWatts:
    """A fixed roof without rows that shade each other, and an inverter as large as the modules."""
    import PySAM.Pvwattsv8

    model = PySAM.Pvwattsv8.default("PVWattsNone")
    model.SolarResource.solar_resource_file = str(file)
    model.SolarResource.use_wf_albedo, model.SolarResource.albedo = 0, [0.2] * 12
    system = {"system_capacity": KWP, "tilt": tilt, "azimuth": azimuth, "losses": 100 * LOSS}
    model.SystemDesign.assign({**system, "array_type": 1, "module_type": 0, "dc_ac_ratio": 1.0, "inv_eff": 96.0})
    model.execute(0)
    # Its first row is the hour that begins at 23:00 UTC.
    return PVWatts(*(np.roll(np.array(getattr(model.Outputs, name)), -1) for name in PVWatts._fields))


def ours(name: str, among: Any, tilt: float, azimuth: float) -> Produced:
    """The same plane with light in some hours alone."""
    site = site_of(only(made_up(name), among), *PLACES[name][:3])
    return produced(site, light_of(site), [(tilt, azimuth, KWP)], System(loss=LOSS))


def over(theirs: Any, ours: Any) -> float:
    """How much more theirs is, hours in thousandths, %."""
    return 100 * (float(theirs.sum()) / 1000 / float(ours.sum()) - 1)


@pytest.mark.parametrize("name", PLACES)
def test_each_step_differs_from_pvwatts_by_what_is_known(name: str, tmp_path: Path) -> None:
    place, file = PLACES[name], tmp_path / "sam.csv"
    year = typical_year(**made_up(name), lat=place.lat, lon=place.lon, elevation_m=place.altitude)
    file.write_bytes(FORMATS["tool_d"].write(year))
    for plane in PLANES:
        theirs, sunny = pvwatts(file, *plane), plane[1] != 0
        dark = (theirs.sunup == 0) & (made_up(name)["ghi"] > 20)
        assert np.unique(np.flatnonzero(dark) // 24).size <= DARK_DAYS.get(name, 0), "days without sunset alone"
        seen = ours(name, theirs.sunup > 0, *plane)
        among = (theirs.sunup > 0) & (theirs.aoi < 80)
        front, (poa, tpoa, dc, _, tcell, *_) = ours(name, among, *plane), (hours[among] for hours in theirs)
        huld = np.maximum(pvlib.pvarray.huld(tpoa, tcell, 1000 * KWP, cell_type="csi", k_version="pvgis5"), 0)
        found = {
            "sun and sky": (over(theirs.poa, seen.poa), -0.6, 0.1),
            "glass": (over(tpoa, front.effective) - over(poa, front.poa), 0.5, 2.6 if sunny else 4.3),
            "modules by Huld": (over(huld, front.dc) - over(tpoa, front.usable), 0.0, 1.3),
            "modules": (over(dc / (1 - LOSS), front.dc) - over(tpoa, front.effective), *MODULES[sunny]),
            "inverter": (100 * theirs.ac.sum() / theirs.dc.sum(), *INVERTER[sunny]),
            "together": (over(theirs.ac, seen.ac), *TOGETHER[sunny]),
        }
        assert {step: off for step, (off, low, high) in found.items() if not low < off < high} == {}, plane


# By whether the plane faces the sun, %.
MODULES = {True: (2.0, 6.0), False: (-4.7, 8.3)}
INVERTER = {True: (92.0, 95.0), False: (87.5, 92.5)}
TOGETHER = {True: (-2.7, 2.1), False: (-2.0, 7.0)}
