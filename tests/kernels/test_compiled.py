"""Machine code kept on disk belongs to what it was compiled of, in whatever file that is."""

import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from kernels import atmosphere, compiled, decomposition, production
from kernels.compiled import fingerprint


def test_the_fingerprint_is_that_of_the_code() -> None:
    assert fingerprint(production._precise.py_func) == fingerprint(production._precise.py_func)
    assert fingerprint(production._precise.py_func) != fingerprint(production._simplified.py_func)


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(atmosphere, "_SUNRISE", -0.5), (decomposition, "_LN_81", -0.2), (production, "_K1", 0.0)],
)
def test_a_constant_of_a_called_function_is_in_it(
    module: types.ModuleType, name: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint(production._precise.py_func)
    monkeypatch.setattr(module, name, value)
    assert fingerprint(production._precise.py_func) != before


def test_the_table_of_perez_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels import transposition

    before = fingerprint(production._precise.py_func)
    monkeypatch.setattr(transposition, "_F", transposition._F + 1e-4)
    assert fingerprint(production._precise.py_func) != before
    assert fingerprint(production._simplified.py_func) == fingerprint(production._simplified.py_func)


def test_the_body_of_a_function_called_by_a_called_one_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(production._precise.py_func), fingerprint(production._simplified.py_func)

    def clearest(elevation: float) -> float:
        return 0.8 - 0.5 * elevation

    clearest.__module__ = "kernels.decomposition"
    changed: Callable[[float], float] = clearest
    monkeypatch.setattr(decomposition, "clearest", changed)
    assert fingerprint(production._precise.py_func) != before[0]
    assert fingerprint(production._simplified.py_func) == before[1]


def test_a_new_process_does_not_run_the_old_code_of_another_file(tmp_path: Path) -> None:
    package = tmp_path / "kernels"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(compiled.__file__, package)
    (package / "loop.py").write_text(
        "from kernels.compiled import VECTOR, compiled\nfrom kernels.part import doubled\n\n"
        "@compiled(VECTOR, VECTOR.copy(readonly=False))\n"
        "def fill(x, out):\n    for i in range(x.size):\n        out[i] = doubled(x[i])\n"
    )
    code = (
        "import numpy as np; from kernels.loop import fill; out = np.empty(1); fill(np.ones(1), out);"
        "print(out[0], sum(fill.stats.cache_hits.values()))"
    )
    said = []
    for factor in (2, 2, 3):
        body = f"@register_jitable\ndef doubled(x):\n    return x * {factor}\n"
        (package / "part.py").write_text(f"from numba.extending import register_jitable\n\n{body}")
        ran = subprocess.run(
            [sys.executable, "-B", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        said.append(ran.stdout.split() or ran.stderr)
    assert said == [["2.0", "0"], ["2.0", "1"], ["3.0", "0"]]
