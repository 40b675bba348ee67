"""Files of a made-up year, written once, and what their readers say."""

from collections.abc import Callable
from functools import cache

import pytest

from api.tmy.formats.registry import FORMATS, NAMES
from api.tmy.year import TypicalYear
from tests.api.tmy.formats.weather_readers import Read, Reader
from tests.support.typical_year import typical_year

SPIKES = (4000, 8759)
"""Hours of UTC; the second is the first local hour of the year."""
BRIGHTER, WARMER = 250.0, 12.0


def spiked() -> TypicalYear:
    year = typical_year()
    ghi, temp_air = year.ghi.copy(), year.temp_air.copy()
    ghi[list(SPIKES)] += BRIGHTER
    temp_air[list(SPIKES)] += WARMER
    return typical_year(ghi=ghi, temp_air=temp_air)


def hostile() -> TypicalYear:
    """With texts that would break a line, a field or an element."""
    texts = {"method": 'x;"\r\n#y,</a>&', "generator": 'g"<&,:/;\n # /'}
    return typical_year(**texts, sources=[{"name": 'ø"/:,;\n<', "licence": "", "attribution": "©"}])


YEARS = {"plain": typical_year, "spiked": spiked, "hostile": hostile}


@pytest.fixture(scope="session")
def read_by(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Reader, str], Read]:
    """What a reader says of one of the years."""
    folder = tmp_path_factory.mktemp("weather")

    @cache
    def read(reader: Reader, which: str) -> Read:
        declared = FORMATS[NAMES[reader.value]]
        path = folder / f"{which}-{reader.name}-{reader.value}{declared.extension}"
        path.write_bytes(declared.write(YEARS[which]()))
        return reader.read(path)

    return read
