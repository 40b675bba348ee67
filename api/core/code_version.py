"""Which code answers: the package's version, and what its source holds.

Answers that are kept, here and at clients, are known by it: who mends a kernel without raising the version must not go
on answering from before for as long as they are kept. Not so what is kept of upstreams (`readthrough/` in the state),
and tiles that were hydrated: these hold input, and formats of their own.
"""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

_ROOMS = ("kernels", "tiles", "catalog", "api")
_SOURCE = ("*.py", "*.toml")
_SHOWN = 8


@cache
def code_version() -> str:
    """Return such as 0.1.0+1a2b3c4d; whatever is changed in the folders that answers are made by changes it.

    Once for a process, which asks before it imports what it is about: source that is changed under a running worker
    counts when it is started again.
    """
    return f"{version('solflis')}+{fingerprint(Path(__file__).parents[2])}"


def fingerprint(root: Path) -> str:
    """Return a checksum of the source below a folder: of code, and of texts that answers hold.

    Parameters
    ----------
    root : Path
        Where `kernels`, `tiles`, `catalog` and `api` lie.
    """
    contents = hashlib.sha256()
    for path in sorted(path for room in _ROOMS for kind in _SOURCE for path in (root / room).rglob(kind)):
        if not path.is_file():  # an editor's lock is a link to nowhere
            continue
        body = path.read_bytes()
        contents.update(f"{path.relative_to(root)} {len(body)}\n".encode() + body)
    return contents.hexdigest()[:_SHOWN]
