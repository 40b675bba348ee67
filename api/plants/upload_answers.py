"""How an uploaded file was read and checked, as it is answered."""

from typing import Literal

from pydantic import Field

from api.core.fields import Closed

Severity = Literal["advarsel", "feil"]


class TimeDetails(Closed):
    """How times were read."""

    format: str = Field(description="Order of dates: `dmy`, `mdy`, `ymd` or `ydm`.")
    tidssone: str = Field(description="`Europe/Oslo`, `UTC`, an offset, or `fil`: the file says it in each row.")
    stempel: Literal["start", "slutt"] = Field(description="Which end of the interval a time stands at.")


class ValueDetails(Closed):
    """How values were read."""

    enhet: str
    storrelse: Literal["energi", "effekt", "teller"] = Field(description="Energy, mean power or a counter.")
    kolonner: list[str] = Field(description="Headings; several are added.")


class Details(Closed):
    """A reading in parts."""

    tid: TimeDetails
    verdi: ValueDetails
    intervall_min: int


class Interpreted(Closed):
    """How a file was read."""

    beskrivelse: str = Field(description="In Norwegian, for the owner.")
    usikkerheter: list[str] = Field(description="Questions, and the parameters that answer them on another upload.")
    sikkerhet: float = Field(description="0 to 1: of the least certain decision.")
    kilde: Literal["regelbasert", "lagret tolkning", "SunPoint datatolkning"]
    detaljer: Details


class Change(Closed):
    """A correction; `korriger=false` leaves it out."""

    kode: Literal["enhet", "tid", "negative", "future"]
    tekst: str


class Finding(Closed):
    """What the check found."""

    kode: str = Field(description="`natt`, `tid`, `topp_hoy`, `topp_lav`, `niva_hoy`, `niva_lav`, `negative`, ...")
    alvor: Severity = Field(description="`feil` keeps the upload from being confirmed.")
    tekst: str


class CheckSummary(Closed):
    """The hours in short."""

    fra: str | None = Field(description="Start of the first hour (UTC).")
    til: str | None = Field(description="Start of the last hour (UTC).")
    timer: int
    kwh_totalt: float
    andel_av_klarvaer: float = Field(description="Energy against that under a clear sky.")
    tyngdepunkt_avvik_timer: float | None = Field(description="Hours by which bright days are late; null: none is.")


class Checked(Closed):
    """The check of hours."""

    status: Literal["ok", "advarsel", "feil"]
    funn: list[Finding]
    oppsummering: CheckSummary


class PreviewDay(Closed):
    """A Norwegian day."""

    dato: str
    malt_kwh: float
    klarvaer_kwh: float
