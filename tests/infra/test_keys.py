"""`solflis keys`, on both databases, as the operator calls it."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli import main

CLOCK = "2026-06-21T06:00:00Z!"
DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
FILES = (("database", "solflis.sqlite"), ("secret", "secret"))


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets settings; those of the person who runs the tests are none."""
    for name in [name for name in os.environ if name.startswith("SOLFLIS_")]:
        monkeypatch.delenv(name)

    def setting(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(f"SOLFLIS_{name}", value)

    setting(STATE=str(tmp_path / "state"), CLOCK=CLOCK)
    return setting


def keys(*arguments: str, typed: str = "") -> Result:
    result = CliRunner().invoke(main, ["keys", *arguments], input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def said(result: Result) -> tuple[list[str], list[str]]:
    """Return the lines on standard error: what was made, and the others."""
    lines = result.stderr.splitlines()
    made = [line for line in lines if line.startswith("made a new ")]
    return made, [line for line in lines if line not in made]


def issue(email: str, *more: str) -> str:
    result = keys("issue", "--email", email, *more)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("\n") == 1, "the key alone is on standard output"
    return result.stdout.strip()


def refusal(*arguments: str, typed: str = "") -> str:
    result = keys(*arguments, typed=typed)
    assert (result.exit_code, result.stdout) == (1, "")
    [line] = said(result)[1]
    assert line.startswith("Error: ")
    return line.removeprefix("Error: ")


def table() -> list[list[str]]:
    return [line.split() for line in keys("list").stdout.splitlines()]


@pytest.mark.parametrize("empty_database_url", DATABASES, indirect=True)
def test_the_life_of_an_account(settings: Callable[..., None], empty_database_url: str) -> None:
    settings(DATABASE=empty_database_url)
    nothing = keys("list")
    assert (nothing.stdout, said(nothing)[1]) == ("", ["no keys are issued yet"])

    first = issue("Kari@Example.COM", "--plan", "pro")
    assert len(first) == 72
    other = issue("ola@example.com")
    assert refusal("issue", "--email", "kari@example.com").startswith("kari@example.com has an account")

    made = ["2026-06-21", "06:00"]
    of_kari = ["kari@example.com", "pro", f"{first[:12]}...", *made, "0/100000", "0/1000"]
    of_ola = ["ola@example.com", "free", f"{other[:12]}...", *made, "0/1000", "0/10", "active"]
    assert table()[1:] == [[*of_kari, "active"], of_ola]

    second = keys("rotate", "KARI@example.com").stdout.strip()
    assert len(second) == 72
    assert second != first
    keys("plan", "kari@example.com", "basic")
    renewed = ["kari@example.com", "basic", f"{second[:12]}...", *made, "0/10000", "0/100", "active"]
    [_, old, untouched, new] = table()
    assert old[-3:] == ["deactivated", *made]
    assert (untouched, new) == (of_ola, renewed)

    assert keys("deactivate", "-", typed=f"{second}\n").stdout == "deactivated 1 key\n"
    assert keys("deactivate", "kari@example.com").stdout == "nothing was active\n"
    assert [row[7] for row in table()[1:]] == ["deactivated", "active", "deactivated"]
    shown = "".join(" ".join(row) for row in table())
    assert not [key for key in (first, second, other) if key in shown], "a key is shown once"


def test_what_a_command_makes_is_said_once_and_beside_the_key(
    settings: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, secret = (f"made a new {what}: {tmp_path / 'state' / file}" for what, file in FILES)
    first = keys("issue", "--email", "a@b.no")
    assert re.fullmatch(r"sk_live_\w{64}\n", first.stdout)
    assert said(first)[0] == [database, secret]
    assert said(keys("issue", "--email", "c@d.no"))[0] == []

    settings(DATABASE="sqlite:///other.sqlite")
    monkeypatch.chdir(tmp_path)
    assert said(keys("list"))[0] == [f"made a new database: {tmp_path / 'other.sqlite'}"]
    settings(STATE="elsewhere")
    refused = keys("list")  # another folder's secret
    assert refused.exit_code == 1
    assert said(refused)[0] == [f"made a new secret: {tmp_path / 'elsewhere' / 'secret'}"]


def test_what_cannot_be_done_is_said_in_one_line(settings: Callable[..., None]) -> None:
    assert refusal("issue", "--email", "kari") == "'kari' is no e-mail address"
    assert refusal("issue", "--email", "a@b.no\nBcc: x@y.no").endswith("is no e-mail address")
    assert refusal("issue", "--email", "a@b.no", "--plan", "gold") == (
        "there is no plan 'gold'; there are free, basic, pro"
    )
    assert refusal("rotate", "a@b.no") == "a@b.no has no account"
    assert refusal("plan", "a@b.no", "pro") == "a@b.no has no account"
    assert refusal("deactivate", "a@b.no") == "a@b.no has no account"
    assert refusal("deactivate", "-", typed=f"sk_live_{'x' * 64}\n") == "there is no such key"
    assert refusal("deactivate", "-", typed="a@b.no\n") == "this is no key: a key begins with sk_live_"
    seen = keys("deactivate", "sk_live_abc")
    assert seen.exit_code == 2
    assert "others can see a key that is an argument" in seen.stderr
    assert "sk_live_abc" not in seen.output


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"DATABASE": "mysql://x/y"}, "SOLFLIS_DATABASE: expected sqlite:///path or postgresql://"),
        ({"DATABASE": "postgresql://u:hidden@127.0.0.1:1/x"}, "the database cannot be reached: "),
        ({"DATABASE": "sqlite:////proc/none/x.sqlite"}, "the database cannot be migrated: "),
        ({"SECRET": "short"}, "SOLFLIS_SECRET: a secret has at least 32 characters"),
        ({"PLANS": "/absent.toml"}, "/absent.toml: "),
        ({"ACCESS": "all"}, "SOLFLIS_ACCESS='all': expected keys or open"),
    ],
)
def test_a_setting_that_cannot_be_used(settings: Callable[..., None], values: dict[str, str], said: str) -> None:
    settings(**values)
    text = refusal("list")
    assert text.startswith(said)
    assert "hidden" not in text


def test_another_secret_is_noticed_before_anything_is_written(settings: Callable[..., None]) -> None:
    settings(SECRET="a" * 32)
    issue("a@b.no")
    settings(SECRET="b" * 32)
    assert refusal("rotate", "a@b.no").startswith("the database belongs to another secret")


def test_a_plan_that_the_file_lost_is_shown(settings: Callable[..., None], tmp_path: Path) -> None:
    issue("a@b.no", "--plan", "pro")
    plan = "requests_per_day = 5\nplants_per_day = 2\nkwp_per_plant = 1\nsystems_per_bulk = 1\n"
    (tmp_path / "plans.toml").write_text(f"[anonymous]\n{plan}[plans.free]\n{plan}[tmy]\nrequests_per_day = 1\n")
    settings(PLANS=str(tmp_path / "plans.toml"))
    issue("c@d.no")
    assert [row[1:2] + row[5:7] for row in table()[1:]] == [["pro", "0/?", "0/?"], ["free", "0/5", "0/2"]]
