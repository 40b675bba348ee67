"""`solflis serve`."""

import os

import click

from infra.settings import Settings


@click.command(short_help="Serve the API with several workers on one port.")
@click.option("--host", help="IPv4 or IPv6 address; SOLFLIS_HOST or 127.0.0.1 when not given; 0.0.0.0 or :: for all.")
@click.option("--port", type=click.IntRange(1, 65535), help="SOLFLIS_PORT or 8080 when not given.")
@click.option("--workers", type=click.IntRange(1, 64), help="Worker processes; SOLFLIS_WORKERS or 2 when not given.")
def command(host: str | None, port: int | None, workers: int | None) -> None:
    """Serve the API: several workers on one listening socket.

    A worker that dies is started again; settings that none can serve with end all. Ctrl-C or SIGTERM stops all of
    them within 10 s.

    \b
    Examples:
      solflis serve
      solflis serve --port 9000 --workers 4
      solflis serve --host 0.0.0.0    # in a container, behind a load balancer
    """
    from dataclasses import replace
    from pathlib import Path

    from infra.serve import serve

    settings = Settings.from_environment({**os.environ, "SOLFLIS_HOST": host} if host else os.environ)
    settings = replace(settings, port=port or settings.port, workers=workers or settings.workers)
    metrics = Path(settings.metrics or settings.state / "metrics" / str(settings.port))
    # `solflis up` names its simulator; without it, the authorities are asked
    serve(settings.host, settings.port, settings.workers, settings.child_environment(simulator=False), metrics)
