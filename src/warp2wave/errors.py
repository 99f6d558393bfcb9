"""One exception class per exit code; `cli` turns each into its message and its code."""

from __future__ import annotations

from pathlib import Path


class Warp2waveError(Exception):
    """Base of every error a user can meet. `exit_code` is what the command exits with."""

    exit_code = 70


class FindingsError(Warp2waveError):
    """Findings are open, or a verification or comparison failed (exit 1)."""

    exit_code = 1


class UsageError(Warp2waveError):
    """Wrong usage or input that cannot be read (exit 2)."""

    exit_code = 2


class MissingToolError(Warp2waveError):
    """A needed tool is missing (exit 3); `install` is the one line that installs it."""

    exit_code = 3

    def __init__(self, message: str, install: str) -> None:
        super().__init__(message)
        self.install = install


class BuildFailedError(Warp2waveError):
    """A compiler refused (exit 4): its first error, and the file with everything it said."""

    exit_code = 4

    def __init__(self, message: str, first_error: str = "", log: Path | None = None) -> None:
        super().__init__(message)
        self.first_error = first_error
        self.log = log
