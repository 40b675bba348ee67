"""What `solflis up` tells the person who started it."""

from collections.abc import Callable

from dags.areas import parse_areas
from infra.serve import url
from infra.settings import DEMO_AREAS, Settings
from infra.up import airflow, demo


def say(text: str) -> None:
    """Print one line at once."""
    print(text, flush=True)


def api(settings: Settings) -> str:
    """Return where this machine reaches the API."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 -- nothing is bound here
    return url(here.get(settings.host, settings.host), settings.port)


def example(settings: Settings, key: str) -> str:
    """Return a request for a forecast in the first of the areas, with a key where there is one."""
    area = (settings.areas or parse_areas(DEMO_AREAS))[0]
    header = f"-H 'X-API-Key: {key}' " if key else ""
    return f"curl {header}'{api(settings)}/api/forecast?lat={area.lat}&lon={area.lon}'"


def table(settings: Settings, password: Callable[[Settings], str] = airflow.password) -> str:
    """Return what is where, how to log in, and a request to try."""
    rows = [
        ("API", f"{api(settings)}   documentation: /docs   state of the products: /health   assistants (MCP): /mcp"),
        (
            "Airflow",
            f"http://127.0.0.1:{settings.airflow_port}   user {airflow.USER}, password {password(settings)}",
        ),
    ]
    simulated = settings.simulated_sources
    if simulated:
        rows.append(("Simulator", f"http://127.0.0.1:{settings.simulator_port}"))
    rows += [
        ("Tiles", settings.store),
        ("Logs", str(settings.state / "logs")),
        ("Data", f"SIMULATED: {', '.join(simulated)}" if simulated else "live"),
    ]
    if not settings.clock.is_real:
        rows.append(("Clock", f"{settings.clock.now():%Y-%m-%d %H:%M} UTC (SOLFLIS_CLOCK); schedules are off"))
    key = demo.key(settings.state) if settings.access == "keys" else ""
    rows.append(
        ("Key", f"{key}   of {demo.EMAIL}" if key else "none is needed: nothing is counted (SOLFLIS_ACCESS=open)")
    )
    for title, header, purpose in (("Roofs", "X-Partner-Code", "tak"), ("Plants", "X-Anlegg-Beta", "anlegg")):
        if settings.access == "keys" and (password_of := demo.partner(settings.state, purpose)):
            rows.append((title, f"{header}: {password_of}"))
    rows.append(("Try", example(settings, key)))
    return "\n".join(f"  {name:<10} {value}" for name, value in rows)
