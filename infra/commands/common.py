"""Errors of commands, each one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def naming_the_error(simulator_port: int | None = None) -> Iterator[None]:
    """Turn what the user or an upstream can cause (unknown names, damaged files) into one sentence.

    Parameters
    ----------
    simulator_port : int, optional
        Where the simulator plays the upstreams that have no address; where it does not run, the sentence says so.
    """
    from obstore.exceptions import BaseError

    from catalog.sources.errors import SourceError
    from tiles.errors import TileError

    try:
        yield
    except (KeyError, ValueError, OSError, TileError, SourceError, BaseError) as error:
        # str() of a KeyError puts its text in quotes
        text = str(error.args[0] if isinstance(error, KeyError) and error.args else error)
        if f"//127.0.0.1:{simulator_port}/" in text and "refused" in text:
            text += ". No address is set for that upstream, so the simulator plays it, and that does not run: "
            text += "`solflis simulator` starts it"
        raise click.ClickException(text) from error
