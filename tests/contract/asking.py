"""Asks a worker everything that its document describes, by schemathesis, and notes what came of it."""

import copy
import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import schemathesis
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

import tests.contract.checks  # noqa: F401 -- which schemathesis then knows
from api.core.server import MAX_ADDRESS
from tests.contract.places import Places

FORECAST_ROUTE = "GET /api/forecast"
REGISTER_ROUTE = "POST /api/register"
LEAD_ROUTE = "POST /api/tmy/lead"
PV_ROUTE = "GET /api/pv/calc"
SNOW_ROUTES = ("GET /api/snowsoiling/calc", "GET /api/snow/outlook")
SNOWLOAD_ROUTE = "GET /api/snowload/calc"
TERRAIN_ROUTE = "GET /api/horizon/terrain"
ROOFTOP_ROUTE = "POST /api/horizon/rooftop"
PRECISE_ROUTE = "POST /api/horizon/precise"
SITE_ROUTES = ("POST /api/terrain/category", "POST /api/terrain/jobs")
ROOF_ROUTES = ("POST /api/roof/jobs", "POST /api/roof/layout")
ROOF_JOB_ROUTES = (
    "GET /api/roof/jobs/{jobb_id}",
    *(f"GET /api/roof/jobs/{{jobb_id}}/tegning.{kind}" for kind in ("png", "svg", "dxf", "geojson")),
)
BUILDING_ROUTE = "GET /api/roof/bygningstype"
SITE_JOB_ROUTE = "GET /api/terrain/jobs/{jobb_id}"
PLACES_ROUTE = "GET /api/places"
PLANT_ROUTE = "POST /api/anlegg"
OF_PLANT_ROUTES = (
    *(f"{method} /api/anlegg/{{id}}" for method in ("GET", "DELETE")),
    "GET /api/anlegg/{id}/treff",
    *(f"POST /api/anlegg/{{id}}/{what}" for what in ("maalinger", "produksjon")),
    "GET /api/anlegg/{id}/treff",
    "GET /api/anlegg/{id}/produksjon/{opplasting}",
    *(f"POST /api/anlegg/{{id}}/produksjon/{{opplasting}}/{what}" for what in ("bekreft", "avvis")),
)
RESULTS_ROUTE = "GET /api/results/{job}/{file}"
TMY_ROUTES = ("GET /api/tmy", "GET /api/tmy/stats", "GET /api/tmy/sources")
VERIFY_ROUTES = ("GET /api/verify", "POST /api/verify")

MORE_ROUTES = (
    "POST /api/forecast",
    "GET /api/forecast/nowcast",
    "GET /api/forecast/extended",
    "POST /api/forecast/extended",
)


BULK_ROUTES = ("POST /api/forecast/bulk", "POST /api/pv/calc/bulk")
_NOT_REFUSED: dict[str, Any] = {"positive_data_acceptance": {"enabled": False}}
# The code of an agreement is sent with every request, also with those that are meant to lack it.
_CODE_IS_SENT: dict[str, Any] = {"missing_required_header": {"enabled": False}}


def _statuses(*more: str) -> dict[str, Any]:
    return {**_NOT_REFUSED, "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", *more, "503"]}}


# Routes, how many examples of each by default, and what schemathesis checks otherwise.
_OPERATIONS: tuple[tuple[tuple[str, ...], int, dict[str, Any]], ...] = (
    # Its schema cannot say that a place is needed, lat and lon or else site; and two cells have no data here.
    ((FORECAST_ROUTE,), 140, _statuses()),
    # The same of those that need a place too, and of what a schema cannot say of names.
    (MORE_ROUTES, 10, _statuses()),
    # A system that is wrong has an error of its own, in an answer that is a success.
    (BULK_ROUTES, 15, {**_statuses(), "negative_data_rejection": {"enabled": False}}),
    # Most of the country has no typical year here.
    (TMY_ROUTES, 8, _statuses()),
    # As of those, and of what a schema cannot say of `arrays`.
    ((PV_ROUTE,), 15, _statuses()),
    (SNOW_ROUTES, 9, _statuses()),
    # The same, and a cell that is not published is asked of an authority that nobody plays here.
    ((SNOWLOAD_ROUTE,), 20, _statuses("502")),
    # Two tiles are built.
    ((TERRAIN_ROUTE,), 20, _statuses()),
    ((ROOFTOP_ROUTE,), 10, _statuses()),
    ((PRECISE_ROUTE,), 4, _statuses()),
    # What a form has to have beside its shape no schema says.
    (SITE_ROUTES, 3, _statuses()),
    # Nobody can make up a link, or an id.
    ((RESULTS_ROUTE, SITE_JOB_ROUTE, *ROOF_JOB_ROUTES), 8, _NOT_REFUSED),
    # No password is made up; rings that cross no schema describes.
    (ROOF_ROUTES, 4, _statuses()),
    # Nobody plays the register here.
    ((BUILDING_ROUTE,), 4, _statuses("502")),
    # Control characters, and what blanks around a text do to its length, no schema describes.
    ((PLACES_ROUTE,), 15, {**_statuses(), "negative_data_rejection": {"enabled": False}}),
    ((LEAD_ROUTE,), 10, {}),
    # Names of surfaces that are alike no schema describes; consent in other forms than true is refused.
    ((PLANT_ROUTE,), 15, {**_statuses(), **_CODE_IS_SENT}),
    # Ids that are made up are 404 whatever else is asked, and no file that is made up is production.
    # The clear sky that files are judged by is not built here.
    (OF_PLANT_ROUTES, 8, {**_statuses(), **_CODE_IS_SENT}),
    (("GET /api/anlegg",), 8, _CODE_IS_SENT),
    # No token that can be made up is one that was mailed.
    (VERIFY_ROUTES, 30, _NOT_REFUSED),
)


def _config(most: int, long: int) -> dict[str, Any]:
    """Return what schemathesis is told: at most so many examples of each route, or, other than 0, as many of each."""
    return {
        "generation": {
            "deterministic": not long,
            "no-shrink": True,
            "unique-inputs": True,
            "max-examples": long or min(30, most),
        },
        "continue-on-failure": True,
        "phases": {"stateful": {"enabled": False}},
        "request-timeout": 10,
        "operations": [
            {
                "include-name": name,
                "generation": {"max-examples": long or min(usual, most)},
                "checks": checks,
                # each good one is a job of a second, and methods that there are none of are asked nowhere else
                "phases": {"coverage": {"enabled": name not in (*SITE_ROUTES, *ROOF_ROUTES)}},
            }
            for names, usual, checks in _OPERATIONS
            for name in names
        ],
    }


EXAMPLES = 5000
"""Of each route, so that all of them together are a hundred thousand requests and more."""

# Made-up addresses end in .test, which no mail server has, and which is refused for that.
ADDRESSES = st.from_regex(r"[a-z][a-z0-9.]{0,20}[a-z0-9]@example\.(com|no)", fullmatch=True)
schemathesis.openapi.format("email", ADDRESSES.filter(lambda address: ".." not in address))


@dataclass(frozen=True)
class Answer:
    """What one case got."""

    route: str
    method: str
    status: int
    headers: frozenset[str]


@dataclass
class Run:
    """What came of one run."""

    asked: int = 0
    answers: list[Answer] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def statuses(self, route: str) -> Counter[int]:
        """Count the answers of a route."""
        return Counter(answer.status for answer in self.answers if answer.route == route)

    def told(self) -> str:
        """Return what failed, each once."""
        return "\n\n".join(dict.fromkeys(text for _, text in self.failures))


def run(
    url: str, document: Any, headers: dict[str, str], *, apart: bool = False, few: bool = False, examples: int = 0
) -> Run:
    """Ask everything.

    Parameters
    ----------
    url : str
    document : object
    headers : dict
        Of every request.
    apart : bool
        Whether every request comes from an address of its own.
    few : bool
        Whether fuzzing is short.
    examples : int
        How many of each route where fuzzing is long; the answers are then not kept.
    """
    config = SchemathesisConfig.from_dict(_config(10 if few else 1000, examples))
    schema = schemathesis.openapi.from_dict(copy.deepcopy(document), config=config)
    schema.config.update(base_url=url, headers=headers)
    schema.hooks.register_hook_with_name(Places(), "map_case")
    schema.hooks.register_hook_with_name(_fits, "filter_case")
    if apart:
        numbers = itertools.count(1)

        def from_elsewhere(_: Any, case: Any) -> Any:
            case.headers["X-Forwarded-For"] = f"2001:db8:{next(numbers):x}::1"
            return case

        schema.hooks.register_hook_with_name(from_elsewhere, "map_case")
    ran = Run()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            _read(ran, event.recorder, keep=not examples)
        elif isinstance(event, events.NonFatalError):
            ran.failures.append((event.label, str(event.info)))
    return ran


def _fits(_: Any, case: Any) -> bool:
    """Leave out addresses too long for any route (414), which the document says nothing of."""
    return len(urlencode(case.query or {}, doseq=True)) < MAX_ADDRESS - 500


def _read(ran: Run, recorder: Any, *, keep: bool) -> None:
    ran.asked += len(recorder.interactions)
    for case_id, asked in recorder.interactions.items():
        assert asked.response is not None, asked.request.uri
        headers = frozenset(name.lower() for name in asked.response.headers)
        answer = asked.response
        if keep:
            ran.answers.append(Answer(recorder.label, asked.request.method, answer.status_code, headers))
        for check in recorder.checks.get(case_id, ()):
            if check.failure_info is not None:
                failure = check.failure_info.failure
                text = f"{recorder.label}: {failure.title}: {failure.message}\n{check.failure_info.code_sample}"
                ran.failures.append((check.name, text))
