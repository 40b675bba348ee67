"""Asks a worker everything that its document describes, by schemathesis, and notes what came of it."""

import copy
import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import schemathesis
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

import tests.contract.checks  # noqa: F401 -- which schemathesis then knows
from tests.contract.places import Places

FORECAST_ROUTE = "GET /api/forecast"
REGISTER_ROUTE = "POST /api/register"
LEAD_ROUTE = "POST /api/tmy/lead"
PV_ROUTE = "GET /api/pv/calc"
SNOW_ROUTES = ("GET /api/snowsoiling/calc", "GET /api/snow/outlook")
SNOWLOAD_ROUTE = "GET /api/snowload/calc"
TERRAIN_ROUTE = "GET /api/horizon/terrain"
ROOFTOP_ROUTE = "POST /api/horizon/rooftop"
TMY_ROUTES = ("GET /api/tmy", "GET /api/tmy/stats", "GET /api/tmy/sources")
VERIFY_ROUTES = ("GET /api/verify", "POST /api/verify")

MORE_ROUTES = (
    "POST /api/forecast",
    "POST /api/forecast/bulk",
    "GET /api/forecast/nowcast",
    "GET /api/forecast/extended",
    "POST /api/forecast/extended",
)


_CHECKS: dict[str, Any] = {
    "positive_data_acceptance": {"enabled": False},
    "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", "503"]},
}

CONFIG: dict[str, Any] = {
    "generation": {"deterministic": True, "no-shrink": True, "unique-inputs": True, "max-examples": 30},
    "continue-on-failure": True,
    "request-timeout": 10,
    "operations": [
        # Its schema cannot say that a place is needed, lat and lon or else site; and two cells have no data here.
        {
            "include-name": FORECAST_ROUTE,
            "generation": {"max-examples": 140},
            "checks": _CHECKS,
        },
        # The same of those that need a place too, and of what a schema cannot say of names.
        *({"include-name": name, "generation": {"max-examples": 15}, "checks": _CHECKS} for name in MORE_ROUTES),
        # Most of the country has no typical year here.
        *({"include-name": name, "generation": {"max-examples": 8}, "checks": _CHECKS} for name in TMY_ROUTES),
        # As of those, and of what a schema cannot say of `arrays`.
        {"include-name": PV_ROUTE, "generation": {"max-examples": 25}, "checks": _CHECKS},
        *({"include-name": name, "generation": {"max-examples": 9}, "checks": _CHECKS} for name in SNOW_ROUTES),
        # The same, and a cell that is not published is asked of an authority that nobody plays here.
        {
            "include-name": SNOWLOAD_ROUTE,
            "generation": {"max-examples": 20},
            "checks": {**_CHECKS, "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", "502", "503"]}},
        },
        # Two tiles are built.
        {"include-name": TERRAIN_ROUTE, "generation": {"max-examples": 20}, "checks": _CHECKS},
        {"include-name": ROOFTOP_ROUTE, "generation": {"max-examples": 10}, "checks": _CHECKS},
        {"include-name": LEAD_ROUTE, "generation": {"max-examples": 10}},
        # No token that can be made up is one that was mailed.
        *({"include-name": name, "checks": {"positive_data_acceptance": {"enabled": False}}} for name in VERIFY_ROUTES),
    ],
}
FEW = copy.deepcopy(CONFIG)
for some in (FEW, *(operation for operation in FEW["operations"] if "generation" in operation)):
    some["generation"]["max-examples"] = min(some["generation"]["max-examples"], 10)

# Made-up addresses end in .test, which no mail server has, and which is refused for that.
ADDRESSES = st.from_regex(r"[a-z][a-z0-9.]{0,20}[a-z0-9]@example\.(com|no)", fullmatch=True)
schemathesis.openapi.format("email", ADDRESSES.filter(lambda address: ".." not in address))


@dataclass(frozen=True)
class Answer:
    """What one case got."""

    route: str
    method: str
    query: dict[str, list[str]]
    status: int
    headers: frozenset[str]
    body: bytes


@dataclass
class Run:
    """What came of one run."""

    answers: list[Answer] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def statuses(self, route: str) -> Counter[int]:
        """Count the answers of a route."""
        return Counter(answer.status for answer in self.answers if answer.route == route)

    def told(self) -> str:
        """Return what failed, each once."""
        return "\n\n".join(dict.fromkeys(text for _, text in self.failures))


def run(url: str, document: Any, headers: dict[str, str], *, apart: bool = False, few: bool = False) -> Run:
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
    """
    config = SchemathesisConfig.from_dict(FEW if few else CONFIG)
    schema = schemathesis.openapi.from_dict(copy.deepcopy(document), config=config)
    schema.config.update(base_url=url, headers=headers)
    schema.hooks.register_hook_with_name(Places(), "map_case")
    if apart:
        numbers = itertools.count(1)

        def from_elsewhere(_: Any, case: Any) -> Any:
            case.headers["X-Forwarded-For"] = f"2001:db8:{next(numbers):x}::1"
            return case

        schema.hooks.register_hook_with_name(from_elsewhere, "map_case")
    ran = Run()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            _read(ran, event.recorder)
        elif isinstance(event, events.NonFatalError):
            ran.failures.append((event.label, str(event.info)))
    return ran


def _read(ran: Run, recorder: Any) -> None:
    for case_id, asked in recorder.interactions.items():
        assert asked.response is not None, asked.request.uri
        query = parse_qs(urlsplit(asked.request.uri).query, keep_blank_values=True)
        headers = frozenset(name.lower() for name in asked.response.headers)
        answer = asked.response
        ran.answers.append(
            Answer(recorder.label, asked.request.method, query, answer.status_code, headers, answer.content)
        )
        for check in recorder.checks.get(case_id, ()):
            if check.failure_info is not None:
                failure = check.failure_info.failure
                text = f"{recorder.label}: {failure.title}: {failure.message}\n{check.failure_info.code_sample}"
                ran.failures.append((check.name, text))
