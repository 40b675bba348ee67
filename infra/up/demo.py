"""The demo account: whose it is, and where its key lies.

Only a key's hash is in the database, and the table at start shows the whole key: it is kept in a file that only
its owner reads, as Airflow's password is. A new key at each start would need no file, but what was copied
yesterday would not work today.
"""

from pathlib import Path

# No mail can reach it: nobody can register it.
EMAIL = "demo@localhost"
PARTNER = "demo"


def file(state: Path) -> Path:
    """Return where the key lies."""
    return state / "demo_key"


def partner_file(state: Path, purpose: str = "tak") -> Path:
    """Return where the password of the demo's agreement lies."""
    return state / ("demo_partner" if purpose == "tak" else f"demo_{purpose}")


def key(state: Path) -> str:
    """Return the key, empty where there is none yet."""
    return _read(file(state))


def partner(state: Path, purpose: str = "tak") -> str:
    """Return the password of the demo's agreement, empty where there is none yet."""
    return _read(partner_file(state, purpose))


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
