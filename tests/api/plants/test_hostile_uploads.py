"""Files made to harm, all the way to an upload: a sentence, or hours that are numbers."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest

from api.core.errors import ApiError
from api.core.settings import Settings
from api.data.plants.measurements import pack, unpack
from api.plants.head import Head
from api.plants.upload import process
from tests.support.exports import make
from tests.support.hostile_files import FILES, fuzzed
from tests.support.plants import made_plant

PLANT = made_plant()
NAMED = (
    "formulas", "huge_numbers", "dates_9999", "paths_in_cells", "json_nan", "json_huge_numbers", "xlsx_formulas",
    "xlsx_dates_9999", "xlsx_external_links", "xlsx_macro", "nul_between", "lone_surrogates_utf8", "json_long_text",
    "random_letters", "csv_ragged_to_9999_columns", "many_unbalanced_quotes", "zip_bomb", "pdf", "empty",
)  # fmt: skip


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=str(tmp_path / "tiles"), state=tmp_path)


def ended(content: bytes, name: str, settings: Settings) -> str:
    """Return the code of a refusal, or the status of the check of hours that are whole."""
    try:
        done = process(PLANT, content, Head(PLANT.id, "opp_1", name), settings)
    except ApiError as error:
        refused = error
    else:
        refused = None
    if refused is not None:
        assert (refused.status, refused.problem.code in ("UNREADABLE", "NOT_INTERPRETED")) == (422, True)
        return str(refused.problem.code)
    starts, wh = done.reading.hours
    assert np.isfinite(wh).all()
    assert (wh >= 0).all()
    assert (starts % 3600 == 0).all()
    assert (np.diff(starts) > 0).all()
    assert orjson.loads(orjson.dumps(done.content)) == done.content
    assert len(orjson.dumps(done.content)) < 100_000
    assert unpack(pack(done.reading.hours)).starts.tolist() == starts.tolist()
    return str(done.content["kontroll"]["status"])


@pytest.mark.parametrize("name", NAMED)
def test_hostile_files_are_refused_or_fail_the_check(name: str, settings: Settings) -> None:
    assert ended(FILES[name](), name, settings) in ("UNREADABLE", "NOT_INTERPRETED", "feil")
    assert not (settings.state / "tiles").exists() or not list((settings.state / "tiles").iterdir())


def damaged_exports(n: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield exports of which bytes are changed, cut out or doubled."""
    rng = random.Random(seed)
    exports = [make(number) for number in range(12)]
    for number in range(n):
        export = exports[number % len(exports)]
        content = bytearray(export.content[:60_000])
        for _ in range(rng.randint(1, 12)):
            at = rng.randrange(len(content))
            change = rng.randrange(3)
            if change == 0:
                content[at] = rng.randrange(256)
            elif change == 1:
                del content[at : at + rng.randint(1, 400)]
            else:
                content[at:at] = content[at : at + rng.randint(1, 400)]
            if len(content) < 2:
                break
        yield export.file_name, bytes(content)


def test_damaged_exports_are_refused_or_read(settings: Settings) -> None:
    ends = Counter(ended(content, name, settings) for name, content in damaged_exports(60, 1))
    assert ends["ok"] > 5


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_twenty_thousand_hostile_files_are_refused_or_read(settings: Settings) -> None:
    ends = Counter(ended(content, name, settings) for name, content in damaged_exports(10_000, 2))
    ends += Counter(ended(content, name, settings) for name, content in fuzzed(10_000, 3, 0.02))
    assert sum(ends.values()) == 20_000
