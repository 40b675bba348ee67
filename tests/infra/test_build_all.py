"""`solflis build all`: order, areas, and what fails; `solflis build`, ended by Ctrl-C."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from catalog.sources.errors import SourceError
from dags.areas import parse_areas
from dags.workflows import BUILD_ALL, WORKFLOWS, Workflow
from infra.build_all import NotAllBuilt, build_all
from infra.commands.build import command
from tests.support.context import context_of

AREAS = parse_areas("Oslo:59.91,10.75;Bergen:60.39,5.32")
BY_AREA = [name for name in BUILD_ALL if WORKFLOWS[name].by_area]
CLOCK = "2026-06-21T06:00:00Z!"


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The products that are built, each with its areas."""
    done: list[tuple[str, str]] = []

    def build(name: str, context: Any) -> Any:
        done.append((name, " ".join(area.name for area in context.areas)))
        context.report("1/2: half of it; about 3 min left")
        if name == "terrain" and len(context.areas) == 1:
            raise SourceError("the heights are away")
        if name == "snowload":
            raise SourceError("nve_gts is away")
        return SimpleNamespace(version="v")

    monkeypatch.setattr(Workflow, "resolve", lambda row: partial(build, row.name))
    return done


def test_one_area_is_built_first_then_all_and_a_failure_stops_nothing_else(
    tmp_path: Path, built: list[tuple[str, str]]
) -> None:
    lines: list[tuple[str, str]] = []
    with pytest.raises(NotAllBuilt) as failed:
        build_all(context_of(tmp_path, CLOCK, AREAS), lambda *line: lines.append(line))
    first = [(name, "Oslo") for name in BUILD_ALL]
    assert built == [*first, *((name, "Oslo Bergen") for name in BY_AREA)]
    assert str(failed.value) == "snowload is not built: nve_gts is away", "the terrain was built in the second round"
    assert ("horizon", "1/2: half of it; about 3 min left") in lines
    assert ("tmy", "v is published for Oslo, Bergen") in lines


def test_the_whole_country_is_one_round(tmp_path: Path, built: list[tuple[str, str]]) -> None:
    with pytest.raises(NotAllBuilt):
        build_all(context_of(tmp_path, CLOCK), lambda *_: None)
    assert [name for name, _ in built] == list(BUILD_ALL)


@pytest.mark.parametrize("product", ["climate_archive", "verify"])
def test_ctrl_c_tells_what_is_kept(product: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Any) -> Any:
        raise KeyboardInterrupt

    by_blocks = hasattr(WORKFLOWS[product].resolve(), "make_group")
    if by_blocks:
        interrupted.make_group = None  # type: ignore[attr-defined]
    monkeypatch.setattr(Workflow, "resolve", lambda _: interrupted)
    result = CliRunner().invoke(command, [product])
    assert result.exit_code == 130
    kept = "the blocks that are finished are kept, and the same command goes on with the others"
    assert result.output == f"stopped: {kept if by_blocks else 'nothing is published'}\n"
