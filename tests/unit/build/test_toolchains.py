"""Which compiler is found where several could be, and what is said when none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp2wave.build import cuda_wheels, rocm_roots, toolchains
from warp2wave.build.toolchains import find_cuda_toolchain, find_hip_toolchain
from warp2wave.errors import MissingToolError, UsageError


def _program(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def rocm(tmp_path: Path) -> Path:
    """A folder laid out as ROCm 6.4 is."""
    root = tmp_path / "rocm"
    header = root / "include" / "hip" / "hip_version.h"
    header.parent.mkdir(parents=True)
    header.write_text(
        "#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 4\n#define HIP_VERSION_PATCH 43\n",
        encoding="utf-8",
    )
    for name in ("clang++", "ld.lld", "clang-offload-bundler"):
        _program(root / "lib" / "llvm" / "bin" / name, "AMD clang version 19.0.0git")
    bitcode = root / "amdgcn" / "bitcode" / "ocml.bc"
    bitcode.parent.mkdir(parents=True)
    bitcode.touch()
    return root


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROCM_PATH", "HIP_PATH", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("variable", "below"), [("ROCM_PATH", ""), ("HIP_PATH", "hip")])
def test_an_installed_rocm_comes_first(
    rocm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, below: str
) -> None:
    monkeypatch.setenv(variable, str(rocm / below))
    found = find_hip_toolchain(None, cache=tmp_path / "cache")
    assert (found.headers, found.root) == ("rocm", rocm)
    assert found.title == "ROCm clang 19.0.0, HIP 6.4.43"
    assert found.device_libs == rocm / "amdgcn" / "bitcode"


def test_a_named_header_set_is_taken_beside_an_installed_rocm(
    rocm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCM_PATH", str(rocm))
    with pytest.raises(MissingToolError):  # the cache is empty: ROCm does not stand in for it
        find_hip_toolchain("7.1", cache=tmp_path / "cache")


def test_half_a_rocm_is_none(rocm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (rocm / "lib" / "llvm" / "bin" / "ld.lld").unlink()
    monkeypatch.setenv("ROCM_PATH", str(rocm))
    with pytest.raises(MissingToolError, match="no ROCm is installed"):
        find_hip_toolchain("rocm", cache=tmp_path / "cache")


def test_without_clang_the_debian_line_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchains, "_targets", lambda _: "x86-64")
    with pytest.raises(MissingToolError) as caught:
        find_hip_toolchain("6.0", cache=tmp_path / "cache")
    assert caught.value.install.startswith("apt-get install -y clang-19 ")


def test_an_unknown_header_set_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'5\.0'.*6\.0, 7\.1, rocm"):
        find_hip_toolchain("5.0", cache=tmp_path / "cache")


def test_nvcc_is_looked_for_in_the_order_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = "Cuda compilation tools, release {0}, V{0}.7"
    home = _program(tmp_path / "home" / "bin" / "nvcc", release.format("12.4")).parent.parent
    on_path = _program(tmp_path / "path" / "nvcc", release.format("12.9")).parent
    monkeypatch.setenv("PATH", f"{on_path}:/usr/bin:/bin")
    assert find_cuda_toolchain(cache=tmp_path).version == "12.9.7"
    monkeypatch.setenv("CUDA_HOME", str(home))
    assert find_cuda_toolchain(cache=tmp_path).version == "12.4.7"


def test_every_wheel_is_pinned_by_a_hash_of_its_own() -> None:
    bundles = (cuda_wheels.NVCC, cuda_wheels.CURAND, cuda_wheels.DISASSEMBLER)
    wheels = [rocm_roots.ROCM_6_0, rocm_roots.HIP_7_1]
    wheels += [wheel for bundle in bundles for wheel in bundle.wheels]
    hashes = {wheel.sha256 for wheel in wheels}
    assert len(hashes) == len(wheels)
    assert all(len(digest) == 64 and int(digest, 16) for digest in hashes)
