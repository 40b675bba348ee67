"""What the commands share: errors that are one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import click


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
