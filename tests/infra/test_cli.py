"""The command: quick, complete and clear."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.sources.errors import SourceError
from dags.workflows import WORKFLOWS, Workflow
from infra.cli import COMMANDS, main
from infra.commands.build import command

ROOT = Path(__file__).resolve().parents[2]


def test_help_lists_every_command_and_loads_nothing_heavy() -> None:
    code = (
        "import sys; from infra.cli import main; main(['--help'], standalone_mode=False);"
        "print(sorted(set(sys.modules) & {'numpy', 'aiohttp', 'airflow', 'zarr', 'tiles', 'psutil', 'sqlalchemy'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert out.strip().endswith("[]")
    listed = [line.split()[0] for line in out.split("Commands:\n")[1].splitlines()[:-1] if line.strip()]
    assert listed == [
        "up",
        "serve",
        "mcp",
        "worker",
        "jobs",
        "build",
        "dask",
        "keys",
        "partners",
        "plants",
        "leads",
        "catalog",
        "simulator",
        "roof",
    ]


CATALOG = ["catalog ls", "catalog verify", "catalog gc", "catalog export"]
KEYS = ["keys issue", "keys list", "keys deactivate", "keys rotate", "keys plan"]


@pytest.mark.parametrize("name", [*COMMANDS, *CATALOG, *KEYS, "plants list", "plants retention"])
def test_every_help_works_and_the_main_ones_show_examples(name: str) -> None:
    result = CliRunner().invoke(main, [*name.split(), "--help"])
    assert result.exit_code == 0, result.output
    if " " not in name:
        assert "Examples:" in result.stdout
        assert f"solflis {name}" in result.stdout
        assert importlib.import_module(f"infra.commands.{name}").command.short_help == COMMANDS[name]


@pytest.mark.parametrize("arguments", [["catalog", "ls"], ["up"], ["serve"], ["simulator"]])
def test_a_malformed_setting_is_one_sentence(arguments: list[str]) -> None:
    result = CliRunner(env={"SOLFLIS_PORT": "eighty"}).invoke(main, arguments)
    assert result.exit_code == 1
    assert result.stderr == "Error: SOLFLIS_PORT='eighty': expected a port number, 1 to 65535\n"


def test_the_catalogue_of_an_empty_state(tmp_path: Path) -> None:
    runner = CliRunner(env={"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_STORE": "", "SOLFLIS_CLOCK": ""})
    assert "nothing is published yet" in runner.invoke(main, ["catalog", "ls"]).stdout
    assert runner.invoke(main, ["catalog", "verify"]).exit_code == 0
    assert runner.invoke(main, ["catalog", "gc"]).stdout == "0 removed\n"


@pytest.mark.parametrize("arguments", [["verify", "rain"], ["export", "--cog", "x.tif"]])
def test_the_catalogue_names_what_it_does_not_have(arguments: list[str], tmp_path: Path) -> None:
    result = CliRunner(env={"SOLFLIS_STATE": str(tmp_path)}).invoke(main, ["catalog", *arguments])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("met_nordic: http://127.0.0.1:8082/met_nordic/a.nc could not be read: [Errno 111] Connection refused", True),
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
    rows = CliRunner().invoke(main, ["build", "--help"]).stdout.partition("Products:")[2].partition("\n\n")[0]
    names = {line.split()[0] for line in rows.splitlines() if line.startswith(4 * " ") and line[4] != " "}
    assert names == {*WORKFLOWS, "all"}
