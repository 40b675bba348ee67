"""`solflis serve`."""

import click

from infra.settings import Settings


@click.command(short_help="Serve the API with several workers on one port.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port on loopback; SOLFLIS_PORT or 8080 when not given.")
@click.option("--workers", type=click.IntRange(1, 64), help="Worker processes; SOLFLIS_WORKERS or 2 when not given.")
def command(port: int | None, workers: int | None) -> None:
    """Serve the API: several workers on one listening socket.

    A worker that dies is started again; settings that none can serve with end all. Ctrl-C or SIGTERM stops all of
    them within 10 s.

    \b
    Examples:
      solflis serve
      solflis serve --port 9000 --workers 4
    """
    from dataclasses import replace
    from pathlib import Path

    from infra.serve import serve

    settings = Settings.from_environment()
    settings = replace(settings, port=port or settings.port, workers=workers or settings.workers)
    metrics = Path(settings.metrics or settings.state / "metrics" / str(settings.port))
    # `solflis up` names its simulator; without it, the authorities are asked
    serve(settings.port, settings.workers, settings.child_environment(simulator=False), metrics)
