"""Body and answers of the terrain endpoints. Names are Norwegian, as the contract's are."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from api.core import fields
from api.core.body import distinct
from api.core.query import Query
from api.jobs.status import Status
from kernels.terrain.form import Shape
from kernels.terrain.polar import SECTORS

LAT, LON = (57.0, 72.0), (4.0, 32.0)
EXAMPLE: dict[str, Any] = {"lat": 59.9139, "lon": 10.7522, "hoyde_m": 10.0, "v_b0": 22.0}
MAX_BYTES = 100_000

FormatName = Literal["json", "pdf", "html", "geojson"]
Category = Literal["0", "I", "II", "III", "IV"]
Sector = Annotated[int, Field(strict=True, ge=1, le=SECTORS)]
Reason = Annotated[str, StringConstraints(strict=True, min_length=3, max_length=500, pattern=fields.LABEL_PATTERN)]
Percent = Annotated[float, Field(ge=0, le=100, description="%")]

_MEASURES = ("H_m", "L_H_m", "x_m", "L_d_m")
# How many of them c_o of a form is calculated from.
_NEEDED = {"hill": 4, "ridge": 4, "escarpment": 3, "valley": 3, "flat": 0}


@dataclass
class TerrainQuery(Query):
    """The parameters of the terrain endpoints."""

    format: Annotated[FormatName, Field(description="Of the result; `pdf` and `html` are the report.")] = "json"


class CategoryOverride(BaseModel, extra="forbid"):
    """Another category for a sector."""

    sektor: Sector
    kategori: Category
    begrunnelse: Reason = Field(description="Why; the report prints it.")


class FormOverride(BaseModel, extra="forbid"):
    """Another terrain form for a sector: `c_o` itself, or the measures from which it is calculated."""

    sektor: Sector
    begrunnelse: Reason = Field(description="Why; the report prints it.")
    form: Shape = Field(
        "flat", description="`flat` is c_o = 1, unless `c_o` is given; so is a `valley` without measures."
    )
    c_o: fields.Number | None = Field(None, ge=1, le=2, description="Counts instead of the measures.")
    H_m: fields.Number | None = Field(None, gt=0, le=2500, description="Height of the crest above the foot, m.")
    L_H_m: fields.Number | None = Field(
        None, ge=0.1, le=10_000, description="From the crest to half of that, upwind, m: half of L_u."
    )
    L_d_m: fields.Number | None = Field(
        None, ge=0.1, le=20_000, description="Length of the downwind slope, m; of a hill and a ridge."
    )
    x_m: fields.Number | None = Field(
        None, ge=-10_000, le=10_000, description="Of the site behind the crest, m; below 0 before it."
    )

    @model_validator(mode="after")
    def _complete(self) -> "FormOverride":
        given = [name for name in _MEASURES if getattr(self, name) is not None]
        lacking = [name for name in _MEASURES[: _NEEDED[self.form]] if name not in given]
        if given and "form" not in self.model_fields_set:
            lacking = ["form"]
        elif self.form == "valley" and given in ([], ["L_d_m"]):
            lacking = []
        if lacking and self.c_o is None:
            raise PydanticCustomError("missing", "missing", {"within": (lacking[0],)})
        return self


class Overrides(BaseModel, extra="forbid"):
    """The designer's own categories and forms."""

    sektorer: Annotated[list[CategoryOverride], Field(max_length=SECTORS), distinct("sektor")] = []
    terrengform: Annotated[list[FormOverride], Field(max_length=SECTORS), distinct("sektor")] = []


class TerrainRequest(BaseModel):
    """A site."""

    lat: fields.Number = Field(ge=LAT[0], le=LAT[1], description="Degrees north (WGS84).")
    lon: fields.Number = Field(ge=LON[0], le=LON[1], description="Degrees east (WGS84).")
    hoyde_m: fields.Number = Field(10.0, gt=0, le=200, description="Height above the ground, z, m.")
    v_b0: fields.Number | None = Field(
        None, ge=10, le=60, description="Basic wind velocity, m/s: then `v_m_ms` and `q_p_pa` are given too."
    )
    kart: fields.Flag = Field(False, description="Two maps in PDF and HTML: land cover, and relief.")
    ubekreftet: fields.Flag = Field(
        False, description="Give the factor c_S of a change of roughness too, which is UNVERIFIED and changes nothing."
    )
    overstyring: Overrides = Field(default_factory=Overrides, description="Categories and forms of the designer's own.")
    bekreftelser: Annotated[list[Sector], Field(max_length=SECTORS), AfterValidator(lambda seen: sorted(set(seen)))] = (
        Field([], description="Sectors that the designer has confirmed.")
    )
    prosjekt: fields.Label | None = Field(None, description="Printed in the report.")
    prosjekterende: fields.Label | None = Field(None, description="Who answers for overrides and confirmations.")


class Transition(fields.Closed):
    """Why a sector has its category: EN 1991-1-4, A.2, procedure 1."""

    regel: Literal["glattere", "vanligst", "ukjent"] = Field(
        description="`glattere`: a smoother category within its transition distance; `vanligst`: the commonest there "
        "is; `ukjent`: no land cover is known."
    )
    grense_m: int = Field(description="Distance within which the category counts, m.")
    andel_pct: Percent = Field(description="Its share within that distance; more than 10 counts.")
    avstand_m: int | None = Field(
        description="Where it begins to cover more than 10 % of the window, m, in steps of 100."
    )
    vanligst_1km: Category | None = Field(description="The commonest of the nearest kilometre.")


class Ring(fields.Closed):
    """Land cover of a ring of the sector's window (30 degrees)."""

    fra_m: int
    til_m: int
    andel_pct: dict[str, float] = Field(description="Of each category, and of `ukjent`, %; by area.")
    bygg_pct: Percent | None = Field(
        description="Of built-up ground under buildings, %; null unless 90 % of that ground is known."
    )
    bygg_hoyde_m: float | None = Field(description="Mean height of these buildings, m; 0 without any.")


class Stretch(fields.Closed):
    """Commonest land cover of the window from one distance to another."""

    klasse: str = Field(description="`open_sea`, `sheltered_sea`, `lake`, `forest` and so on, see `klasser`.")
    fra_m: int
    til_m: int


class Certainty(fields.Closed):
    """How sure a sector's category is, and whether the heights of its form are known."""

    sikker: bool
    margin_pct: float | None = Field(
        description="How far the nearest share that could change the category is from 10 %, percentage points."
    )
    ukjent_pct: Percent = Field(
        description="Of the nearest kilometre without known land cover; or, where that is more, of the nearest 2 km "
        "that may be category 0 (unknown, or sea that ends at unknown land cover less than 5 km away)."
    )
    ukjent_terreng_pct: Percent = Field(
        description="Of the line through the site, 7 km to either side, without known heights."
    )
    grunner: list[str] = Field(description="Why it is not sure; not of what the designer has given.")


class FormOfTerrain(fields.Closed):
    """Terrain form of a sector, with all that c_o is made of (EN 1991-1-4, A.3)."""

    form: Shape
    c_o: float = Field(ge=1)
    k_I: float = Field(description="Turbulence factor: 1; `le` tells where the standard may ask for more.")
    H_m: float = Field(description="Of the crest above the foot of the upwind slope; 0 on flat ground.")
    L_H_m: float | None = Field(description="From the crest to half of H, upwind.")
    L_u_m: float | None = Field(description="Length of the upwind slope: twice L_H.")
    L_d_m: float | None = Field(description="Length of the downwind slope; null behind an escarpment.")
    B_m: float | None = Field(description="Width of the top; null of an escarpment.")
    x_m: float | None = Field(description="Of the site behind the crest; below 0 before it.")
    L_e_m: float | None = Field(description="Effective length of the upwind slope.")
    phi: float | None = Field(description="Slope H / L_u; below 0.05 the ground counts as flat.")
    s: float | None = Field(description="Orographic location factor.")
    teller: bool = Field(description="Whether A.3(3) asks for c_o: the site is near enough to the crest.")
    isolert: bool = Field(description="Whether no other crest of half the height lies on the line; A.3 is meant so.")
    le: bool = Field(description="Less than 4 heights behind the edge of a slope steeper than 30 degrees.")


class Wind(fields.Closed):
    """Wind at the height asked for."""

    c_r: float = Field(description="Roughness factor (4.4).")
    I_v: float = Field(description="Turbulence intensity (4.7).")
    c_e: float = Field(description="Exposure factor q_p / q_b (4.9), whatever v_b0 is.")
    v_m_ms: float | None = Field(description="Mean wind (4.3), m/s; null without `v_b0`.")
    q_p_pa: float | None = Field(description="Peak velocity pressure (4.8), Pa; null without `v_b0`.")


class Unverified(fields.Closed):
    """Wind behind a change of roughness, as one public program has it: UNVERIFIED, and part of no result."""

    fra: Category = Field(description="Upwind of the change.")
    til: Category = Field(description="From there to the site.")
    x_B_km: float = Field(description="From the site to the change.")
    c_S: float
    v_m_ms: float | None
    q_p_pa: float | None


class SectorAnswer(fields.Closed):
    """A sector of 5 degrees."""

    sektor: int = Field(ge=1, le=SECTORS)
    retning_deg: float = Field(description="Middle of the sector from true north: the wind comes from there.")
    kategori: Category | None = Field(description="Null where no land cover is known.")
    kategori_beregnet: Category | None
    kategori_begrunnelse: str | None = Field(description="Of an override.")
    bekreftet: bool
    z0_m: float | None
    z_min_m: float | None
    k_r: float | None
    overgang: Transition
    ringer: list[Ring]
    profil: list[Stretch]
    sikkerhet: Certainty
    terrengform: FormOfTerrain
    terrengform_beregnet: FormOfTerrain | None = Field(description="Where `terrengform` is an override.")
    terrengform_begrunnelse: str | None
    vind: Wind | None = Field(description="Null where no land cover is known.")
    ubekreftet: fields.Maybe[Unverified] = None


class Result(fields.Closed):
    """The result of all sectors."""

    c_o_maks: float
    c_o_maks_sektor: int | None = Field(description="The first that has it; null where all are 1.")
    dimensjonerende_sektor: int | None = Field(
        description="Of the largest c_e, thus of the largest q_p: the first of those that share it."
    )
    c_e_maks: float | None
    q_p_maks_pa: float | None
    kategorier: dict[str, int] = Field(description="How many sectors have each category.")


class NationalValue(fields.Closed):
    """Values of a category."""

    kategori: Category
    z0_m: float
    z_min_m: float
    k_r: float


class Notice(fields.Closed):
    """A warning."""

    kode: str
    tekst: str


class Source(fields.Closed):
    """A source of heights or land cover."""

    navn: str
    brukt_til: str
    lisens: str
    navngivelse: str
    data_origin: Literal["live", "simulated"]
    dato: str | None = Field(description="Year or version of the data; null where the source does not say.")


class Terrain(fields.Closed):
    """Terrain category and terrain form of 72 sectors around a site."""

    lat: float
    lon: float
    terreng_moh: float = Field(description="Of the ground at the site, m above sea.")
    hoyde_m: float
    v_b0_ms: float | None
    standard: str
    status: Literal["beta"]
    data_origin: Literal["live", "simulated"]
    prosjekt: str | None
    prosjekterende: str | None
    resultat: Result
    sektorer: Annotated[list[SectorAnswer], Field(min_length=SECTORS, max_length=SECTORS)]
    nasjonale_verdier: list[NationalValue]
    klasser: dict[str, str] = Field(
        description="Classes of land cover, and the category that each counts as; `built_up` by its buildings."
    )
    metode: dict[str, str]
    advarsler: list[Notice]
    kilder: list[Source]
    warnings: fields.Warnings = None


class Queued(Status):
    """A job, and its result."""

    resultat: fields.Maybe[Terrain] = Field(None, description="Of a job that is done.")
