#!/bin/sh
# Make .venv and install the hash-pinned lock into it. Needs a Debian or Ubuntu with python3 (3.11 or later).
set -eu
cd "$(dirname "$0")/.."

say() { printf 'set-up: %s\n' "$*"; }
refuse() { printf 'set-up: %s\n' "$*" >&2; exit 1; }

python=
for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null 2>&1 &&
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || refuse 'needs Python 3.11 or later as python3'

# Debian ships venv without ensurepip; the package that adds it is named after the version.
if ! .venv/bin/python -m pip --version >/dev/null 2>&1 && ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    package=$("$python" -c 'import sys; print(f"python3.{sys.version_info.minor}-venv")')
    install="apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $package"
    say "installing $package, which $python lacks"
    if [ "$(id -u)" = 0 ]; then
        sh -c "$install"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        sudo -n sh -c "$install"
    else
        refuse "$python cannot make virtual environments; run this once: sudo apt-get install -y $package"
    fi
fi

# Asked for pip: a set-up that was interrupted leaves a python without it.
if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
fi
say 'installing requirements.lock (some minutes the first time)'
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
say 'done'
