"""What the commands share: settings, and errors that are one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from infra.settings import Settings, SettingsError


def read_settings() -> Settings:
    """Return the settings of the environment.

    Raises
    ------
    click.ClickException
        A setting is malformed.
    """
    try:
        return Settings.from_environment()
    except SettingsError as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def naming_the_error() -> Iterator[None]:
    """Turn what the user or an upstream can cause (unknown names, damaged files) into one sentence."""
    from obstore.exceptions import BaseError

    from catalog.sources.errors import SourceError
    from tiles.errors import TileError

    try:
        yield
    except (KeyError, ValueError, OSError, TileError, SourceError, BaseError) as error:
        # str() of a KeyError puts its text in quotes
        text = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise click.ClickException(str(text)) from error
