"""The tree of ROCm headers, made from a torch package of a few files and a hipify stand-in."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from warp2wave.build.torch_rocm import find_torch_dir, rocm_torch_include
from warp2wave.errors import BuildFailedError, MissingToolError

# As much of torch.utils.hipify's behaviour as the layout depends on: folders named cuda become hip,
# CUDA in a file name HIP, torch/ is rewritten in place.
HIPIFY = """
import fnmatch, os

def hipify(project_directory, output_directory, includes, ignores, show_progress, hip_clang_launch):
    assert project_directory == output_directory and hip_clang_launch and not show_progress
    for folder, _, names in list(os.walk(project_directory)):
        for name in names:
            path = os.path.join(folder, name)
            if not any(fnmatch.fnmatch(path, p) for p in includes):
                continue
            if any(fnmatch.fnmatch(path, p) for p in ignores):
                continue
            relative = os.path.relpath(path, project_directory)
            if not relative.startswith("torch/"):
                relative = relative.replace("cuda", "hip").replace("CUDA", "HIP")
            with open(path, encoding="utf-8") as f:
                text = f.read().replace("cudaStream_t", "hipStream_t")
            target = os.path.join(project_directory, relative)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as f:
                f.write(text)
"""

HEADERS = {
    "ATen/ATen.h": "// cudaStream_t stays\n",
    "ATen/core/Tensor.h": "// cudaStream_t stays\n",
    "ATen/cuda/CUDAContext.h": "cudaStream_t a;\n",
    "ATen/hip/impl/Old.h": "// cudaStream_t stays\n",
    "c10/cuda/CUDAStream.h": "cudaStream_t b; // grüße\n",
    "c10/cuda/impl/cuda_cmake_macros.h": "// of a CUDA build\n",
    "torch/csrc/cuda/Stream.h": "cudaStream_t c;\n",
    "torch/csrc/api/include/torch/torch.h": "\n",
    "pybind11/pybind11.h": "\n",
    "sleef.h": "\n",
}


def torch_package(
    root: Path, *, hip: str = "None", version: str = "2.13.0+cpu", hipify_version: str = "2.0.0"
) -> Path:
    """Write a torch package with HEADERS under `root` and return its folder."""
    package = root / "torch"
    for name, text in HEADERS.items():
        path = package / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    hipify = package / "utils" / "hipify"
    hipify.mkdir(parents=True)
    (hipify / "__init__.py").write_text("from .version import __version__\n")
    (hipify / "version.py").write_text(f"__version__ = '{hipify_version}'\n")
    (hipify / "hipify_python.py").write_text(HIPIFY)
    (package / "version.py").write_text(
        "from typing import Optional\n"
        f"__version__ = '{version}'\ncuda: Optional[str] = None\nhip: Optional[str] = {hip}\n"
    )
    return package


def listing(root: Path) -> dict[str, bytes]:
    """Return every file below `root` with its content."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_rocm_build_is_returned_untouched(tmp_path: Path) -> None:
    package = torch_package(tmp_path, hip="'6.4.43482'")
    before = listing(package)
    made = rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert made.include_dirs[0] == package / "include"
    assert "6.4.43482" in made.origin
    assert listing(package) == before
    assert not (tmp_path / "cache").exists()


def test_hip_named_headers_stand_beside_the_cuda_named(tmp_path: Path) -> None:
    made = rocm_torch_include(tmp_path / "cache", torch_dir=torch_package(tmp_path))
    include, api = made.include_dirs
    assert (include / "ATen/hip/HIPContext.h").read_text() == "hipStream_t a;\n"
    assert (include / "ATen/cuda/CUDAContext.h").read_text() == "cudaStream_t a;\n"
    assert "hipStream_t b; // grüße" in (include / "c10/hip/HIPStream.h").read_text("utf-8")
    assert (include / "torch/csrc/cuda/Stream.h").read_text() == "hipStream_t c;\n"
    for name in ("ATen/ATen.h", "ATen/core/Tensor.h", "ATen/hip/impl/Old.h"):
        assert (include / name).read_text() == HEADERS[name]
    assert (include / "pybind11/pybind11.h").is_file()
    assert (include / "sleef.h").is_file()
    assert (api / "torch/torch.h").is_file()


def test_generated_files_are_those_of_a_rocm_build(tmp_path: Path) -> None:
    include = rocm_torch_include(
        tmp_path / "cache", torch_dir=torch_package(tmp_path)
    ).include_dirs[0]
    assert not (include / "c10/cuda/impl/cuda_cmake_macros.h").exists()
    assert (include / "c10/hip/impl/hip_cmake_macros.h").is_file()
    for name in ("ATen/hip/HIPConfig.h", "ATen/cuda/CUDAConfig.h"):
        assert "#define AT_ROCM_ENABLED() 1\n" in (include / name).read_text()


@pytest.mark.parametrize(("hipify_version", "generation"), [("1.0.0", "1"), ("2.0.0", "2")])
def test_generation_is_hipifys(tmp_path: Path, hipify_version: str, generation: str) -> None:
    package = torch_package(tmp_path, hipify_version=hipify_version)
    made = rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert made.hipify_generation == generation


def test_second_call_makes_nothing(tmp_path: Path) -> None:
    package = torch_package(tmp_path)
    steps: list[str] = []
    first = rocm_torch_include(tmp_path / "cache", torch_dir=package, progress=steps.append)
    assert steps
    steps.clear()
    assert rocm_torch_include(tmp_path / "cache", torch_dir=package, progress=steps.append) == first
    assert steps == []


def test_other_hipify_gets_its_own_tree(tmp_path: Path) -> None:
    package = torch_package(tmp_path)
    first = rocm_torch_include(tmp_path / "cache", torch_dir=package)
    with (package / "utils/hipify/hipify_python.py").open("a") as f:
        f.write("# another recipe\n")
    second = rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert first.include_dirs != second.include_dirs
    assert first.include_dirs[0].is_dir()


def test_made_tree_does_not_depend_on_where_it_is_made(tmp_path: Path) -> None:
    """Folders named hip or cuda, blanks and brackets in the cache's path change nothing."""
    package = torch_package(tmp_path)
    plain = rocm_torch_include(tmp_path / "cache", torch_dir=package)
    odd = rocm_torch_include(tmp_path / "hip" / "a [cuda]*", torch_dir=package)
    assert listing(plain.include_dirs[0]) == listing(odd.include_dirs[0])


def test_user_environment_does_not_reach_hipify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = torch_package(tmp_path)
    monkeypatch.setenv("ROCM_HOME", "/nowhere")
    monkeypatch.setenv("LC_ALL", "C")
    with (package / "utils/hipify/hipify_python.py").open("a") as f:
        f.write("assert 'ROCM_HOME' not in os.environ\n")
    rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert os.environ["ROCM_HOME"] == "/nowhere"


def test_failed_hipify_is_reported_and_leaves_nothing(tmp_path: Path) -> None:
    package = torch_package(tmp_path)
    (package / "utils/hipify/hipify_python.py").write_text("raise RuntimeError('no such table')\n")
    with pytest.raises(BuildFailedError, match="no such table"):
        rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert [p.name for p in (tmp_path / "cache/torch-rocm").iterdir() if p.is_dir()] == []


def test_half_made_tree_of_an_older_run_is_replaced(tmp_path: Path) -> None:
    package = torch_package(tmp_path)
    include = rocm_torch_include(tmp_path / "cache", torch_dir=package).include_dirs[0]
    whole = listing(include)
    (include.parent / "made.json").unlink()
    shutil.rmtree(include / "c10")
    rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert listing(include) == whole


def test_concurrent_callers_make_it_once(tmp_path: Path) -> None:
    package = torch_package(tmp_path)
    steps: list[str] = []
    callers = [
        threading.Thread(
            target=rocm_torch_include,
            args=(tmp_path / "cache",),
            kwargs={"torch_dir": package, "progress": steps.append},
        )
        for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(steps) == len(set(steps)) > 0


@pytest.mark.parametrize("absent", ["version.py", "include/ATen", "include/c10"])
def test_package_without_headers_names_the_install_line(tmp_path: Path, absent: str) -> None:
    package = torch_package(tmp_path)
    victim = package / absent
    if victim.is_dir():
        shutil.rmtree(victim)
    else:
        victim.unlink()
    with pytest.raises(MissingToolError) as caught:
        rocm_torch_include(tmp_path / "cache", torch_dir=package)
    assert caught.value.install == "pip install torch==2.13.0"


def test_package_without_hipify_names_the_install_line(tmp_path: Path) -> None:
    package = torch_package(tmp_path)
    shutil.rmtree(package / "utils")
    with pytest.raises(MissingToolError, match="hipify"):
        rocm_torch_include(tmp_path / "cache", torch_dir=package)


def test_no_torch_names_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingToolError) as caught:
        find_torch_dir()
    assert caught.value.install == "pip install torch==2.13.0"
