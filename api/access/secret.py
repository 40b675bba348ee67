"""The installation's secret, and what is hashed with it: keys, tokens, addresses of anonymous callers."""

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from api.core.settings import SettingsError

FILE = "secret"
_MIN_CHARACTERS = 32


class Secret:
    """A secret; it shows itself nowhere.

    Parameters
    ----------
    value : bytes
    """

    def __init__(self, value: bytes) -> None:
        self._value = value

    def digest(self, kind: str, text: str) -> bytes:
        """Return the HMAC-SHA256 of a text, 32 bytes; digests of different kinds do not match."""
        return hmac.digest(self._value, f"{kind}:{text}".encode(errors="surrogateescape"), hashlib.sha256)


def load_secret(given: str | None, state: Path) -> Secret:
    """Return the secret: the one that is given, else that of the state folder, which is made once.

    Raises
    ------
    SettingsError
        It is too short, or others may read its file.
    """
    where = "SOLFLIS_SECRET"
    if given is None:
        file = state / FILE
        if not file.exists():
            _make(file)
        if file.stat().st_mode & 0o077:
            raise SettingsError(f"others may read {file}: chmod 600 {file}")
        given, where = file.read_text(encoding="utf-8").strip(), str(file)
    if len(given) < _MIN_CHARACTERS:
        raise SettingsError(f"{where}: a secret has at least {_MIN_CHARACTERS} characters")
    return Secret(given.encode())


def _make(file: Path) -> None:
    """Write a new secret; of several processes that do so at once, one wins."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=file.parent, prefix=f"{FILE}.") as draft:
        draft.write(secrets.token_hex(32) + "\n")
        draft.flush()
        os.fsync(draft.fileno())
        with suppress(FileExistsError):
            os.link(draft.name, file)
