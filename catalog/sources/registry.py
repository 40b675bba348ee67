"""The upstream sources, one row each: all that settings, provenance, STAC and the documentation need to know of them.

Data only: nothing of a source's module is imported here, so that a process which only needs an address stays light.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from catalog.sources.cycle import OpenCycle


class Producer(NamedTuple):
    """An authority: its name and home page."""

    name: str
    url: str


class Licence(NamedTuple):
    """A licence as provenance names it, its SPDX identifier (`other` where it has none), and its text's address."""

    name: str
    spdx: str
    url: str


@dataclass(frozen=True)
class Source:
    """One upstream data set.

    Parameters
    ----------
    name : str
        Key of the registry, of provenance, of the setting and of the simulator's path.
    title : str
    producer : Producer
    licence : Licence
    attribution : str
    protocol : {"NetCDF", "GeoJSON", "JSON", "WCS", "WFS", "WMS"}
        The first two are files, which may lie in a folder; the others are services.
    offline : bool
        Whether a folder of GeoPackages may stand in for the service.
    default_url : str
        Base address; empty where the authority serves no such files and the setting must name them.
    module : str
        Below `catalog.sources`; that of its name when absent.
    contact : str
        What the authority asks of its callers.
    simulated : bool
        Whether the simulator plays it.
    simulator_query : str
        Of the simulator's address, where the address of a source must hold one.
    cycle_every_h : int or None
        Hours between two cycles, counted from 00 UTC, of a source of forecasts; its module has `open_cycle`.
    """

    name: str
    title: str
    producer: Producer
    licence: Licence
    attribution: str
    protocol: Literal["NetCDF", "GeoJSON", "JSON", "WCS", "WFS", "WMS"]
    default_url: str
    module: str = ""
    contact: str = "User-Agent"
    simulated: bool = True
    cycle_every_h: int | None = None
    offline: bool = False
    simulator_query: str = ""

    @property
    def setting(self) -> str:
        """Name of the environment variable that holds its address."""
        return f"SOLFLIS_{self.name.upper()}_URL"

    @property
    def open_cycle(self) -> "OpenCycle":
        """Function that opens a cycle; its module is imported now."""
        return cast("OpenCycle", import_module(f"catalog.sources.{self.module or self.name}").open_cycle)

    def address(self, urls: Mapping[str, str]) -> str:
        """Return where it is read: what `urls` has under its name, else the authority's own address."""
        return urls.get(self.name) or self.default_url

    def named(self, data_origin: str) -> dict[str, str]:
        """Return name, licence and attribution of its data, as an entry of a provenance's `sources` begins."""
        live = {"licence": self.licence.name, "attribution": self.attribution}
        return {"name": self.name, **(simulated_terms(self.name) if data_origin == "simulated" else live)}


SIMULATED_LICENCE = "none: simulated data"


def simulated_terms(name: str) -> dict[str, str]:
    """Return licence and attribution of simulated data: nobody's work, and under nobody's licence."""
    return {"licence": SIMULATED_LICENCE, "attribution": f"SIMULATED by Solflis in the format of {name}"}


_MET_NORWAY = Producer("MET Norway", "https://www.met.no")
_KARTVERKET = Producer("Kartverket", "https://www.kartverket.no")
_NIBIO = Producer("NIBIO", "https://www.nibio.no")
_EEA = Producer("European Environment Agency", "https://www.eea.europa.eu")
_NORGE_I_BILDER = Producer("Norge i bilder (Kartverket, Statens vegvesen, NIBIO)", "https://www.norgeibilder.no")
_NVE = Producer("NVE", "https://www.nve.no")
_LSA_SAF = Producer("EUMETSAT LSA SAF", "https://lsa-saf.eumetsat.int")
_CM_SAF = Producer("EUMETSAT CM SAF", "https://www.cmsaf.eu")
_ECMWF = Producer("ECMWF / Copernicus Climate Change Service", "https://climate.copernicus.eu")

_CC_BY = Licence("CC BY 4.0", "CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/")
_CC_BY_NLOD = Licence("CC BY 4.0 / NLOD 2.0", _CC_BY.spdx, _CC_BY.url)
_NLOD = Licence("NLOD 2.0", "NLOD-2.0", "https://data.norge.no/nlod/no/2.0")
_EUMETSAT_POLICY = "https://www.eumetsat.int/legal-framework/data-policy"
_LSA_SAF_POLICY = Licence("EUMETSAT LSA SAF data policy", "other", _EUMETSAT_POLICY)
_CM_SAF_POLICY = Licence("CM SAF data policy", "other", _EUMETSAT_POLICY)
_OUTLINES = Licence("CC BY 4.0; of a file its own (OpenStreetMap: ODbL 1.0)", "other", _CC_BY.url)
_PICTURES = Licence(
    "by agreement with Norge digitalt, or whose pictures they are", "other", "https://www.norgeibilder.no"
)
_AR5_TERMS = Licence("NIBIO's terms for AR5: ask NIBIO before passing it on", "other", "https://www.nibio.no")
_EEA_TERMS = Licence("EEA standard re-use policy", "other", "https://www.eea.europa.eu/en/legal-notice")
_COPERNICUS_TEXT = "https://cds.climate.copernicus.eu/licences/licence-to-use-copernicus-products"
_COPERNICUS = Licence("Licence to use Copernicus Products", "other", _COPERNICUS_TEXT)

# fmt: off
_ROWS = (
    # the last two days, flat; older cycles lie by date under .../fileServer/metpparchive
    Source("met_nordic", "1 km forecast, a file a cycle", _MET_NORWAY, _CC_BY, "MET Norway, MET Nordic forecast",
           "NetCDF", "https://thredds.met.no/thredds/fileServer/metpplatest", cycle_every_h=1),
    Source("arome_metcoop", "2.5 km weather model, two files a cycle", _MET_NORWAY, _CC_BY, "MET Norway, AROME-MetCoOp",
           "NetCDF", "https://thredds.met.no/thredds/fileServer/arome25", cycle_every_h=6),
    Source("locationforecast", "MET Norway locationforecast 2.0", _MET_NORWAY, _CC_BY, "Based on data from MET Norway",
           "JSON", "https://api.met.no/weatherapi/locationforecast/2.0",
           contact="User-Agent with `SOLFLIS_CONTACT` or else `SOLFLIS_BASE_URL`"),
    Source("meteosat", "surface irradiance seen by satellite, every 15 minutes", _LSA_SAF, _LSA_SAF_POLICY,
           "EUMETSAT LSA SAF, MSG total and diffuse downwelling surface shortwave flux (MDSSFTD)",
           "NetCDF", "https://datalsasaf.lsasvcs.ipma.pt/PRODUCTS/MSG/MDSSFTD/NETCDF",
           contact="user and password in the address (logs never hold them)"),
    Source("frost", "hourly global radiation at stations", _MET_NORWAY, _CC_BY, "MET Norway, Frost API",
           "JSON", "https://frost.met.no", contact="client id as the user: `https://<client id>@frost.met.no`"),
    Source("kartverket", "borders of counties and municipalities (`Fylker-M.geojson`, `Kommuner-M.geojson`)",
           _KARTVERKET, _CC_BY, "Kartverket; generalised by robhop/fylker-og-kommuner",
           "GeoJSON", "https://raw.githubusercontent.com/robhop/fylker-og-kommuner/main"),
    Source("kartverket_wcs", "heights of ground (`dtm`) and surface (`dom`)", _KARTVERKET, _CC_BY,
           "Kartverket, Nasjonal høydemodell", "WCS", "https://wcs.geonorge.no/skwms1", "kartverket.heights"),
    Source("kartverket_adresser", "search for addresses and place names", _KARTVERKET, _CC_BY,
           "Kartverket, Matrikkelen og Sentralt stedsnavnregister", "JSON", "https://ws.geonorge.no",
           "kartverket.addresses"),
    Source("ar50", "land cover at 1:50,000", _NIBIO, _NLOD, "NIBIO, AR50",
           "WFS", "https://wfs.nibio.no/cgi-bin/ar50_2", "nibio.ar50", offline=True),
    # a public catalogue lists AR5 as no open data: a map to look at
    Source("ar5", "land cover at 1:5,000, near a site", _NIBIO, _AR5_TERMS, "NIBIO, AR5",
           "WMS", "https://wms.nibio.no/cgi-bin/ar5", "nibio.ar5", offline=True),
    Source("corine", "land cover in cells of 100 m, where AR50 knows nothing", _EEA, _EEA_TERMS,
           "European Environment Agency, CORINE Land Cover 2018", "WMS",
           "https://image.discomap.eea.europa.eu/arcgis/services/Corine/CLC2018_WM/MapServer/WMSServer"),
    Source("bygninger", "outlines of buildings", _KARTVERKET, _OUTLINES,
           "Kartverket, INSPIRE Buildings Core2d; of a file as it says (OpenStreetMap contributors)", "WFS",
           "https://wfs.geonorge.no/skwms1/wfs.inspire-bu-core2d", offline=True),
    Source("bygningspunkt", "register points of buildings, with their types", _KARTVERKET, _CC_BY,
           "Kartverket, Matrikkelen - Bygningspunkt", "WFS",
           "https://wfs.geonorge.no/skwms1/wfs.matrikkelen-bygningspunkt"),
    Source("ortofoto", "aerial pictures", _NORGE_I_BILDER, _PICTURES, "Norge i bilder, or whose pictures they are",
           "WMS", "", contact="ordered", simulator_query="?LAYERS=ortofoto"),
    Source("nora3", "hourly reanalysis, monthly files with downwelling shortwave", _MET_NORWAY, _CC_BY_NLOD,
           "MET Norway, NORA3 (Haakenstad et al. 2021)",
           "NetCDF", "https://thredds.met.no/thredds/fileServer/nora3_subset_atmos/atm_hourly_v2", "climate_archive"),
    Source("sarah3", "satellite-based solar model, monthly files of hourly means", _CM_SAF, _CM_SAF_POLICY,
           "EUMETSAT CM SAF, SARAH-3 surface incoming solar radiation (SIS)",
           "NetCDF", "", "climate_archive", contact="ordered"),
    Source("era5", "hourly reanalysis, monthly files", _ECMWF, _COPERNICUS,
           "ECMWF, ERA5 hourly data on single levels (Copernicus Climate Change Service)",
           "NetCDF", "", "climate_archive", contact="ordered", simulated=False),
    Source("nve_gts", "daily snow and temperature of 1 km cells, 1957 to nine days ahead", _NVE, _NLOD,
           "NVE, seNorge (NVE, MET Norway, Kartverket)",
           "JSON", "https://gts.nve.no", contact="User-Agent; one question at a time"),
)
# fmt: on

SOURCES: dict[str, Source] = {source.name: source for source in _ROWS}
FORECAST_SOURCES = {name: source.cycle_every_h for name, source in SOURCES.items() if source.cycle_every_h}
"""Hours between two cycles, by the name of each source of forecasts."""


_FOLDERS = ("file://", "/", "./", "../")


def addresses(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses that an environment sets, by source; a relative folder is made absolute.

    Raises
    ------
    ValueError
        One is malformed; the text names its variable.
    """
    found = {}
    for source in SOURCES.values():
        text = environment.get(source.setting, "").strip()
        is_service = source.protocol in ("JSON", "WCS", "WFS", "WMS") and not source.offline
        folders, place = ((), "") if is_service else (_FOLDERS, " or the path of a folder")
        if text and not text.startswith(("http://", "https://", *folders)):
            # not what it is: an address may hold a password
            raise ValueError(f"{source.setting}: expected an address (http://, https://){place}")
        if text:
            found[source.name] = text.rstrip("/") if "://" in text else str(Path(text).resolve())
    return found


def forecast_source(environment: Mapping[str, str]) -> str:
    """Return the source that an environment chooses for the forecast.

    Raises
    ------
    ValueError
        There is none of that name, or it has no forecasts.
    """
    name = environment.get("SOLFLIS_FORECAST_SOURCE", "").strip() or next(iter(FORECAST_SOURCES))
    if name not in FORECAST_SOURCES:
        raise ValueError(f"SOLFLIS_FORECAST_SOURCE='{name}': expected one of {', '.join(FORECAST_SOURCES)}")
    return name
