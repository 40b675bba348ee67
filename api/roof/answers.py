"""Answers of the roof endpoints."""

from typing import Annotated, Any, Literal

from pydantic import Field

from api.core import fields
from api.data.surfaces import Mounting
from api.jobs import status
from catalog.sources.vision import Material

Origin = Literal["live", "simulated"]
Form = Literal["flatt", "pulttak", "saltak", "valm", "halvvalm", "sammensatt"]
Degrees = Annotated[float, Field(description="Degrees.")]


class Place(fields.Closed):
    """The point."""

    lat: float
    lon: float
    x_utm33: float
    y_utm33: float


class Building(fields.Closed):
    """The building."""

    kilde_omriss: Literal["oppgitt", "bygninger", "overflate"] = Field(
        description="`oppgitt` by the caller; `bygninger`: the map's; `overflate`: from the surface model."
    )
    areal_m2: float
    hoyde_m: float | None = Field(
        description="Of the highest point of the roof above the ground; null where the heights show no roof."
    )
    takform: Form | None = Field(description="From the aerial picture, corrected by the heights; null without one.")
    takform_profiler: Form | None = Field(description="From the heights; null where they show no roof.")
    takform_korrigert: bool = Field(description="Whether picture and heights disagreed.")
    helning_flyfoto_grader: float | None
    takmateriale: Material | None
    eksisterende_solceller: bool
    hovedakse_grader: float | None = Field(
        description="Of the long side, clockwise from north, 0 to 180; null where the heights show no roof."
    )
    omriss: dict[str, Any] = Field(description="GeoJSON, WGS84.")


class ModuleSize(fields.Closed):
    """The module."""

    wp: float
    lengde_mm: float
    bredde_mm: float


class Grid(fields.Closed):
    """How regular the modules of a surface stand."""

    moduler_per_rad: list[int]
    moduler_per_kolonne: list[int]
    regelmessig: bool
    rektangularitet: float
    hindringer: int
    advarsel: str | None


class RoofSurface(fields.Closed):
    """A surface of the roof; azimuths are clockwise from true north."""

    id: int
    type: Literal["skraa", "flat"]
    areal_m2: float = Field(description="On the slope.")
    helning_grader: float
    moduler: int
    kwp: float
    retning_grader: float = Field(description="Direction of the rows, 0 to 180.")
    fallretning_grader: float | None = Field(description="Where the modules face; null of east-west racks.")
    fallretning_hoydemodell_grader: float | None = Field(description="Where the surface falls; null of a flat one.")
    sikkerhet: float = Field(description="That tilt and azimuth are within 3 degrees, 0 to 1.")
    montering: Literal["skraatak", "ost_vest", "sor"]
    radavstand_m: float | None = Field(description="From rack to rack; null in the roof's plane.")
    rad_justering: Literal["takflate", "raft"]
    rad_merknad: str | None
    brukt: bool
    ikke_brukt_fordi: str | None
    tapt_til_skygge: int = Field(description="Modules left out for shade.")
    skyggetap_pst: float | None = Field(description="Share of the year's beam that its modules lose to near shade.")
    nett: Grid


class PvSurface(fields.Closed):
    """A surface as `/api/pv/calc` takes it; azimuth from south."""

    kwp: float
    helning_grader: float
    asimut_grader: float


class PvInput(fields.Closed):
    """Input of `/api/pv/calc`."""

    flater: list[PvSurface]
    arrays_param: str = Field(description="For `arrays`; empty without modules.")
    arsproduksjon_kwh: float | None = Field(
        None, description="`annual.e_kwh` of `/api/pv/calc` for `arrays_param` and `mounting`, all else by default."
    )
    arsproduksjon_merknad: str | None = Field(
        None, description="What `arsproduksjon_kwh` leaves out, and that it is of simulated data; or why it is null."
    )
    mounting: Mounting = Field(
        description="For `mounting`: `free` of racks; `building` where any module lies on a roof."
    )


class LayoutResult(fields.Closed):
    """The layout."""

    moduler: int
    kwp: float
    modul: ModuleSize
    montering: Literal["skraatak", "ost_vest", "sor", "blandet", "ingen"]
    montering_tekst: str
    brutto_takareal_m2: float
    brukbart_areal_m2: float
    modulareal_m2: float
    dekningsgrad_pst: float
    kwp_per_m2_tak: float
    takflater: list[RoofSurface]
    pv_kalkulator: PvInput


class Exclusion(fields.Closed):
    """An obstacle, or a zone that stays free; its area is on the slope."""

    type: str
    kilde: Literal["regler", "hoydemodell", "bilde"]
    areal_m2: float
    flate: int


class Check(fields.Closed):
    """Cross-check of heights and aerial picture."""

    status: Literal["ok", "avvik", "ikke_kjort"]
    merknader: list[str]
    nett_advarsler: list[int] = Field(description="Pitched surfaces with an irregular grid and no obstacles.")
    nettsjekk: Literal["ok", "avvik"]
    flater_rettet: list[int]


class Basis(fields.Closed):
    """What the result rests on; `SIMULERT` marks invented data."""

    hoydemodell: str
    ortofoto: str | None
    omriss: str
    ai: str = Field(description="What looked at the picture: `ingen`, `klassisk`, or the model's name.")
    advarsler: list[str]
    tid_s: float


class Meta(fields.Closed):
    """What made the result."""

    generator: str
    versjon: str


Collection = fields.Maybe[dict[str, Any]]


class Result(fields.Closed):
    """Result of an analysis."""

    punkt: Place
    bygning: Building
    resultat: LayoutResult
    takflater: list[RoofSurface] = Field(description="As in `resultat`.")
    utelukkelser: list[Exclusion]
    kvalitetssjekk: Check
    grunnlag: Basis
    moduler: Collection = None
    utelukkelser_geojson: Collection = None
    frie_soner_geojson: Collection = None
    meta: Meta
    data_origin: Origin


class Drawing(fields.Closed):
    """The drawing."""

    png_base64: str


class Layout(Result):
    """Result of an analysis, with its drawing."""

    tegning: fields.Maybe[Drawing] = None


class Status(status.Status):
    """A job, and its result."""

    tegning_url: fields.Maybe[str] = None
    resultat: fields.Maybe[Result] = None


class BuildingType(fields.Closed):
    """Type of the building at a point."""

    lat: float
    lon: float
    bygningstype: Literal["bolig", "landbruk", "naering", "ukjent"]
    kode: int | None = Field(description="Of NS 3457-3; null where the register has no building there.")
    navn: str | None
    bygningsnummer: str | None
    kilde: str
    data_origin: Origin
