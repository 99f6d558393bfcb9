"""Builds of small trees with a stand-in compiler."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pytest

from warp2wave.build import compile as build_compile
from warp2wave.build.compile import Progress, compile_tree
from warp2wave.build.toolchains import HipToolchain
from warp2wave.build.torch_rocm import RocmTorch
from warp2wave.model import BuildResult, Project, SourceFile

FAKE = Path(__file__).with_name("fake_compiler.py")


@dataclass
class Workshop:
    """A tree, a cache and a stand-in compiler; `build` runs it, `compiled` says on what."""

    root: Path
    cache: Path
    log: Path
    progress: list[Progress] = field(default_factory=list)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def build(
        self,
        sources: Sequence[str],
        *,
        targets: Sequence[str] = ("hip:gfx90a",),
        include_dirs: Sequence[str] = (),
        defines: Sequence[str] = (),
        jobs: int = 2,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BuildResult:
        files = [path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file()]
        project = Project(
            name="tiny",
            files=tuple(SourceFile(PurePosixPath(path), "") for path in sorted(files)),
            skipped=(),
            sources=tuple(PurePosixPath(source) for source in sources),
            include_dirs=tuple(PurePosixPath(folder) for folder in include_dirs),
            defines=tuple(defines),
        )
        return compile_tree(
            self.root,
            project,
            targets,
            headers=("6.0",),
            jobs=jobs,
            cache_dir=self.cache,
            on_progress=on_progress or self.progress.append,
            device_only=True,
            precompile=False,
        )

    def compiled(self) -> list[str]:
        """The sources compiled since the last call, sorted."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        self.log.write_text("", encoding="utf-8")
        return sorted(lines)


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    compiler = tmp_path / "tools" / "clang++"
    compiler.parent.mkdir()
    compiler.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{FAKE}' \"$@\"\n", encoding="utf-8")
    compiler.chmod(0o755)
    toolchain = HipToolchain(
        clang=compiler,
        root=tmp_path / "rocm",
        device_libs=tmp_path / "bitcode",
        include_dirs=(),
        tools={},
        version="fake 19",
        headers="6.0",
        title="fake clang",
        origin="a test",
    )
    torch = RocmTorch((), "0", "2", "a test")
    monkeypatch.setattr(build_compile, "find_hip_toolchain", lambda *_, **__: toolchain)
    monkeypatch.setattr(build_compile, "rocm_torch_include", lambda *_, **__: torch)
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log.txt"))
    root = tmp_path / "tree"
    root.mkdir()
    return Workshop(root, tmp_path / "cache", tmp_path / "log.txt")
