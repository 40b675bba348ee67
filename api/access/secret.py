"""The installation's secret, and what is hashed with it: keys, tokens, addresses of anonymous callers."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

FILE = "secret"
_MIN_CHARACTERS = 32


class SecretError(Exception):
    """The secret cannot be used; the text says what to do."""


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
    SecretError
        It is too short, or others may read its file.
    """
    if given is not None:
        return _checked(given, "SOLFLIS_SECRET")
    file = state / FILE
    if not file.exists():
        _make(file)
    if file.stat().st_mode & 0o077:
        raise SecretError(f"others may read {file}: chmod 600 {file}")
    return _checked(file.read_text(encoding="utf-8").strip(), str(file))


def _checked(text: str, where: str) -> Secret:
    if len(text) < _MIN_CHARACTERS:
        raise SecretError(f"{where}: a secret has at least {_MIN_CHARACTERS} characters")
    return Secret(text.encode())


def _make(file: Path) -> None:
    """Write a new secret; of several processes that do so at once, one wins."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{FILE}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as handle:
        handle.write(secrets.token_hex(32) + "\n")
        handle.flush()
        os.fsync(handle.fileno())
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
