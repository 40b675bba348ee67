"""The demo account of `solflis up`, and what is told of it."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from api.access import keys, partners
from infra.accounts import on_accounts
from infra.commands.partners import command
from infra.settings import Settings
from infra.up import airflow, demo
from infra.up.demo_prepare import ensure
from infra.up.report import table


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of an installation with no other settings."""
    for name in [name for name in os.environ if name.startswith("SOLFLIS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SOLFLIS_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def prepare() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "infra.up.demo_prepare"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def prepared(state: Path) -> str:
    on_accounts(ensure)
    return demo.key(state)


def active() -> list[tuple[str, str, str]]:
    listed = on_accounts(lambda a: keys.listing(a.engine, a.now.date()))
    return [(key.email, key.plan, key.hint) for key in listed if key.deactivated_at is None]


def test_its_key_stays_as_long_as_it_works(state: Path) -> None:
    result = prepare()
    assert (result.returncode, result.stdout, result.stderr) == (0, "", ""), "no key in a log"
    key = demo.key(state)
    assert active() == [("demo@localhost", "pro", key[:12])]
    assert stat.S_IMODE(demo.file(state).stat().st_mode) == 0o600
    assert prepared(state) == key
    on_accounts(lambda a: keys.change_plan(a.engine, demo.EMAIL, "free"))

    on_accounts(lambda a: keys.deactivate(a.engine, a.secret, demo.EMAIL, a.now))
    second = prepared(state)
    assert second != key
    assert active() == [("demo@localhost", "free", second[:12])], "the operator's plan stays"

    demo.file(state).unlink()
    third = prepared(state)
    assert active() == [("demo@localhost", "free", third[:12])], "a key that was lost is of no use to anybody"


def test_without_a_plan_pro_it_is_free(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = "requests_per_day = 5\nplants_per_day = 2\nkwp_per_plant = 1\nsystems_per_bulk = 1\n"
    (tmp_path / "plans.toml").write_text(f"[anonymous]\n{plan}[plans.free]\n{plan}[tmy]\nrequests_per_day = 1\n")
    monkeypatch.setenv("SOLFLIS_PLANS", str(tmp_path / "plans.toml"))
    prepared(state)
    assert [plan for _, plan, _ in active()] == ["free"]


def test_the_table_shows_the_key_where_one_is_needed(tmp_path: Path) -> None:
    settings = Settings.from_environment({"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_PORT": "9080"})
    demo.file(tmp_path).write_text("sk_live_abc\n")
    rows = dict(line.split(maxsplit=1) for line in table(settings, lambda _: "pw").splitlines())
    assert rows["Key"] == "sk_live_abc   of demo@localhost"
    place = "'http://127.0.0.1:9080/api/forecast?lat=59.91&lon=10.75'"
    assert rows["Try"] == f"curl -H 'X-API-Key: sk_live_abc' {place}"
    rows = dict(line.split(maxsplit=1) for line in table(replace(settings, access="open"), lambda _: "").splitlines())
    assert "none is needed" in rows["Key"]
    assert rows["Try"] == f"curl {place}"


def test_airflow_sees_none_of_the_apis_secrets(tmp_path: Path) -> None:
    settings = Settings.from_environment({"SOLFLIS_STATE": str(tmp_path)})
    hidden = {f"SOLFLIS_{name}": "hidden" for name in ("SECRET", "DATABASE", "RATE_STORE", "SMTP")}
    seen = airflow.environment(settings, {**hidden, "PATH": "/bin"})
    assert seen["PATH"] == "/bin"
    assert "hidden" not in json.dumps(seen)


@pytest.mark.parametrize("purpose", ["tak", "anlegg"])
def test_an_agreement_of_the_demo_keeps_its_password_as_long_as_it_works(state: Path, purpose: Any) -> None:
    prepared(state)
    password = demo.partner(state, purpose)
    assert stat.S_IMODE(demo.partner_file(state, purpose).stat().st_mode) == 0o600
    prepared(state)
    assert demo.partner(state, purpose) == password
    on_accounts(lambda a: partners.revoke(a.engine, demo.PARTNER, a.now, purpose))
    prepared(state)
    assert demo.partner(state, purpose) not in ("", password)


def test_a_partner_is_added_listed_and_revoked_by_the_command(state: Path) -> None:
    runner = CliRunner()
    added = runner.invoke(command, ["add", "Takfirma AS"])
    assert (added.exit_code, len(added.stdout.strip())) == (0, 32), added.output
    assert runner.invoke(command, ["add", "Takfirma AS"]).exit_code == 1
    listed = runner.invoke(command, ["list"]).stdout
    assert "tak     active  Takfirma AS" in listed
    assert added.stdout.strip() not in listed
    assert runner.invoke(command, ["revoke", "Takfirma AS"]).exit_code == 0
    assert "revoked" in runner.invoke(command, ["list"]).stdout


def test_agreements_on_roofs_and_on_plants_are_two(state: Path) -> None:
    runner = CliRunner()
    codes = [runner.invoke(command, ["add", "Kari", "--for", purpose]).stdout.strip() for purpose in ("tak", "anlegg")]
    assert len(set(codes)) == 2
    assert runner.invoke(command, ["revoke", "Kari", "--for", "anlegg"]).exit_code == 0
    listed = runner.invoke(command, ["list"]).stdout.splitlines()
    assert ["revoked" in line for line in listed if "Kari" in line] == [False, True]
    assert runner.invoke(command, ["revoke", "Kari", "--for", "anlegg"]).exit_code == 1
    assert runner.invoke(command, ["add", "Kari", "--for", "boat"]).exit_code == 2
