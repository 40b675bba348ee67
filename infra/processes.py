"""Starting child processes so that none outlives us, and stopping them.

Each child leads a session of its own, so that Ctrl-C in the terminal reaches only the parent, which then
stops everything in order. Should the parent be killed, the kernel sends its children SIGTERM. Orphans of a
child that died come to the parent (it is a subreaper), where `collect_orphans` and `stop_all` find them.
"""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import IO

import psutil

# How a person or a service manager tells us to stop; the last one comes when the terminal goes away.
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# How long the kernel may take to end what was killed, s.
KILLED_WITHIN_S = 2.0
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# Loaded before any fork: between fork and exec nothing may be imported.
_LIBC = ctypes.CDLL(None, use_errno=True)


def _die_with_parent(parent: int) -> Callable[[], None]:
    def between_fork_and_exec() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return between_fork_and_exec


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def collect_orphans(ours: Collection[int]) -> None:
    """Collect the adopted orphans that have ended; each stays a zombie until then.

    Call it again and again: it stops at the first process of ours that has ended and is not collected yet.

    Parameters
    ----------
    ours : collection of int
        The processes whose end somebody else asks for, `Popen`: these are left alone.
    """
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in ours:
                return
            os.waitpid(ended.si_pid, 0)


def start(
    argv: Sequence[str],
    environment: Mapping[str, str],
    output: IO[bytes] | None = None,
    inherit: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own; it gets SIGTERM when this process dies.

    Call it from the main thread only: the signal comes when the *thread* that started the child ends.

    Parameters
    ----------
    argv : sequence of str
        Program and arguments.
    environment : mapping
        Its whole environment.
    output : file, optional
        Where its output goes; this process's own when not given.
    inherit : sequence of int
        File descriptors it keeps.
    """
    return subprocess.Popen(
        list(argv),
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        pass_fds=tuple(inherit),
        start_new_session=True,
        preexec_fn=_die_with_parent(os.getpid()),  # noqa: PLW1509 -- single-threaded parents, nothing imported
    )


def stop_all(grace_s: float) -> list[str]:
    """Stop every descendant of this process: SIGTERM to its children, SIGKILL to the rest after the grace.

    The children pass SIGTERM on as they see fit; what they leave behind comes to us as an orphan.

    Parameters
    ----------
    grace_s : float
        How long they may take before they are killed, s.

    Returns
    -------
    list of str
        The command lines that had to be killed.
    """
    me = psutil.Process()
    for child in me.children():
        with suppress(psutil.NoSuchProcess):
            child.terminate()
    deadline = time.monotonic() + grace_s
    while _living(me) and time.monotonic() < deadline:
        time.sleep(0.05)
    killed: dict[int, str] = {}
    deadline = time.monotonic() + KILLED_WITHIN_S
    # One of them may be starting another meanwhile: look again until nobody is left.
    while (left := _living(me)) and time.monotonic() < deadline:
        for process in left:
            with suppress(psutil.NoSuchProcess):
                killed.setdefault(process.pid, " ".join(process.cmdline())[:120] or process.name())
                process.kill()
        time.sleep(0.05)
    return list(killed.values())


def _living(me: psutil.Process) -> list[psutil.Process]:
    """Return our descendants that run, and collect those of our children that have ended.

    A process whose first thread has ended looks like a zombie while others still run; it cannot be collected yet.
    """
    living = []
    for process in me.children(recursive=True):
        with suppress(psutil.NoSuchProcess, ChildProcessError):
            if process.status() != psutil.STATUS_ZOMBIE or (
                process.ppid() == me.pid and os.waitpid(process.pid, os.WNOHANG)[0] == 0
            ):
                living.append(process)
    return living
