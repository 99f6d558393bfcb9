"""The choices that the command line takes by name."""

from __future__ import annotations

from enum import Enum


class OutputFormat(str, Enum):
    """What a command prints on standard output."""

    TEXT = "text"
    JSON = "json"


class ScanFormat(str, Enum):
    """What `scan` prints on standard output."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


class FailOn(str, Enum):
    """From which severity on an open finding makes `scan` exit with 1."""

    ERROR = "error"
    WARNING = "warning"
    PERFORMANCE = "performance"
    NOTE = "note"
    NEVER = "never"


class FixLevel(str, Enum):
    """Which fixes `port` may apply to the user's lines."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    NONE = "none"
