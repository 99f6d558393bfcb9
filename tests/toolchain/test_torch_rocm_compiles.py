"""The made headers of a ROCm PyTorch, and PyTorch's CUDA names ported, judged by clang.

The installed PyTorch gives the present generation of headers. The older one is checked with what
the wheels of older releases hold (`-m downstream`: each is a download of about 75 MB).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from warp2wave import registry
from warp2wave.build.toolchains import HipToolchain, find_hip_toolchain
from warp2wave.build.torch_rocm import RocmTorch, rocm_torch_include
from warp2wave.cachedir import user_cache
from warp2wave.errors import MissingToolError
from warp2wave.port.single_source import plan_port

ROOT = Path(__file__).resolve().parents[2]
NAMES = Path(__file__).parent / "data" / "torch_names.cu"

# What PyTorch's BuildExtension passes on ROCm.
TORCH_FLAGS = (
    "-std=c++20",
    "-fPIC",
    "-fno-gpu-rdc",
    "-DUSE_ROCM=1",
    "-D__HIP_PLATFORM_AMD__=1",
    "-DHIPBLAS_V2",
    "-DCUDA_HAS_FP16=1",
    "-D__HIP_NO_HALF_OPERATORS__=1",
    "-D__HIP_NO_HALF_CONVERSIONS__=1",
    "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1",
    "-DTORCH_EXTENSION_NAME=names",
)
# Headers of the made tree, some that no header of torch_names.cu brings.
HEADERS = (
    "torch/extension.h",
    "ATen/hip/HIPContext.h",
    "ATen/hip/Atomic.cuh",
    "ATen/hip/HIPGeneratorImpl.h",
    "ATen/hip/HIPUtils.h",
    "ATen/hip/HIPApplyUtils.cuh",
    "ATen/hip/detail/IndexUtils.cuh",
    "ATen/hip/detail/KernelUtils.h",
    "ATen/hip/detail/TensorInfo.cuh",
    "ATen/hip/detail/UnpackRaw.cuh",
    "ATen/hip/impl/HIPGuardImplMasqueradingAsCUDA.h",
    "ATen/native/hip/block_reduce.cuh",
    "c10/hip/HIPException.h",
    "c10/hip/HIPGuard.h",
)
pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no PyTorch"),
]


@pytest.fixture
def chain(request: pytest.FixtureRequest) -> HipToolchain:
    """clang with the HIP headers that a test's parameter names, where they are prepared."""
    try:
        return find_hip_toolchain(str(request.param))
    except MissingToolError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def made() -> RocmTorch:
    """The headers made from the installed PyTorch, in the user's cache."""
    return rocm_torch_include(user_cache())


def check(
    chain: HipToolchain, made: RocmTorch, source: Path, *flags: str, side: str = "device"
) -> None:
    """Have clang read `source` for gfx90a, one side of it; AssertionError with its complaints."""
    includes = (*made.include_dirs, *chain.include_dirs, Path(sysconfig.get_paths()["include"]))
    command = [
        str(chain.clang),
        "-x",
        "hip",
        "--offload-arch=gfx90a",
        f"--cuda-{side}-only",
        "-fsyntax-only",
        f"--rocm-path={chain.root}",
        f"--rocm-device-lib-path={chain.device_libs}",
        *chain.flags,
        *flags,
        *(f"-isystem{folder}" for folder in includes),
        *TORCH_FLAGS,
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert done.returncode == 0, "\n".join(errors[:20]) or done.stderr[-2000:]


def ported(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Port a tree of torch_names.cu alone; its source and the flags that put gpu_compat first."""
    shutil.copyfile(NAMES, folder / NAMES.name)
    port = plan_port(folder, fix="none")
    for path, text in port.generated.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    assert (folder / NAMES.name).read_bytes() == NAMES.read_bytes()
    return folder / NAMES.name, (f"-I{folder / 'gpu_compat/hip'}", "-include", "cuda_runtime.h")


@pytest.mark.parametrize("chain", ["6.0"], indirect=True)
def test_made_headers_compile(chain: HipToolchain, made: RocmTorch, tmp_path: Path) -> None:
    source = tmp_path / "headers.hip"
    source.write_text("".join(f"#include <{name}>\n" for name in HEADERS))
    check(chain, made, source)


@pytest.mark.parametrize(
    ("chain", "side"),
    [("6.0", "device"), ("6.0", "host"), ("7.1", "device")],
    indirect=["chain"],
)
def test_cuda_names_of_torch_compile_unedited(
    chain: HipToolchain, made: RocmTorch, tmp_path: Path, side: str
) -> None:
    source, flags = ported(tmp_path)
    check(chain, made, source, *flags, side=side)


def test_torch_map_is_what_hipify_says() -> None:
    """torch.toml is generated from this very version; with another installed there is no answer."""
    version = importlib.metadata.version("torch").partition("+")[0]
    if version != "2.13.0":
        pytest.skip(f"torch.toml is generated from torch 2.13.0, installed is {version}")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/generate_torch_map.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.downstream
@pytest.mark.parametrize("chain", ["6.0"], indirect=True)
@pytest.mark.parametrize("version", ["2.5.1", "2.8.0", "2.10.0", "2.11.0"])
def test_cuda_names_of_torch_compile_with_older_releases(
    chain: HipToolchain, version: str, tmp_path: Path
) -> None:
    """Any wheel has the headers and hipify; the macOS one is small."""
    cache = user_cache()
    wheel = registry.fetch_wheel(
        "torch", version, cache_dir=cache / "downloads", platforms=("macosx_11_0_arm64",)
    )
    package = tmp_path / "torch"
    for part in ("torch/include/", "torch/utils/hipify/"):
        registry.extract(wheel, part, package / part.removeprefix("torch/"))
    with zipfile.ZipFile(wheel) as archive:
        (package / "version.py").write_bytes(archive.read("torch/version.py"))
    made = rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert made.hipify_generation == ("2" if version == "2.11.0" else "1")
    tree = tmp_path / "tree"
    tree.mkdir()
    source, flags = ported(tree)
    check(chain, made, source, *flags)
