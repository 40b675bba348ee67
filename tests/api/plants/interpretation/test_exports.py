"""Made exports of all kinds: nearly all are read at once, few need a question, and none is silently wrong."""

from collections import Counter

import pytest

from api.core.errors import ApiError
from api.plants.check import check
from api.plants.interpretation.interpret import Interpretation, interpret
from api.plants.model import PlantModel
from api.plants.reading.read import read
from tests.support.exports.export import Answer, Export
from tests.support.exports.judge import judge
from tests.support.exports.make import make


def model_of(export: Export) -> PlantModel:
    """Return the plant as it is registered."""
    plant = export.plant
    planes = [(array.tilt_deg, array.azimuth_deg, array.kwp) for array in plant.arrays]
    return PlantModel(plant.lat, plant.lon, planes, plant.ytelsesfaktor)


def answer_of(export: Export) -> Answer:
    """Return what becomes of an export."""
    model = model_of(export)
    try:
        found: Interpretation = interpret(read(export.content, export.file_name), model, file_name=export.file_name)
    except ApiError as refusal:
        return Answer(None, refusal=refusal.text("nb"))
    hours, mapping = found.hours, found.mapping
    kwh = dict(zip(hours.starts.tolist(), (hours.wh / 1000).tolist(), strict=True))
    return Answer(
        kwh, mapping.unit, mapping.quantity, mapping.interval_s // 60, mapping.stamp, mapping.zone, found.questions,
        check(hours, model, found.role).findings,
    )  # fmt: skip


def verdicts(seeds: range) -> tuple[Counter[str], list[str]]:
    """Return how many exports that can be read without a question got each verdict, and what went wrong silently."""
    found: Counter[str] = Counter()
    wrong = []
    for seed in seeds:
        export = make(seed)
        verdict = judge(export, answer_of(export))
        if verdict == "silently_wrong":
            wrong.append(f"{seed}: {verdict.reason} {export.traits}")
        if not export.truth.must_ask:
            found[str(verdict)] += 1
    return found, wrong


def test_first_sixty_exports_are_read_or_asked_about() -> None:
    found, wrong = verdicts(range(60))
    assert not wrong
    assert found["right"] >= 0.95 * found.total()
    assert found["asked"] <= 0.05 * found.total()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_four_hundred_exports_are_read_or_asked_about() -> None:
    found, wrong = verdicts(range(400))
    assert not wrong
    assert found["right"] >= 0.95 * found.total()
    assert found["asked"] <= 0.05 * found.total()
