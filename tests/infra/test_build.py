"""`solflis build`, ended by Ctrl-C."""

from typing import Any

import pytest
from click.testing import CliRunner

from dags.build.registry import BUILDERS
from infra.commands.build import BY_BLOCKS, command


@pytest.mark.parametrize("product", sorted(BUILDERS))
def test_ctrl_c_tells_what_is_kept(product: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setitem(BUILDERS, product, interrupted)
    result = CliRunner().invoke(command, [product])
    assert result.exit_code == 130
    kept = "the blocks that are finished are kept, and the same command goes on with the others"
    assert result.output == f"stopped: {kept if product in BY_BLOCKS else 'nothing is published'}\n"
