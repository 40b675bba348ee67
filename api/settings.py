"""The settings of the API, read once from `SOLFLIS_*` by `api.worker`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tiles.clock import Clock

SITES = Path(__file__).parent / "forecast" / "sites.toml"


class SettingsError(Exception):
    """A setting cannot be read; the text names the variable."""


@dataclass(frozen=True)
class Settings:
    """What the API needs to know.

    Parameters
    ----------
    store : str
        Address of the tile store: a folder or `s3://bucket/prefix`.
    state : Path
        Folder for what the workers of this machine share.
    clock : Clock
    sites : Path
        The named sites, TOML.
    poll_s : float
        How often the catalogue is asked for something new, s.
    """

    store: str
    state: Path
    clock: Clock = field(default_factory=Clock)
    sites: Path = SITES
    poll_s: float = 1.0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; relative folders are taken from the current folder.

        Raises
        ------
        SettingsError
            A value is malformed.
        """

        def text(name: str) -> str:
            return environment.get(f"SOLFLIS_{name}", "").strip()

        state = Path(text("STATE") or "./var").resolve()
        try:
            clock = Clock.parse(text("CLOCK") or None)
        except ValueError as error:
            raise SettingsError(f"SOLFLIS_CLOCK: {error}") from error
        return cls(
            store=text("STORE") or str(state / "tiles"),
            state=state,
            clock=clock,
            sites=Path(text("SITES")) if text("SITES") else SITES,
        )
