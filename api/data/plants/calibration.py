"""The calibration of a plant as it is answered. Light: the API reads it without a kernel."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from api.core.fields import Closed
from api.core.prose import prose
from api.data.plants.plant import Plant
from tiles.clock import iso

_UNUSED: dict[str, Any] = {"method": "ingen", "factor": 1.0, "preliminary": False, "clip_w": None, "reason": "no_data"}


class CalibrationAnswer(Closed):
    """What measurements changed in a plant's production."""

    brukt: bool = Field(description="Whether production is calibrated: by factors, or by the limit of the inverter.")
    faktor: float = Field(description="From clear days; of `solposisjon` the mean by energy, without snow. 1: none.")
    klipp_kw: float | None = Field(description="Limit of the inverter; null where none is seen.")
    metode: Literal["ingen", "klarvaer", "solposisjon"] = Field(
        description="`klarvaer`: one factor from clear days; `solposisjon`: by the sun's position and month, with snow."
    )
    forelopig: bool = Field(description="Whether it is a first estimate, from clear days alone.")
    grunn: str = Field(description="Why, in Norwegian.")
    oppdatert: str | None = Field(
        description="When it was calculated (UTC); null before.", json_schema_extra={"format": "date-time"}
    )


def is_used(plant: Plant) -> bool:
    """Return whether a plant's production is calibrated."""
    stored = plant.calibration or _UNUSED
    return bool(stored["method"] != "ingen" or stored["clip_w"] is not None)


def calibration_fields(plant: Plant, *, wanted: bool = True, precise: bool = False) -> dict[str, Any]:
    """Return the fields of `CalibrationAnswer`.

    Parameters
    ----------
    plant : Plant
    wanted : bool
        Whether a request has not turned it off.
    precise : bool
        Whether a request asks for the precise engine, with which only the limit of the inverter counts.
    """
    stored, texts = plant.calibration or _UNUSED, prose(__file__, "sentences")
    clip = None if stored["clip_w"] is None else round(stored["clip_w"] / 1000, 3)
    fields = {
        "brukt": wanted and is_used(plant),
        "faktor": round(_factor(stored), 3),
        "klipp_kw": clip,
        "metode": stored["method"],
        "forelopig": stored["preliminary"],
        "grunn": _reason(plant, clip),
        "oppdatert": None if plant.calibrated_at is None else iso(plant.calibrated_at),
    }
    if not wanted:
        return fields | {"grunn": texts["off"]}
    if precise and stored["method"] != "ingen":
        only_clip = {"brukt": clip is not None, "faktor": 1.0, "metode": "ingen", "forelopig": False}
        return fields | only_clip | {"grunn": texts["precise"]}
    return fields


def _factor(stored: Mapping[str, Any]) -> float:
    factor: float = stored["factor"]
    return stored["figures"].get("mean_factor", factor) if stored["method"] == "solposisjon" else factor


def _reason(plant: Plant, clip: float | None) -> str:
    stored, texts = plant.calibration, prose(__file__, "sentences")
    if stored is None:
        return texts["not_calibrated"]
    sentence = prose(__file__, "reasons").get(stored["reason"], texts["other"])
    sentences = [sentence.format_map(_Numbers(_shown(stored["values"])))]
    if clip is not None:  # first: it holds also where no factor does
        sentences.insert(0, texts["clip"].format(clip=_decimal(clip, 2)))
    return " ".join(sentences)


class _Numbers(dict[str, str]):
    """Numbers of a sentence; one that an older calibration lacks is a question mark."""

    def __missing__(self, _: str) -> str:
        return "?"


def _shown(values: Mapping[str, float]) -> dict[str, str]:
    shown = {name: _decimal(values[name]) for name in ("found", "needed", "days") if name in values}
    if "factor" in values:
        shown["percent"] = _decimal(100 * abs(values["factor"] - 1))
        shown["direction"] = "mindre" if values["factor"] < 1 else "mer"
    for name in ("before", "after"):
        if (error := values.get(f"mae_{name}")) is not None:
            shown[name] = _decimal(error)
    return shown


def _decimal(number: float, decimals: int = 0) -> str:
    return f"{number:.{decimals}f}".replace(".", ",")
