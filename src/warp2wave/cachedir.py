"""Where downloads, prepared toolchains and compiled objects are kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def user_cache() -> Path:
    """The cache folder: `W2W_CACHE_DIR`, else the platform's own place for caches."""
    override = os.environ.get("W2W_CACHE_DIR")
    if override:
        return Path(override).expanduser().absolute()
    return Path(platformdirs.user_cache_dir("warp2wave", appauthor=False))
