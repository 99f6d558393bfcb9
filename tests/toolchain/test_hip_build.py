"""Small real programs through clang for AMD GPUs: objects, figures, precompiled headers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from warp2wave.build import pch
from warp2wave.build.compile import compile_tree
from warp2wave.build.execute import Precompiler
from warp2wave.build.hip import plan_hip_steps
from warp2wave.build.processes import Runner
from warp2wave.build.toolchains import find_hip_toolchain
from warp2wave.build.torch_rocm import rocm_torch_include
from warp2wave.cachedir import user_cache
from warp2wave.errors import MissingToolError
from warp2wave.model import BuildResult, Project


def _is_missing(headers: str) -> str:
    try:
        find_hip_toolchain(headers)
    except MissingToolError as error:
        return f"{error}: {error.install}"
    return ""


MISSING = _is_missing("6.0") or _is_missing("7.1")
pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(bool(MISSING), reason=MISSING)]

STAGED = """\
#include <hip/hip_runtime.h>
__device__ float scale = 2.0f;
__global__ void staged(float* p) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = scale * tile[threadIdx.x ^ 1];
}
void start(float* p) { staged<<<1, 1024>>>(p); }
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of its own for results, with the user's prepared chain linked into it."""
    folder = tmp_path_factory.mktemp("cache")
    for name in ("rocm", "device-libs", "torch-rocm"):
        (folder / name).symlink_to(user_cache() / name)
    return folder


def _build(
    tree: Path,
    cache: Path,
    text: str,
    targets: Sequence[str] = ("hip:gfx90a",),
    headers: Sequence[str] = ("6.0",),
    **options: bool,
) -> BuildResult:
    (tree / "a.cu").write_text(text, encoding="utf-8")
    return compile_tree(
        tree, _project(), targets, headers=headers, jobs=2, cache_dir=cache, **options
    )


def _project() -> Project:
    return Project("tiny", (), (), (PurePosixPath("a.cu"),), (), ())


def _output(*argv: object) -> str:
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("headers", ["6.0", "7.1"])
def test_figures_of_a_kernel(tmp_path: Path, cache: Path, headers: str) -> None:
    result = _build(tmp_path, cache, STAGED, ("hip:gfx90a", "hip:gfx942"), (headers,))
    assert [unit.failure for unit in result.units] == [None, None]
    for unit, arch in zip(result.units, ("gfx90a", "gfx942"), strict=True):
        (kernel,) = unit.kernels
        assert (kernel.kernel, kernel.arch, kernel.shared_bytes) == ("staged", arch, 4096)
        assert kernel.vector_spills == kernel.scratch_bytes == 0
        assert kernel.occupancy is not None
        assert 1 <= kernel.occupancy <= 10


def test_the_object_holds_both_architectures_and_links(tmp_path: Path, cache: Path) -> None:
    result = _build(tmp_path, cache, STAGED, ("hip:gfx90a", "hip:gfx942"))
    paths = {unit.object_path for unit in result.units}
    assert len(paths) == 1
    (path,) = paths
    toolchain = find_hip_toolchain("6.0")
    library = tmp_path / "lib.so"
    _output(toolchain.clang, "-shared", path, "-o", library)
    undefined = _output("nm", "-D", "--undefined-only", library)
    # What is left open are calls of HIP's own runtime library.
    assert "__hipRegisterFatBinary" in undefined
    assert "__hip_fatbin" not in undefined
    bundle = tmp_path / "bundle"
    _output(
        toolchain.clang.parent / "llvm-objcopy", f"--dump-section=.hip_fatbin={bundle}", path,
        tmp_path / "copy.o",
    )  # fmt: skip
    listed = _output(
        toolchain.tools["clang-offload-bundler"], "--list", "--type=o", f"--input={bundle}"
    )
    assert sorted(line.rpartition("--")[2] for line in listed.split() if "amdgcn" in line) == [
        "gfx90a",
        "gfx942",
    ]


def test_a_second_run_is_all_cached(tmp_path: Path, cache: Path) -> None:
    _build(tmp_path, cache, STAGED)
    assert all(unit.cached for unit in _build(tmp_path, cache, STAGED).units)


def test_the_compilers_word_on_too_much_lds(tmp_path: Path, cache: Path) -> None:
    result = _build(tmp_path, cache, STAGED.replace("1024]", "30000]"), device_only=True)
    failure = result.units[0].failure
    assert failure is not None
    assert (failure.path, failure.line) == ("a.cu", 3)
    assert "120000" in failure.message
    assert "65536" in failure.message


def test_f01_a_32_bit_mask_fails_with_each_header_set_as_it_fails_for_users(
    tmp_path: Path, cache: Path
) -> None:
    text = STAGED.replace("tile[threadIdx.x ^ 1]", "__shfl_down_sync(0xffffffff, p[0], 1)")
    old, new = (
        unit.failure for unit in _build(tmp_path, cache, text, headers=("6.0", "7.1")).units
    )
    assert old is not None
    assert old.message.startswith("use of undeclared identifier '__shfl_down_sync'")
    assert new is not None
    assert "64-bit" in new.message
    # The assertion stands in HIP's header; the user's own line is named.
    assert (old.path, old.line, new.path, new.line) == ("a.cu", 7, "a.cu", 7)


HALF = """\
#include <c10/util/Half.h>
__global__ void twice(c10::Half* p) { p[threadIdx.x] = p[threadIdx.x] + p[threadIdx.x]; }
"""


def _code(path: str) -> str:
    listing = _output(find_hip_toolchain("6.0").clang.parent / "llvm-objdump", "-d", path)
    return listing.partition("Disassembly")[2]


def test_precompiled_headers_change_no_instruction(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pch, "PATIENCE", 1)
    plain = _build(tmp_path, cache, HALF, device_only=True, precompile=False)
    assert plain.ok
    assert not (cache / "pch").exists()
    # Results are shared between the two ways: take the first away to see the second.
    kept = Path(plain.units[0].object_path).rename(tmp_path / "plain.co")
    precompiled = _build(tmp_path, cache, HALF, device_only=True, precompile=True)
    assert precompiled.ok
    assert not precompiled.units[0].cached
    assert list((cache / "pch").glob("*/prefix.pch"))
    assert "twice" in _code(str(kept))
    assert _code(precompiled.units[0].object_path) == _code(str(kept))
    # What made the header is stored like any other, and outlives the header.
    shutil.rmtree(cache / "pch")
    assert _build(tmp_path, cache, HALF, device_only=True, precompile=True).units[0].cached


@pytest.mark.parametrize(
    ("before", "used"),
    [
        ("", True),
        ("#define NOBODY_ELSE_KNOWS_THIS 1\n", True),
        # The header reads differently after this: what is precompiled without it must not be used.
        ("#define from_bits w2w_other_name\n", False),
        ("struct Mine {};\n", False),
    ],
)
def test_precompiled_headers_are_used_only_where_they_change_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, before: str, used: bool
) -> None:
    monkeypatch.setattr(pch, "PATIENCE", 1)
    (tmp_path / "a.cu").write_text(before + HALF, encoding="utf-8")
    toolchain = find_hip_toolchain("6.0", cache=cache)
    folders = rocm_torch_include(cache).include_dirs
    (step,) = plan_hip_steps(
        _project(), tmp_path, PurePosixPath("a.cu"), ["gfx90a"], toolchain, folders,
        device_only=True,
    )  # fmt: skip
    found = Precompiler(tmp_path, cache, Runner()).find(step)
    assert (found is not None) is used


def test_a_unit_that_takes_a_macro_back_has_a_precompiled_header_of_its_own(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pch, "PATIENCE", 1)
    (tmp_path / "a.cu").write_text(HALF, encoding="utf-8")
    toolchain = find_hip_toolchain("6.0", cache=cache)
    folders = rocm_torch_include(cache).include_dirs
    (step,) = plan_hip_steps(
        _project(), tmp_path, PurePosixPath("a.cu"), ["gfx90a"], toolchain, folders,
        device_only=True,
    )  # fmt: skip
    step = replace(step, defines=(*step.defines, "-U__HIP_NO_HALF_OPERATORS__"))
    runner = Runner()
    found = Precompiler(tmp_path, cache, runner).find(step)
    assert found is not None
    argv = step.compile_argv(tmp_path / "a.co", tmp_path / "a.d", found.flags)
    assert runner.run(argv, tmp_path).status == 0


@pytest.mark.parametrize("headers", ["6.0", "7.1"])
@pytest.mark.parametrize("state", ["Philox4_32_10", "XORWOW", "MRG32k3a"])
def test_the_random_generators_of_device_code_compile(
    tmp_path: Path, cache: Path, headers: str, state: str
) -> None:
    text = (
        "#include <hip/hip_runtime.h>\n#include <hiprand/hiprand_kernel.h>\n"
        "__global__ void draw(float* p) {\n"
        f"  hiprandState{state}_t s;\n  hiprand_init(1, threadIdx.x, 0, &s);\n"
        "  p[threadIdx.x] = hiprand_uniform(&s) + hiprand(&s);\n}\n"
    )
    (unit,) = _build(tmp_path, cache, text, headers=(headers,), device_only=True).units
    assert unit.failure is None
