"""Small extensions as people write them: ported, they compile for AMD, or say what is left open.

Each folder of tests/projects is a CUDA tree. A line that the port cannot serve carries the comment
`// open: SUBJECT`; the port must name exactly those, and all trees but one must compile.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from warp2wave.build.compile import compile_tree
from warp2wave.build.toolchains import find_hip_toolchain
from warp2wave.cachedir import user_cache
from warp2wave.errors import MissingToolError
from warp2wave.model import BuildResult
from warp2wave.port.single_source import Port, plan_port, write_port
from warp2wave.project import read_project
from warp2wave.records import port_record


def _is_missing(headers: str) -> str:
    try:
        find_hip_toolchain(headers)
    except MissingToolError as error:
        return f"{error}: {error.install}"
    return ""


MISSING = _is_missing("6.0") or _is_missing("7.1")
pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(bool(MISSING), reason=MISSING)]

PROJECTS = Path(__file__).resolve().parents[1] / "projects"
NAMES = sorted(path.name for path in PROJECTS.iterdir() if path.is_dir())
# hipCUB and rocThrust are of ROCm 6.0 and do not compile with HIP 7.1's headers, where warpSize is
# no constant any more: nothing of ours.
WITH_ROCPRIM = {"block_cub", "thrust_sort"}
# A minute and more each: PyTorch's headers.
WITH_TORCH = {"torch_ops"}
MARKED = re.compile(r"//.*\bopen: (\S+)")
# Holds what no header can serve.
NOT_COMPILING = {"left_open"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of its own for results, with the user's prepared chain linked into it."""
    folder = tmp_path_factory.mktemp("cache")
    for name in ("rocm", "device-libs", "torch-rocm"):
        (folder / name).symlink_to(user_cache() / name)
    return folder


def _ported(name: str, folder: Path) -> Port:
    root = folder / name
    shutil.copytree(PROJECTS / name, root)
    port = plan_port(root)
    write_port(port, port_record(port))
    return port


def _compiled(root: Path, cache: Path, headers: str, device_only: bool) -> BuildResult:
    return compile_tree(
        root,
        read_project(root).project,
        ["hip:gfx90a"],
        headers=[headers],
        jobs=2,
        cache_dir=cache,
        device_only=device_only,
        precompile=False,
    )


def _failures(result: BuildResult) -> list[str]:
    failed = (unit.failure for unit in result.units if unit.failure is not None)
    return [f"{failure.path}:{failure.line}: {failure.message}" for failure in failed]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_port_leaves_open_is_what_is_marked(name: str, tmp_path: Path) -> None:
    port = _ported(name, tmp_path)
    marked = {
        (hit[1], path.relative_to(PROJECTS / name).as_posix(), number)
        for path in (PROJECTS / name).rglob("*")
        if path.is_file()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (hit := MARKED.search(line))
    }
    found = {
        (item.subject.replace(" ", "-"), place.path.as_posix(), place.line)
        for item in port.plan.open_items
        for place in item.places
    }
    assert found == marked


@pytest.mark.parametrize("headers", ["6.0", "7.1"])
@pytest.mark.parametrize("name", sorted(set(NAMES) - NOT_COMPILING - WITH_ROCPRIM - WITH_TORCH))
def test_it_compiles(name: str, headers: str, tmp_path: Path, cache: Path) -> None:
    """Host and device with the older headers; the device part again with the newer ones."""
    root = _ported(name, tmp_path).root
    result = _compiled(root, cache, headers, device_only=headers == "7.1")
    assert result.units
    assert _failures(result) == []


@pytest.mark.parametrize("name", sorted(WITH_ROCPRIM))
def test_it_compiles_with_rocprim(name: str, tmp_path: Path, cache: Path) -> None:
    result = _compiled(_ported(name, tmp_path).root, cache, "6.0", device_only=True)
    assert _failures(result) == []


@pytest.mark.downstream
@pytest.mark.parametrize("headers", ["6.0", "7.1"])
@pytest.mark.parametrize("name", sorted(WITH_TORCH))
def test_it_compiles_with_pytorch(name: str, headers: str, tmp_path: Path, cache: Path) -> None:
    root = _ported(name, tmp_path).root
    assert _failures(_compiled(root, cache, headers, device_only=headers == "7.1")) == []


@pytest.mark.parametrize("headers", ["6.0", "7.1"])
@pytest.mark.parametrize("source", ["host_api/plain.cpp", "blas_calls/handle.cpp"])
def test_host_code_compiles_with_the_hosts_compiler(
    source: str, headers: str, tmp_path: Path
) -> None:
    """F14 and what setup.py does with .cpp files: g++ knows no HIP, the headers must do."""
    name, _, file = source.partition("/")
    root = _ported(name, tmp_path).root
    include = find_hip_toolchain(headers).include_dirs
    command = [
        *("g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-D__HIP_PLATFORM_AMD__=1"),
        *("-DUSE_ROCM=1", "-DHIPBLAS_V2", "-Igpu_compat/hip", file),
        *(f"-isystem{path}" for path in include),
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
