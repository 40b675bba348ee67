"""Machine code kept on disk belongs to what it was compiled of, in whatever file that is."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels import compiled
from kernels.compiled import fingerprint

PART = "from numba.extending import register_jitable\n\n@register_jitable\ndef doubled(x):\n    return x * {}\n"
LOOP = """
from kernels.compiled import VECTOR, compiled
from kernels.part import doubled

@compiled(VECTOR, VECTOR.copy(readonly=False))
def fill(x, out):
    for i in range(x.size):
        out[i] = doubled(x[i])
"""
CODE = "import numpy as np; from kernels.loop import fill; out = np.empty(1); fill(np.ones(1), out); print(out[0])"


def fingerprint_of(body: str = "x * SCALE + TABLE[0]", scale: float = 2.0, table: float = 1.0) -> str:
    """Of a loop whose called function has that body, and globals of that value."""
    space = {"__name__": "kernels.made_up", "SCALE": scale, "TABLE": np.array([table])}
    exec(f"def called(x):\n    return {body}\n\ndef loop(x):\n    return called(x)", space)
    return fingerprint(space["loop"])


@pytest.mark.parametrize("change", [{"body": "x * SCALE - TABLE[0]"}, {"scale": 2.1}, {"table": 1.1}])
def test_fingerprint_has_the_code_and_the_constants_of_called_functions(change: dict[str, object]) -> None:
    assert fingerprint_of() == fingerprint_of() != fingerprint_of(**change)


def test_new_process_does_not_run_the_old_code_of_another_file(tmp_path: Path) -> None:
    package = tmp_path / "kernels"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(compiled.__file__, package)
    (package / "loop.py").write_text(LOOP)
    for factor in (2, 3):
        (package / "part.py").write_text(PART.format(factor))
        command = [sys.executable, "-B", "-c", CODE]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert float(ran.stdout) == factor
