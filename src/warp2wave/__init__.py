"""warp2wave: one source tree for CUDA and HIP, judged by the real compilers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warp2wave.scanning import Scan, scan

__version__ = "0.1.0"
__all__ = ["Scan", "__version__", "scan"]

# Loaded when first asked for, so that `import warp2wave` costs nothing.
_HOMES = {"scan": "warp2wave.scanning", "Scan": "warp2wave.scanning"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
