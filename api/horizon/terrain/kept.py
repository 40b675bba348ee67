"""Bodies that were made a short while ago, within a number of bytes."""

from collections import OrderedDict
from collections.abc import Hashable

from api.ready import Parts


class Bodies:
    """Keeps what was asked for last.

    Parameters
    ----------
    most_bytes : int
        Beyond, what was not asked for longest goes.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._held = most_bytes, 0
        self._kept: OrderedDict[Hashable, Parts] = OrderedDict()

    def get(self, key: Hashable) -> Parts | None:
        """Return a body; None where there is none."""
        body = self._kept.get(key)
        if body is not None:
            self._kept.move_to_end(key)
        return body

    def put(self, key: Hashable, body: Parts) -> None:
        """Keep a body, unless two made the same one at once."""
        if key in self._kept:
            return
        self._kept[key] = body
        self._held += sum(map(len, body))
        while self._held > self._most_bytes:
            _, old = self._kept.popitem(last=False)
            self._held -= sum(map(len, old))
