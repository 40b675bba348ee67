"""An index that names one chunk twice and another not at all is no complete variable."""

import numpy as np
import pytest

from catalog.sources.chunks import Chunk, Layout, check_complete


class _Origin:
    def error(self, sentence):
        return RuntimeError(sentence)


def layout(*starts):
    pieces = [Chunk(start, 100 * i, 100) for i, start in enumerate(starts)]
    return Layout((1, 4, 2), np.dtype("<f4"), 1, (1, 2, 2), (), {0: pieces})


def test_both_halves_are_complete():
    check_complete(layout((0, 0, 0), (0, 2, 0)), _Origin(), "ghi", 1000)


def test_the_same_half_twice_is_not():
    with pytest.raises(RuntimeError, match="unfinished"):
        check_complete(layout((0, 0, 0), (0, 0, 0)), _Origin(), "ghi", 1000)
