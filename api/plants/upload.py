"""How an uploaded file becomes an upload, and how hours are checked; in processes beside the API."""

from functools import partial
from typing import Any

import numpy as np

from api.core.prose import prose
from api.core.settings import Settings
from api.data.plants.measurements import Hours
from api.data.plants.plant import Plant
from api.data.plants.uploads import Reading
from api.plants.background import Background
from api.plants.check import Check, check, preview
from api.plants.head import Head, Processed
from api.plants.interpretation.answers import Answers
from api.plants.interpretation.apply import Hours as Covered
from api.plants.interpretation.interpret import Interpretation
from api.plants.interpretation.mapping import Mapping
from api.plants.interpretation.problems import not_interpreted
from api.plants.interpretation.proposal import Ask, interpret_with
from api.plants.model import PlantModel
from api.plants.reading.read import read
from catalog.sources.chat import Model
from catalog.sources.file_reader import propose
from tiles.store import open_store

_ASKED_WITHIN_S = 20.0
_WHOLE = 0.99  # of an hour, as seconds of stamps are rounded
_STANDBY = 0.01  # of kWp: an inverter's own use by night


def process(plant: Plant, file: bytes, head: Head, settings: Settings) -> Processed:
    """Read, interpret and check a file.

    Raises
    ------
    ApiError
        `UNREADABLE`, `NOT_INTERPRETED`; `DAMAGED`.
    """
    model = model_of(plant, settings)
    answers = Answers(head.enhet, head.tidssone, head.stempel, head.kolonne, head.dato)
    remembered = [(fingerprint, Mapping.from_json(one)) for fingerprint, one in head.remembered.items()]
    workbook = read(file, head.filnavn)
    given = {"remembered": remembered, "file_name": head.filnavn, "correct": head.korriger}
    found = interpret_with(_asks(plant, settings), workbook, model, answers, **given)
    hours, changes = _past(found.hours, settings), list(found.changes)
    if len(hours.starts) < len(found.hours.starts):
        changes.append(_change("future", count=len(found.hours.starts) - len(hours.starts)))
    if head.korriger:
        hours, more = _corrected(hours, model)
        changes += more
    checked = check(hours, model, found.role)
    content = {
        "tolkning": _interpretation(found),
        "endringer": changes,
        "kontroll": checked.fields(),
        "forhandsvisning": preview(hours, model),
    }
    known = found.source == "lagret tolkning" and checked.status == "ok" and not changes
    whole = _uncut(hours)
    stored = Hours(whole.starts, np.maximum(np.nan_to_num(whole.wh), 0))
    return Processed(content, Reading(stored, found.fingerprint, found.mapping.to_json()), known)


def check_hours(plant: Plant, hours: Hours, settings: Settings) -> dict[str, Any]:
    """Return the check of measurements of a day or more: `kontroll` as it is answered."""
    return checked_hours(hours, model_of(plant, settings)).fields()


def checked_hours(hours: Hours, model: PlantModel) -> Check:
    """Return the check of hours that are wholly covered."""
    return check(Covered(hours.starts, hours.wh, np.ones(len(hours.starts))), model)


def model_of(plant: Plant, settings: Settings) -> PlantModel:
    """Return the plant under a clear sky."""
    planes = [(one.tilt_deg, one.azimuth_deg, one.kwp) for one in plant.arrays]
    sky = Background(open_store(settings.store), settings.clock.now()).sky(plant.lat, plant.lon)
    return PlantModel(plant.lat, plant.lon, planes, plant.performance_ratio, sky.turbidity.tolist(), sky.altitude)


def _asks(plant: Plant, settings: Settings) -> Ask | None:
    """Return what asks the operator's model, None without one or without the owner's consent."""
    if settings.interpreter_url is None or not plant.interpreter_consent:
        return None
    model = Model(settings.interpreter_url, settings.interpreter_key, settings.interpreter_model)
    return partial(propose, model, user_agent=settings.user_agent, seconds=_ASKED_WITHIN_S)


def _interpretation(found: Interpretation) -> dict[str, Any]:
    mapping = found.mapping
    return {
        "beskrivelse": found.description,
        "usikkerheter": found.questions,
        "sikkerhet": round(found.certainty, 2),
        "kilde": found.source,
        "detaljer": {
            "tid": {"format": mapping.order, "tidssone": mapping.zone, "stempel": mapping.stamp},
            "verdi": {"enhet": mapping.unit, "storrelse": mapping.quantity, "kolonner": found.columns},
            "intervall_min": mapping.interval_s // 60,
        },
    }


def _past(hours: Covered, settings: Settings) -> Covered:
    """Return the hours that have begun.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`: none of them has.
    """
    begun = hours.starts <= settings.clock.now().timestamp()
    if not begun.any() and begun.size:
        raise not_interpreted("future", first=str(np.datetime64(int(hours.starts[0]), "s"))[:10])
    return Covered(hours.starts[begun], hours.wh[begun], hours.covered[begun])


def _corrected(hours: Covered, model: PlantModel) -> tuple[Covered, list[dict[str, str]]]:
    """Return hours with what can be corrected for certain, and what was corrected."""
    changes = []
    small = (hours.wh < 0) & (hours.wh > -_STANDBY * 1000 * model.kwp) & (model.elevation(hours.starts) < 5)
    if small.any():
        hours = hours._replace(wh=np.where(small, 0.0, hours.wh))
        changes.append(_change("negative", count=int(small.sum())))
    return hours, changes


def _uncut(hours: Covered) -> Covered:
    """Return hours without a first and a last one that the file has in part: it would replace the whole one."""
    if hours.starts.size < 3:
        return hours
    ends = slice(int(hours.covered[0] < _WHOLE), hours.starts.size - int(hours.covered[-1] < _WHOLE))
    return Covered(hours.starts[ends], hours.wh[ends], hours.covered[ends])


def _change(code: str, **values: Any) -> dict[str, str]:
    return {"kode": code, "tekst": prose(__file__, "changes")[code].format(**values)}
