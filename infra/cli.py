"""The `solflis` command: its subcommands are loaded only when they are called."""

import importlib

import click

# The one-line help stands here, so that `solflis --help` loads no subcommand; a test holds it to theirs.
COMMANDS = {
    "up": "Run everything here: simulator, Airflow, API.",
    "serve": "Serve the API with several workers on one port.",
    "mcp": "Serve the tool server for AI assistants by itself.",
    "worker": "Run jobs: the long work that the API queues.",
    "jobs": "List, show, retry and cancel jobs.",
    "build": "Build and publish one product, without Airflow.",
    "dask": "Start the scheduler or workers of a Dask cluster.",
    "keys": "Issue, list, deactivate and rotate API keys.",
    "partners": "Add, list and revoke partners of roof analyses and plants.",
    "plants": "List and calibrate plants, and delete those that nobody uses.",
    "leads": "Export who has downloaded typical years.",
    "catalog": "Look at, check, tidy or export published tiles.",
    "simulator": "Serve simulated upstream files on loopback.",
    "roof": "Analyse roofs in a file of heights.",
}


class LazyGroup(click.Group):
    """A group whose subcommands live in infra/commands, a module each."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the subcommands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load one subcommand."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"infra.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of subcommands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Solflis: solar data for Norway as Zarr tiles, and a thin HTTP API.

    \b
    Examples:
      solflis up                                        everything, on this machine
      solflis build forecast --partition 2015-08-24T00  one cycle, without Airflow
      solflis catalog ls                                what is published
      solflis keys issue --email kari@example.com       a key for the API

    Settings are environment variables named SOLFLIS_*; infra/README.md lists them.
    """


if __name__ == "__main__":
    main()
