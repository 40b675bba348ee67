"""`solflis mcp`."""

import os

import click

from infra.settings import Settings


@click.command(short_help="Serve the tool server for AI assistants by itself.")
@click.option("--api", metavar="URL", help="Address of the API; SOLFLIS_MCP_API when not given.")
@click.option("--host", help="IPv4 or IPv6 address; SOLFLIS_HOST or 127.0.0.1 when not given; 0.0.0.0 or :: for all.")
@click.option("--port", type=click.IntRange(1, 65535), default=8083, show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Worker processes.")
def command(api: str | None, host: str | None, port: int, workers: int) -> None:
    """Serve `POST /mcp` alone, at an address of its own; the tools ask an API over HTTP.

    The API serves the same at its own `/mcp`. Here a caller's key is passed on to it, and not stored; limits by
    address count the caller's where the API trusts this host (SOLFLIS_TRUSTED_PROXIES). Links in answers begin with
    SOLFLIS_BASE_URL, by default the API's address.

    \b
    Examples:
      solflis mcp --api http://127.0.0.1:8080
      solflis mcp --api https://solflis.example.com --port 9000 --workers 2
    """
    from dataclasses import replace
    from pathlib import Path

    from infra.serve import serve

    api = api or os.environ.get("SOLFLIS_MCP_API")
    if not api:
        raise click.UsageError("Missing the API's address: --api http://127.0.0.1:8080, or SOLFLIS_MCP_API.")
    if not api.startswith(("http://", "https://")):
        raise click.BadParameter(f"'{api}': expected an address such as http://127.0.0.1:8080", param_hint="--api")
    settings = Settings.from_environment({**os.environ, "SOLFLIS_HOST": host} if host else os.environ)
    settings = replace(settings, port=port, workers=workers)
    environment = {
        **settings.child_environment(simulator=False),
        "SOLFLIS_MCP_API": api,
        "SOLFLIS_BASE_URL": os.environ.get("SOLFLIS_BASE_URL") or api,
    }
    metrics = Path(settings.metrics or settings.state / "metrics" / str(port))
    serve(settings.host, port, workers, environment, metrics, module="api.mcp.worker")
