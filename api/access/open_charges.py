"""Charges of requests that are not answered yet, in a file that outlives a killed worker.

Each worker has one, locked as long as it lives. It notes the ids of requests before their charges are committed, and
deletes each when its answer is sent or its refund committed. The kernel drops the lock of a killed worker, and keeps
what it wrote: the next worker of this host that looks takes over the ids, and refunds them.
"""

import fcntl
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from mmap import mmap
from pathlib import Path

_ID = 32
# More than a worker ever has open; without room, a request is charged all the same.
_ROOM = 1 << 15


class OpenCharges:
    """The open charges of this worker; for the event loop and one other thread.

    Parameters
    ----------
    folder : Path
        That the workers of this host share.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = secrets.token_hex(8)
        self._file, draft = folder / f"{name}.open", folder / f"{name}.new"
        self._descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        os.ftruncate(self._descriptor, _ROOM * _ID)
        self._ids = mmap(self._descriptor, _ROOM * _ID)
        draft.rename(self._file)  # locked before others see it
        self._places: dict[str, int] = {}
        self._free = list(range(0, _ROOM * _ID, _ID))

    def add(self, request_ids: Iterable[str]) -> None:
        """Note requests that are being charged."""
        for request_id in request_ids:
            if self._free:
                place = self._places[request_id] = self._free.pop()
                self._ids[place : place + _ID] = request_id.encode()

    def remove(self, request_id: str) -> None:
        """Forget a request that is answered, or whose charge is refunded."""
        if (place := self._places.pop(request_id, None)) is not None:
            self._ids[place] = 0
            self._free.append(place)

    def take_over(self) -> list[str]:
        """Return the requests that workers left which are no more; they are this worker's from now on."""
        found: list[str] = []
        for file in self._file.parent.glob("*.open"):
            if file == self._file:
                continue
            with suppress(OSError), file.open("rb") as handle:  # its worker lives, or somebody was faster
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                content = handle.read()
                places = (content[at : at + _ID] for at in range(0, len(content), _ID))
                left = [place.decode("ascii", "replace") for place in places if place[0]]
                self.add(left)
                file.unlink()
                found += left
        return found

    def close(self) -> None:
        """End; what is open still, the next worker takes over."""
        if not self._places:
            self._file.unlink(missing_ok=True)
        self._places.clear()  # an answer that is sent after the end changes nothing
        self._ids.close()
        os.close(self._descriptor)
