"""Real extensions, fetched as pinned source distributions, ported and compiled whole.

Slow: `make downstream`. The first test of a package compiles every `.cu` of it for AMD, the second
shows that NVIDIA's machine code is that of the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from warp2wave import archives, registry
from warp2wave.build.compile import compile_tree
from warp2wave.build.machine_code import compare_machine_code, find_disassembler
from warp2wave.cachedir import user_cache
from warp2wave.model import BuildResult
from warp2wave.port.single_source import Port, plan_port, write_port
from warp2wave.project import read_project
from warp2wave.records import port_record
from warp2wave.tree import walk
from warp2wave.writes import copy_tree

pytestmark = [pytest.mark.downstream, pytest.mark.timeout(7200)]
JOBS = 2
COMPILED = ("objects", "results", "runs", "pch")


@dataclass(frozen=True)
class Package:
    """A pinned source distribution and how many device sources it has."""

    spec: str
    sha256: str
    device_sources: int


PACKAGES = [
    Package(
        "torch-scatter==2.1.2",
        "69b3aa435f2424ac6a1bfb6ff702da6eb73b33ca0db38fb26989c74159258e47",
        3,
    ),
    Package(
        "torch-cluster==1.6.3",
        "78d5a930a5bbd0d8788df8c6d66addd68d6dd292fe3edb401e3dacba26308152",
        7,
    ),
    Package(
        "torch-sparse==0.6.18",
        "2f14c510a6e93f404c6ea357210615b3c15a71731f9dbd86f25434e34fb5a741",
        4,
    ),
]


@dataclass(frozen=True)
class Trees:
    """A package as published, its ported copy, and the port."""

    package: Package
    original: Path
    ported: Path
    port: Port


@pytest.fixture(scope="module", params=PACKAGES, ids=lambda package: package.spec)
def trees(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Trees]:
    package: Package = request.param
    folder = tmp_path_factory.mktemp("package")
    sdist = registry.fetch_sdist(package.spec, user_cache() / "sdists", package.sha256)
    original = archives.unpack(sdist, folder / "original")
    copy_tree(original, folder / "ported")
    port = plan_port(folder / "ported")
    write_port(port, port_record(port))
    yield Trees(package, original, folder / "ported", port)


def failures(result: BuildResult) -> list[str]:
    return [
        f"{unit.source} {unit.target} {unit.toolchain}: {unit.failure.message}"
        for unit in result.units
        if unit.failure is not None
    ]


def test_the_port_is_whole_and_changes_no_line(trees: Trees) -> None:
    assert len(trees.port.project.sources) == trees.package.device_sources
    assert not trees.port.plan.open_items
    assert not trees.port.edited
    for path in walk(trees.original).sources:
        assert (trees.ported / path).read_bytes() == (trees.original / path).read_bytes()


@pytest.mark.parametrize("headers", ["6.0", "7.1"])
def test_every_device_source_compiles_for_amd(trees: Trees, headers: str) -> None:
    targets = ["hip:gfx90a", "hip:gfx942"]
    result = compile_tree(
        trees.ported,
        read_project(trees.ported).project,
        targets,
        headers=[headers],
        jobs=JOBS,
        cache_dir=user_cache(),
    )
    assert not failures(result)
    assert len(result.units) == trees.package.device_sources * len(targets)
    for unit in result.units:
        assert Path(unit.object_path).stat().st_size > 0
        assert unit.kernels


@pytest.mark.nvcc
def test_nvidia_s_machine_code_is_that_of_the_original(trees: Trees, tmp_path: Path) -> None:
    # `make setup` brings it: without it this would prove nothing, so it is no reason to skip.
    assert find_disassembler() is not None, "no cuobjdump: run `warp2wave doctor --install`"
    cubins: list[dict[str, Path]] = []
    for tree in (trees.original, trees.ported):
        # Caches of their own, so that the port is compiled and not found.
        cache = tmp_path / f"cache-{tree.name}"
        cache.mkdir()
        for prepared in user_cache().iterdir():
            if prepared.name not in COMPILED:
                (cache / prepared.name).symlink_to(prepared)
        result = compile_tree(
            tree,
            read_project(tree).project,
            ["cuda:sm_90"],
            jobs=JOBS,
            cache_dir=cache,
            device_only=True,
        )
        assert not failures(result)
        assert not any(unit.cached for unit in result.units)
        cubins.append({str(unit.source): Path(unit.object_path) for unit in result.units})
    assert cubins[0].keys() == cubins[1].keys()
    kernels = 0
    for source in cubins[0]:
        comparison = compare_machine_code(cubins[0][source], cubins[1][source])
        assert not (comparison.different or comparison.only_first or comparison.only_second)
        kernels += len(comparison.same)
    assert kernels > 0
