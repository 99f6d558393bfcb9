"""warp2wave: one source tree for CUDA and HIP, judged by the real compilers."""

from __future__ import annotations

__version__ = "0.1.0"
