"""The command: quick, complete and clear."""

import importlib
import os
import resource
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from catalog.sources.errors import SourceError
from dags.workflows import WORKFLOWS, Workflow
from infra.cli import COMMANDS
from infra.commands.build import command

ROOT = Path(__file__).resolve().parents[2]


def solflis(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SOLFLIS_")}
    return subprocess.run(
        [sys.executable, "-m", "infra.cli", *arguments],
        cwd=ROOT,
        env={**clean, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def cpu_s() -> float:
    """What the children that have ended took: other than the time that went by, no matter what else runs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_is_quick_and_lists_every_command() -> None:
    times = [cpu_s()]
    for _ in range(5):
        result = solflis("--help")
        times.append(cpu_s())
    assert result.returncode == 0
    assert min(after - before for before, after in pairwise(times)) < 0.3
    listed = [line.split()[0] for line in result.stdout.split("Commands:\n")[1].splitlines() if line.strip()]
    assert listed == ["up", "serve", "build", "dask", "keys", "catalog", "simulator"]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from infra.cli import main; main(['--help'], standalone_mode=False);"
        "print(sorted(set(sys.modules) & {'numpy', 'aiohttp', 'airflow', 'zarr', 'tiles', 'psutil', 'sqlalchemy'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert out.strip().endswith("[]")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_one_line_help_of_the_group_is_the_commands_own(name: str) -> None:
    command: click.Command = importlib.import_module(f"infra.commands.{name}").command
    assert command.short_help == COMMANDS[name]


CATALOG = ["catalog ls", "catalog verify", "catalog gc", "catalog export"]
KEYS = ["keys issue", "keys list", "keys deactivate", "keys rotate", "keys plan"]


@pytest.mark.parametrize("name", [*COMMANDS, *CATALOG, *KEYS])
def test_every_help_works_and_the_main_ones_show_examples(name: str) -> None:
    result = solflis(*name.split(), "--help")
    assert result.returncode == 0, result.stderr
    if " " not in name:
        assert "Examples:" in result.stdout
        assert f"solflis {name}" in result.stdout


def test_an_unknown_command_is_a_usage_error() -> None:
    result = solflis("ups")
    assert result.returncode == 2
    assert "No such command 'ups'" in result.stderr


@pytest.mark.parametrize("arguments", [["catalog", "ls"], ["up"], ["serve"], ["simulator"]])
def test_a_malformed_setting_is_one_sentence(arguments: list[str]) -> None:
    result = solflis(*arguments, SOLFLIS_PORT="eighty")
    assert result.returncode == 1
    assert result.stderr == "Error: SOLFLIS_PORT='eighty': expected a port number, 1 to 65535\n"


def test_the_catalogue_of_an_empty_state(tmp_path: Path) -> None:
    state = {"SOLFLIS_STATE": str(tmp_path)}
    assert "nothing is published yet" in solflis("catalog", "ls", **state).stdout
    assert solflis("catalog", "verify", **state).returncode == 0
    assert solflis("catalog", "gc", **state).stdout == "0 removed\n"


@pytest.mark.parametrize("arguments", [["verify", "rain"], ["export", "--cog", "x.tif"]])
def test_the_catalogue_names_what_it_does_not_have(arguments: list[str], tmp_path: Path) -> None:
    result = solflis("catalog", *arguments, SOLFLIS_STATE=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("met_nordic: http://127.0.0.1:8082/met_nordic/a.nc could not be read: [Errno 111] Connection refused", True),
        ("met_nordic: http://127.0.0.1:8082/met_nordic/a.nc is damaged", False),
        ("met_nordic: http://127.0.0.1:9000/met_nordic/a.nc could not be read: [Errno 111] Connection refused", False),
    ],
)
def test_a_build_whose_upstream_nobody_plays_says_what_starts_the_simulator(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, hint: bool
) -> None:
    def build(_: object) -> None:
        raise SourceError(said)

    monkeypatch.setattr(Workflow, "resolve", lambda _: build)
    monkeypatch.setenv("SOLFLIS_STATE", str(tmp_path))
    monkeypatch.setenv("SOLFLIS_SIMULATOR_PORT", "8082")
    result = CliRunner().invoke(command, ["forecast"])
    assert result.exit_code == 1
    assert said in result.output
    assert ("`solflis simulator` starts it" in result.output) == hint


def test_help_of_build_names_every_product_that_can_be_built() -> None:
    rows = solflis("build", "--help").stdout.partition("Products:")[2].partition("\n\n")[0]
    names = {line.split()[0] for line in rows.splitlines() if line.startswith(4 * " ") and line[4] != " "}
    assert names == {*WORKFLOWS, "all"}
