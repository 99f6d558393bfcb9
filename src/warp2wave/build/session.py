"""Build a project folder: read it, compile it, and keep the result for later stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warp2wave.build.compile import OnProgress, compile_tree
from warp2wave.cachedir import user_cache
from warp2wave.config import load_config
from warp2wave.errors import UsageError
from warp2wave.model import BuildResult
from warp2wave.project import read_project


def build_project(
    root: Path,
    targets: Sequence[str],
    *,
    headers: Sequence[str] | None = None,
    jobs: int = 1,
    device_only: bool = False,
    on_progress: OnProgress | None = None,
) -> BuildResult:
    """Compile every device source of the project at `root` for every target.

    Without `targets` those of the project's configuration are taken. Raises UsageError when there
    is none, and what `compile_tree` raises.
    """
    config = load_config(root)
    wanted = tuple(targets) or (
        *(f"hip:{arch}" for arch in config.hip_archs),
        *(f"cuda:{arch}" for arch in config.cuda_archs),
    )
    if not wanted:
        raise UsageError(
            "no target: pass --target hip:gfx90a, or set hip-archs in [tool.warp2wave]"
        )
    return compile_tree(
        root,
        read_project(root, config).project,
        wanted,
        headers=headers,
        jobs=jobs,
        cache_dir=user_cache(),
        device_only=device_only,
        on_progress=on_progress,
    )
