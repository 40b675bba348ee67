"""`solflis build`, ended by Ctrl-C."""

from typing import Any

import pytest
from click.testing import CliRunner

from dags.workflows import WORKFLOWS, Workflow
from infra.commands.build import command


@pytest.mark.parametrize("product", sorted(WORKFLOWS))
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
