"""Reading the settings in a command: a malformed one is a usage error, not a traceback."""

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
