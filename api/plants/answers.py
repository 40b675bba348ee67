"""The answers of the plant endpoints."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from api.core.fields import Closed, Maybe
from api.data.plants.calibration import CalibrationAnswer, calibration_fields
from api.data.plants.measurements import Summary
from api.data.plants.plant import Plant
from api.data.plants.uploads import State, Upload
from api.plants.upload_answers import Change, Checked, Interpreted, PreviewDay
from tiles.clock import iso

CONSENT_VERSION = "2026-09"
"""Of the texts in `prose.toml`."""

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class ArrayAnswer(Closed):
    """A surface with modules."""

    name: str
    kwp: float
    tilt_deg: float
    azimuth_deg: float = Field(description="Clockwise from north.")


class Consent(Closed):
    """What was consented to, and when."""

    tid: Moment
    versjon: str = Field(description="Of the text.")
    datatolkning: bool = Field(description="Whether headings and masked rows may go to a language model.")


class PlantAnswer(Closed):
    """A plant."""

    id: str
    navn: str
    latitude: float
    longitude: float
    flater: list[ArrayAnswer]
    kwp: float = Field(description="Of all surfaces.")
    ytelsesfaktor: float
    privat: bool
    samtykke: Consent
    opprettet: Moment
    sist_brukt: Moment = Field(description="Give or take a day.")
    warnings: Maybe[list[str]] = Field(None, description="Absent where there are none.")


class Plants(Closed):
    """The plants of a key."""

    anlegg: list[PlantAnswer]
    warnings: Maybe[list[str]] = Field(None, description="Absent where there are none.")


class Data(Closed):
    """The measurements of a plant."""

    timer: int = Field(description="Hours.")
    fra: str | None = Field(description="Start of the first hour (UTC).")
    til: str | None = Field(description="Start of the last hour (UTC).")
    kwh_totalt: float


class UploadSummary(Closed):
    """An upload in short."""

    opplasting_id: str
    status: State
    opprettet: Moment
    kontroll: str | None = Field(description="`ok`, `advarsel` or `feil`.")
    fra: str | None
    til: str | None
    timer: int | None
    kwh_totalt: float | None


class PlantDetails(PlantAnswer):
    """A plant with its measurements, calibration and uploads."""

    data: Data
    kalibrering: CalibrationAnswer
    opplastinger: list[UploadSummary] = Field(description="The latest ten.")


class UploadAnswer(Closed):
    """An uploaded file as it was read and checked."""

    opplasting_id: str
    status: State
    opprettet: Moment
    utloper: Moment = Field(description="Until when it can be confirmed.")
    tolkning: Interpreted
    endringer: list[Change] = Field(description="Corrections, with reasons.")
    kontroll: Checked
    forhandsvisning: list[PreviewDay] = Field(description="Measured and clear-sky energy of the last 60 days.")
    lagt_inn_automatisk: bool = Field(description="Whether it was stored without asking.")
    overlapper: int = Field(description="Hours that the plant has already: a confirmation replaces them.")
    lagret: Maybe[int] = Field(None, description="Hours that were stored, once it is confirmed.")
    erstattet: Maybe[int] = Field(None, description="Those of them that replaced others.")
    warnings: Maybe[list[str]] = Field(None, description="Absent where there are none.")


class StoredAnswer(Closed):
    """What of some measurements was stored."""

    lagret: int = Field(description="Hours.")
    erstattet: int = Field(description="Hours of them that replaced others.")
    ufullstendige: int = Field(description="Hours that values cover in part: they are not stored; send them whole.")
    fra: str = Field(description="Start of the first hour (UTC).")
    til: str = Field(description="Start of the last hour (UTC).")
    kontroll: Maybe[Checked] = Field(None, description="Of a day and more.")
    warnings: Maybe[list[str]] = Field(None, description="Absent where there are none.")


class Deleted(Closed):
    """A plant that was deleted."""

    id: str
    slettet: Literal[True] = True
    melding: str
    warnings: Maybe[list[str]] = Field(None, description="Absent where there are none.")


def hour(start: int | None) -> str | None:
    """Return unix seconds as they are answered."""
    return None if start is None else iso(datetime.fromtimestamp(start, UTC))


def plant_fields(plant: Plant) -> dict[str, Any]:
    """Return the fields of `PlantAnswer`."""
    consent = {"tid": iso(plant.consent_at), "versjon": plant.consent_version}
    return {
        "id": plant.id,
        "navn": plant.name,
        "latitude": plant.lat,
        "longitude": plant.lon,
        "flater": [array._asdict() for array in plant.arrays],
        "kwp": round(plant.kwp, 6),
        "ytelsesfaktor": plant.performance_ratio,
        "privat": plant.is_home,
        "samtykke": consent | {"datatolkning": plant.interpreter_consent},
        "opprettet": iso(plant.created_at),
        "sist_brukt": iso(plant.used_at),
    }


def details(plant: Plant, summary: Summary, uploads: list[Upload]) -> dict[str, Any]:
    """Return the fields of `PlantDetails`."""
    first, last = hour(summary.first), hour(summary.last)
    data = {"timer": summary.hours, "fra": first, "til": last, "kwh_totalt": round(summary.wh / 1000, 3)}
    latest = [_short(upload) for upload in uploads]
    return plant_fields(plant) | {"data": data, "kalibrering": calibration_fields(plant), "opplastinger": latest}


def upload_fields(upload: Upload) -> dict[str, Any]:
    """Return the fields of `UploadAnswer`."""
    times = {"opprettet": iso(upload.created_at), "utloper": iso(upload.expires_at)}
    return {"opplasting_id": upload.id, "status": upload.state, **times, **upload.content}


def _short(upload: Upload) -> dict[str, Any]:
    checked = upload.content["kontroll"]
    summary = checked.get("oppsummering") or {}
    named = {name: summary.get(name) for name in ("fra", "til", "timer", "kwh_totalt")}
    short = {"opplasting_id": upload.id, "status": upload.state, "opprettet": iso(upload.created_at)}
    return {**short, "kontroll": checked.get("status"), **named}
