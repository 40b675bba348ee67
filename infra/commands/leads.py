"""`solflis leads`."""

import csv
import sys

import click


@click.group(short_help="Export who has downloaded typical years.")
def command() -> None:
    """Read the leads of the download form (POST /api/tmy/lead) from the API's database (SOLFLIS_DATABASE).

    \b
    Examples:
      solflis leads export > leads.csv
    """


@command.command("export", short_help="Write all leads as CSV.")
def export() -> None:
    """Write all leads to standard output, the oldest first, as CSV in UTF-8.

    A text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    from api.tmy.leads import table
    from infra.accounts import on_accounts

    rows = on_accounts(lambda accounts: table(accounts.engine), lambda made: click.echo(made, err=True))
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
