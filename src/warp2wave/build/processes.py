"""Run compilers: argument lists only, a clean locale, and nothing left running on Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Compilers read these; they are part of every cache key (see `cache.py`).
HEARD_VARIABLES = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "CCC_OVERRIDE_OPTIONS",
)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended: its exit status (negative: killed by that signal) and its words."""

    status: int
    output: str


class Cancelled(Exception):  # noqa: N818 (not an error: the build was asked to stop)
    """The build was stopped; no process is started any more."""


class Runner:
    """Starts processes and can end every one that still runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(
        self, argv: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Finished:
        """Run to the end and return the exit status with standard output and error as one text.

        Raises Cancelled after `stop`, OSError where the program cannot be started.
        """
        with self._lock:
            if self._stopped:
                raise Cancelled
            process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=environment() | dict(env or {}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # A session of its own: a compiler driver's children end with it.
                start_new_session=True,
            )
            self._running.add(process)
        try:
            said, _ = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        if self._stopped:
            raise Cancelled
        return Finished(process.returncode, said.decode("utf-8", "backslashreplace"))

    def stop(self) -> None:
        """End every process that runs, with its children, and start none from now on."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGTERM)


def environment() -> dict[str, str]:
    """The caller's environment with English messages in UTF-8, which diagnostics are read from."""
    return os.environ | {"LC_ALL": "C.UTF-8", "LANGUAGE": "C"}
