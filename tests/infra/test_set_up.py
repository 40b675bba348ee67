"""Set-up where python3 cannot make virtual environments, played with stand-ins for the system's programs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "infra" / "set_up.sh"

# Old enough or not, with or without venv; `-m venv` makes a .venv whose python does nothing.
PYTHON = """#!/bin/sh
case "$*" in
*version_info\\ *3*) exit {old} ;;
*ensurepip*) test -e {flag} ;;
*python3.*venv*) echo python3.11-venv ;;
"-m venv --clear .venv")
    rm -rf .venv
    mkdir -p .venv/bin
    printf '#!/bin/sh\\necho "pip: $*"\\n' > .venv/bin/python
    chmod +x .venv/bin/python ;;
--version) echo Python 3.11.2 ;;
esac
"""


class Machine:
    """A checkout, and a folder of stand-ins that is searched first."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self.bin, self.flag = folder / "checkout", folder / "bin", folder / "has-venv"
        (self.checkout / "infra").mkdir(parents=True)
        self.bin.mkdir()
        shutil.copy(SCRIPT, self.checkout / "infra" / "set_up.sh")
        for name in ("python3.14", "python3.13", "python3.12", "python3.11"):
            self.program(name, "#!/bin/sh\nexit 1\n")
        self.python()
        self.program("apt-get", f'#!/bin/sh\necho "apt-get: $*"\ncase "$*" in install*) touch {self.flag} ;; esac\n')

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def python(self, old: int = 0) -> None:
        self.program("python3", PYTHON.format(old=old, flag=self.flag))

    def set_up(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.checkout / "infra" / "set_up.sh")],
            env={"PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin"},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_set_up_that_was_interrupted_before_pip_begins_anew(machine: Machine) -> None:
    machine.flag.touch()
    left = machine.checkout / ".venv" / "bin" / "python"
    left.parent.mkdir(parents=True)
    left.write_text("#!/bin/sh\necho No module named pip >&2\nexit 1\n")
    left.chmod(0o755)
    result = machine.set_up()
    assert result.returncode == 0, result.stderr
    assert "making .venv" in result.stdout
    assert "apt-get" not in result.stdout, "nothing is lacking"
    assert "making .venv" not in machine.set_up().stdout, "what is whole is kept"


@pytest.mark.parametrize("user", [0, 1000])
def test_root_or_sudo_without_a_password_installs_what_python_lacks(machine: Machine, user: int) -> None:
    machine.program("id", f"#!/bin/sh\necho {user}\n")
    machine.program("sudo", '#!/bin/sh\nshift\nexec "$@"\n')
    result = machine.set_up()
    assert result.returncode == 0, result.stderr
    assert "apt-get: install -q -y --no-install-recommends python3.11-venv" in result.stdout
    assert "--require-hashes" in result.stdout
    assert "-r requirements.lock" in result.stdout
    assert "--no-deps --no-build-isolation -e ." in result.stdout


def test_who_cannot_install_is_told_the_one_command_and_an_old_python_is_refused(machine: Machine) -> None:
    machine.program("id", "#!/bin/sh\necho 1000\n")
    machine.program("sudo", "#!/bin/sh\nexit 1\n")
    result = machine.set_up()
    assert result.returncode == 1
    assert result.stderr.strip().endswith("run this once: sudo apt-get install -y python3.11-venv")
    assert "apt-get:" not in result.stdout
    machine.python(old=1)
    refused = machine.set_up()
    assert refused.returncode == 1
    assert "needs Python 3.11 or later" in refused.stderr
