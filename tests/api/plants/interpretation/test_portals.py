"""Files of portals, loggers and grid companies: hours, unit, quantity, stamp and zone of each, or why it is refused."""

from collections.abc import Callable

import numpy as np
import pytest

from api.core.errors import ApiError
from api.plants.interpretation.interpret import interpret
from api.plants.reading.read import read
from tests.support.portals.files import FILES, File
from tests.support.portals.series import plant


@pytest.mark.parametrize("make", FILES, ids=[function.__name__ for function in FILES])
def test_file_of_a_portal_is_read_as_its_owner_would(make: Callable[[], File]) -> None:
    file = make()
    workbook = read(file.content, file.name)
    if file.refused:
        with pytest.raises(ApiError) as refusal:
            interpret(workbook, plant(), file_name=file.name)
        assert refusal.value.problem.code == "NOT_INTERPRETED"
        assert file.refused in refusal.value.text("nb")
        return
    found = interpret(workbook, plant(), file_name=file.name)
    mapping, truth = found.mapping, file.truth.hours()
    assert (mapping.unit, mapping.quantity, mapping.stamp, mapping.zone) == file.reading, found.description
    assert [question[: len(file.asks)] for question in found.questions] == [file.asks] * bool(file.asks)
    shared, ours, true = np.intersect1d(found.hours.starts, truth.starts, return_indices=True)
    assert shared.size > 0.5 * truth.starts.size
    assert found.hours.wh.sum() == pytest.approx(truth.wh.sum(), rel=0.01)
    assert np.abs(found.hours.wh[ours] - truth.wh[true]).max() < 0.04 * truth.wh.max()
