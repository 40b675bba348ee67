"""The input of a job: level 2's answer, the year's light, the panel."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from api.core.errors import Language
from api.core.pipeline import Origin, origin_of
from api.core.printing import degrees
from api.core.prose import prose
from api.horizon.precise.schemas import PreciseRequest
from api.horizon.precise.year import Year
from api.horizon.rooftop.answer import fields_of, method_of, profile_of
from api.horizon.rooftop.calculation import Roof, calculate
from api.horizon.rooftop.warnings import DECISIVE, Notice, sentences, warnings
from api.jobs.queue import question_of
from api.jobs.results import SIMULATED

KIND = "horizon_precise"
METHOD = prose(__file__, "method")
_SHORT = {"year": "each five minutes of the typical year, Perez 1990"}
_DOCS = {"docs": "/docs#post_api_horizon_precise"}


class Question(NamedTuple):
    """A question to the queue.

    Parameters
    ----------
    digest : bytes
        Of what answer and report depend on; who gets a mail is not part of it.
    data_origin : {"live", "simulated"}
    files : mapping
        Names of the files of the result, `pdf` and `csv`.
    """

    digest: bytes
    data_origin: Origin
    files: Mapping[str, str]


def question_for(roof: Roof, body: PreciseRequest, year: Year, language: Language, code_version: str) -> Question:
    """Return the question to the queue."""
    far = None if roof.far is None else (roof.far.horizon.entry.path, roof.far.horizon.cell)
    heights = sorted((square, block.checksum) for square, block in roof.blocks.items())
    parameters = sorted(body.model_dump(exclude={"email"}).items())
    digest = question_of(KIND, parameters, heights, far, year.versions, language, code_version)
    origin = origin_of(roof.data_origin, year.about["data_origin"])
    name = f"shade_{roof.name}_az{degrees(body.panel_az_deg)}_tilt{degrees(body.panel_tilt_deg)}"
    mark = SIMULATED if origin == "simulated" else ""
    return Question(digest, origin, {"pdf": f"{name}_{language}{mark}.pdf", "csv": f"{name}{mark}.csv"})


def _warnings_of(year: Year) -> list[Notice]:
    named = {"clear_sky": year.about["kind"] == "clear_sky", "simulated": year.about["data_origin"] != "live"}
    return [(name, {}) for name, holds in named.items() if holds]


def content(
    question: Question, roof: Roof, body: PreciseRequest, year: Year, language: Language, about: dict[str, Any]
) -> bytes:
    """Calculate level 2, and return the input of the job as JSON.

    Parameters
    ----------
    question : Question
    roof : Roof
    body : PreciseRequest
    year : Year
    language : {"nb", "en"}
        Of the report.
    about : dict
        More fields of the answer: `issued_at`, `code_version`.

    Raises
    ------
    ApiError
        As `calculate`.
    """
    begun = time.perf_counter()
    seen = calculate(roof)
    profile = profile_of(roof, seen)
    fields = fields_of(roof, seen, profile, "short", (time.perf_counter() - begun) * 1000)
    of_roof, of_year = warnings(roof, seen), _warnings_of(year)
    decisive = [one for one in of_roof if one[0] in DECISIVE]
    others = [one for one in of_roof if one[0] not in DECISIVE]
    sources = [*profile.sources, *(one for one in year.sources if one not in profile.sources)]
    inputs = {
        "fields": {
            **fields,
            **about,
            "data_origin": question.data_origin,
            "sources": sources,
            "typical_year": year.about,
            "warnings": [*fields["warnings"], *sentences(of_year, "en", __file__)],
        },
        "report_warnings": {
            "decisive": sentences(decisive, language),
            "others": [*sentences(others, language), *sentences(of_year, language, __file__)],
        },
        "method": {
            "short": {**method_of(roof, "short"), **_SHORT, **_DOCS},
            "full": {**method_of(roof, "full"), **METHOD, **_DOCS},
        },
        "name": roof.name,
        "language": language,
        "files": question.files,
        "heights": profile.sources,
        "distance": seen.distance,
        "ends": profile.ends,
        "far": seen.far,
        "light": dict(year.light),
        "x": roof.x,
        "y": roof.y,
        "panel": {
            "panel_az_deg": body.panel_az_deg,
            "panel_tilt_deg": body.panel_tilt_deg,
            "bare_crown_transmission": body.bare_crown_transmission,
        },
    }
    return orjson.dumps(inputs, option=orjson.OPT_SERIALIZE_NUMPY)
