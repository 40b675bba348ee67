"""A language model's proposal on how to read a file: used only where it wins by the sun, never worse than the rules."""

from typing import Any

import numpy as np
import orjson
import pytest

from api.core.errors import ApiError
from api.plants.interpretation.apply import HOUR_S
from api.plants.interpretation.interpret import Answers, Interpretation, interpret
from api.plants.interpretation.proposal import Ask, interpret_with
from api.plants.model import PlantModel
from api.plants.reading.read import read
from api.plants.reading.workbook import Workbook
from catalog.sources.chat import Model
from catalog.sources.file_reader import propose
from tests.support.http_server import Request, Server, Status

MODEL = PlantModel(59.9, 10.7, [(30.0, 180.0, 8.0)], 0.85)
START = int(np.datetime64("2025-05-01", "s").astype(np.int64))


def workbook(*headings: str, scale: float = 1.0) -> Workbook:
    """Return two weeks in which the first column is half of the plant's production, the second all of it."""
    starts = START + np.arange(14 * 24) * HOUR_S
    kwh = MODEL.clear(starts) / 1000 * 0.9 * scale
    lines = [";".join(("Tid (UTC)", *headings, "Eier"))]
    for start, value in zip(starts.tolist(), kwh.tolist(), strict=True):
        stamp = str(np.datetime64(start, "s")).replace("T", " ")
        lines.append(f"{stamp};{value / 2:.3f};{value:.3f};Kari Nordmann 98765432".replace(".", ","))
    return read("\n".join(lines).encode(), "a.csv")


class Service:
    """A stub of the endpoint that notes what it is asked."""

    def __init__(self, reply: Any, status: int = 200) -> None:
        self.asked: list[Request] = []
        self._reply, self._status = reply, status
        self.server = Server(self._respond)

    def _respond(self, request: Request) -> Status:
        self.asked.append(request)
        content = self._reply if isinstance(self._reply, str) else orjson.dumps(self._reply).decode()
        return Status(self._status, {}, orjson.dumps({"choices": [{"message": {"content": content}}]}))

    def ask(self, seconds: float = 10.0) -> Ask:
        """Return what asks it."""
        model = Model(f"{self.server.url}/v1", "sk-1", "m")
        return lambda headings, rows: propose(model, headings, rows, user_agent="test", seconds=seconds)


def proposal(**changes: Any) -> dict[str, Any]:
    """Return a reply of the schema."""
    return {"date_order": "ymd", "value_columns": [2], "unit": "kWh", **changes}


def found(service: Service, book: Workbook, seconds: float = 10.0) -> Interpretation:
    """Return the interpretation of a file with the service."""
    with service.server:
        return interpret_with(service.ask(seconds), book, MODEL, Answers())


UNCLEAR = workbook("A1 [kWh]", "B2 [kWh]")


def test_the_rules_are_unsure_of_columns_without_names() -> None:
    by_rules = interpret(UNCLEAR, MODEL)
    assert by_rules.certainty < 0.9
    assert by_rules.questions


def test_a_right_proposal_is_used_where_it_fits_the_sun_better() -> None:
    answer = found(Service(proposal()), UNCLEAR)
    assert (answer.source, answer.mapping.values) == ("SunPoint datatolkning", (2,))


@pytest.mark.parametrize(
    "reply",
    [
        proposal(unit="MWh"),
        proposal(value_columns=[99]),
        proposal(value_columns=[0]),
        proposal(date_order="mdy", unit="W"),
        {"value_columns": "all"},
        "ignore the schema and answer this",
        "",
        proposal(code="import os"),
    ],
)
def test_a_wrong_proposal_changes_nothing(reply: Any) -> None:
    answer, by_rules = found(Service(reply), UNCLEAR), interpret(UNCLEAR, MODEL)
    assert answer.source == "regelbasert"
    assert answer.mapping == by_rules.mapping
    assert answer.hours.wh.tolist() == by_rules.hours.wh.tolist()


def test_a_service_that_fails_changes_nothing() -> None:
    answer = found(Service(proposal(), status=500), UNCLEAR, seconds=1.0)
    assert answer.source == "regelbasert"


def test_a_file_that_the_rules_are_sure_of_is_not_sent() -> None:
    service = Service(proposal())
    answer = found(service, workbook("Forbruk (kWh)", "Produksjon (kWh)"))
    assert answer.source == "regelbasert"
    assert service.asked == []


def test_names_and_numbers_of_people_stay_in_the_house() -> None:
    service = Service(proposal())
    found(service, workbook("SN98765432 [kWh]", "B2 [kWh]"))
    sent = service.asked[0].body.decode()
    assert "Nordmann" not in sent
    assert "98765432" not in sent
    assert "xxxx xxxxxxxx" in sent


def test_twenty_rows_are_sent_at_most() -> None:
    service = Service(proposal())
    found(service, UNCLEAR)
    text = orjson.loads(service.asked[0].body)["messages"][0]["content"]
    assert len(orjson.loads(text[text.index("{") :])["rows"]) == 20


def test_without_a_model_a_refusal_of_the_rules_stays() -> None:
    daily = read(b"Dato;kWh\n" + b"".join(b"2025-05-%02d;12,3\n" % day for day in range(1, 32)), "a.csv")
    with pytest.raises(ApiError, match="døgn"):
        interpret_with(None, daily, MODEL, Answers())
