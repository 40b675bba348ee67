"""`solflis keys`."""

import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from api.access.keys import IssuedKey
    from api.access.plans import Plans
    from infra.accounts import Accounts

_T = TypeVar("_T")


@click.group(short_help="Issue, list, deactivate and rotate API keys.")
def command() -> None:
    """Issue, list, deactivate and rotate the keys of the API, in its database (SOLFLIS_DATABASE).

    A key is shown once, as the last line of standard output; only its hash is kept. The commands work with
    the API running or not; what they change holds within ten seconds.

    \b
    Examples:
      solflis keys issue --plan pro --email kari@example.com
      solflis keys list
      solflis keys rotate kari@example.com
      solflis keys deactivate kari@example.com
      solflis keys plan kari@example.com basic
    """


@command.command("issue", short_help="Make an account and print its key, once.")
@click.option("--email", required=True, help="Whose account it is; nothing is sent there.")
@click.option("--plan", default="free", show_default=True, help="A plan of the file of plans: free, basic, pro.")
def issue(email: str, plan: str) -> None:
    """Make an account for an e-mail address and print its key: the last line of standard output."""
    from api.access import keys
    from api.core.email_address import read_address

    address = read_address(email)
    if address is None:
        raise click.ClickException(f"{email!r} is no e-mail address")
    name = address.account
    key = _do(lambda accounts: keys.issue(accounts.engine, accounts.secret, name, accounts.known(plan), accounts.now))
    click.echo(f"{name} has an account with the plan {plan}; its key is shown this once:", err=True)
    click.echo(key)


@command.command("list", short_help="List keys and what is used of the day.")
def listing() -> None:
    """List all keys, the oldest first.

    REQUESTS and PLANTS are what the account has used of the UTC day, whichever of its keys it showed.
    """
    from api.access import keys

    async def work(accounts: "Accounts") -> "tuple[list[IssuedKey], Plans]":
        return await keys.listing(accounts.engine, accounts.now.date()), accounts.plans

    issued, plans = _do(work)
    if not issued:
        click.echo("no keys are issued yet", err=True)
        return
    rows = [("EMAIL", "PLAN", "KEY", "CREATED", "REQUESTS", "PLANTS", "STATE"), *(_row(key, plans) for key in issued)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@command.command("deactivate", short_help="Make keys invalid.")
@click.argument("whose", metavar="EMAIL|-")
def deactivate(whose: str) -> None:
    """Make all keys of EMAIL invalid; or, with -, the one key that is typed or comes by standard input.

    A key as an argument would be seen in the list of processes and stay in the shell's history.
    """
    from api.access import keys

    if whose.startswith(keys.PREFIX):
        raise click.UsageError("others can see a key that is an argument: give its e-mail address, or - and type it")
    if whose != "-":
        name = _account(whose)
    elif sys.stdin.isatty():
        name = click.prompt("Key", hide_input=True, err=True).strip()
    else:
        name = sys.stdin.readline().strip()
    if whose == "-" and not name.startswith(keys.PREFIX):
        raise click.ClickException(f"this is no key: a key begins with {keys.PREFIX}")
    count = _do(lambda accounts: keys.deactivate(accounts.engine, accounts.secret, name, accounts.now))
    click.echo(f"deactivated {count} key{'s' * (count != 1)}" if count else "nothing was active")


@command.command("rotate", short_help="Replace an account's keys by a new one.")
@click.argument("email")
def rotate(email: str) -> None:
    """Make all keys of EMAIL invalid and print a new one: the last line of standard output.

    What is used of the day's quota stays used.
    """
    from api.access import keys

    name = _account(email)
    key = _do(lambda accounts: keys.rotate(accounts.engine, accounts.secret, name, accounts.now))
    click.echo(f"the earlier keys of {name} are invalid; the new one is shown this once:", err=True)
    click.echo(key)


@command.command("plan", short_help="Change an account's plan.")
@click.argument("email")
@click.argument("plan")
def plan(email: str, plan: str) -> None:
    """Give the account of EMAIL another PLAN; its keys stay, and what is used of the day stays used."""
    from api.access import keys

    name = _account(email)
    _do(lambda accounts: keys.change_plan(accounts.engine, name, accounts.known(plan)))
    click.echo(f"{name} has the plan {plan}")


def _do(work: "Callable[[Accounts], Awaitable[_T]]") -> _T:
    from infra.accounts import on_accounts

    return on_accounts(work, lambda made: click.echo(made, err=True))


def _account(email: str) -> str:
    """Return what an account is known by; that of the demo is no address that mail could reach."""
    from api.core.email_address import read_address

    address = read_address(email)
    return email.strip().lower() if address is None else address.account


def _row(key: "IssuedKey", plans: "Plans") -> tuple[str, ...]:
    plan = plans.plans.get(key.plan)
    requests, plants = ("?", "?") if plan is None else (str(plan.requests_per_day), str(plan.plants_per_day))
    state = "active" if key.deactivated_at is None else f"deactivated {key.deactivated_at:%Y-%m-%d %H:%M}"
    created, used = f"{key.created_at:%Y-%m-%d %H:%M}", (f"{key.requests}/{requests}", f"{key.plants}/{plants}")
    return (key.email, key.plan, f"{key.hint}...", created, *used, state)
