"""The headers that a ROCm build of PyTorch would ship, made from whatever PyTorch is installed.

A ROCm build's headers are its CUDA headers put through `torch.utils.hipify` by PyTorch's own
tools/amd_build/build_amd.py, plus two files that its CMake generates. Every wheel carries the CUDA
headers and the hipify that belongs to them, so the same steps give the same headers without ROCm.
As in a ROCm wheel, the CUDA-named headers stay beside the HIP-named ones, without the generated
`c10/cuda/impl/cuda_cmake_macros.h`: code that still includes them fails here as it fails there.

torch is never imported: its version is read from version.py and hipify runs in a process of its
own, because it keeps what it did in module globals.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock

from warp2wave.errors import BuildFailedError, MissingToolError

HipifyGeneration = Literal["1", "2"]
Progress = Callable[[str], None]

RECIPE = 1
"""Raise it whenever the made tree changes: it is part of the cache key."""

INSTALL_LINE = "pip install torch==2.13.0"

# The headers among build_amd.py's `includes` and `ignores`, in the layout of PyTorch's source tree,
# which hipify 1 decides by: aten/src/ATen, c10, torch.
_HIPIFIED = (
    "aten/src/ATen/cuda/*",
    "aten/src/ATen/cudnn/*",
    "aten/src/ATen/native/cuda/*",
    "aten/src/ATen/native/cudnn/*",
    "aten/src/ATen/native/nested/cuda/*",
    "aten/src/ATen/native/quantized/cuda/*",
    "aten/src/ATen/native/quantized/cudnn/*",
    "aten/src/ATen/native/sparse/cuda/*",
    "aten/src/ATen/native/transformers/cuda/sdp_utils.h",
    "aten/src/ATen/native/transformers/cuda/mem_eff_attention/debug_utils.h",
    "aten/src/ATen/native/transformers/cuda/mem_eff_attention/gemm_kernel_utils.h",
    "aten/src/ATen/native/transformers/cuda/mem_eff_attention/pytorch_utils.h",
    "c10/cuda/*",
    "torch/*",
)
_LEFT_ALONE = ("*/hip/*", "aten/src/ATen/core/*", "aten/src/ATen/cuda/CUDAConfig.h")

# What CMake generates in a ROCm build and no CPU wheel has. Upstream's templates are
# c10/hip/impl/hip_cmake_macros.h.in and ATen/cuda/CUDAConfig.h.in (hipified to HIPConfig.h.in);
# CUDAConfig.h is made too, because ATen/jit_macros.h includes it on both platforms.
_CONFIG = """#pragma once
#define AT_CUDNN_ENABLED() 0
#define AT_CUSPARSELT_ENABLED() 0
#define AT_HIPSPARSELT_ENABLED() 0
#define AT_ROCM_ENABLED() 1
#define AT_MAGMA_ENABLED() 0
#define NVCC_FLAGS_EXTRA ""
"""
_GENERATED = {
    "c10/hip/impl/hip_cmake_macros.h": "#pragma once\n#define C10_HIP_BUILD_SHARED_LIBS\n",
    "ATen/cuda/CUDAConfig.h": _CONFIG,
    "ATen/hip/HIPConfig.h": _CONFIG,
}
_CUDA_BUILD_ONLY = ("c10/cuda/impl/cuda_cmake_macros.h", "ATen/cuda/CUDAConfig.h")

# PyTorch's headers are written for the HIP of their day; the made tree also meets ROCm 6.0's.
# Each is (header, text, the same with an argument spelled out that newer HIP has as a default).
_SHORT_WAIT = "hipStreamWaitEvent(stream, event_)"
_FULL_WAIT = "hipStreamWaitEvent(stream, event_, 0)"
_SPELLED_OUT = (
    ("c10/hip/HIPEvent.h", _SHORT_WAIT, _FULL_WAIT),
    ("ATen/hip/HIPEvent.h", _SHORT_WAIT, _FULL_WAIT),
)

# Runs in a fresh interpreter: argv is the folder that holds the hipify package, the tree, then the
# include patterns, "--", and the ignore patterns. hipify is imported as a top-level package, so
# that torch itself is not.
_HIPIFY_SCRIPT = """
import glob, os, sys
package_parent, tree, *rest = sys.argv[1:]
sys.path.insert(0, package_parent)
from hipify.hipify_python import hipify
split = rest.index("--")
anchor = lambda pattern: glob.escape(tree) + "/" + pattern
hipify(
    project_directory=tree,
    output_directory=tree,
    includes=[anchor(pattern) for pattern in rest[:split]],
    ignores=[anchor(pattern) for pattern in rest[split + 1:]],
    show_progress=False,
    hip_clang_launch=True,
)
"""


@dataclass(frozen=True, slots=True)
class RocmTorch:
    """Headers of a ROCm PyTorch: its include folders in compiler order, and where they come from.

    `hipify_generation` "2" (torch 2.11 and later) keeps the namespaces c10::cuda and at::cuda;
    "1" renames them to c10::hip and at::hip. `origin` is one sentence for reports.
    """

    include_dirs: tuple[Path, ...]
    torch_version: str
    hipify_generation: HipifyGeneration
    origin: str


@dataclass(frozen=True, slots=True)
class _Installed:
    """What is known of an installed torch without importing it. `hip` is its ROCm version."""

    directory: Path
    version: str
    hip: str | None
    generation: HipifyGeneration


def find_torch_dir() -> Path:
    """Return the folder of the torch package that this interpreter would import.

    Raises MissingToolError where there is none.
    """
    spec = importlib.util.find_spec("torch")
    locations = list(spec.submodule_search_locations or ()) if spec else []
    if not locations:
        raise MissingToolError("PyTorch is not installed: its headers are needed", INSTALL_LINE)
    return Path(locations[0])


def rocm_torch_include(
    cache_dir: Path, *, torch_dir: Path | None = None, progress: Progress | None = None
) -> RocmTorch:
    """Return the include folders of a ROCm PyTorch.

    `torch_dir` is the folder of a torch package (default: the one this interpreter would import).
    A ROCm build's own folders are returned untouched. For any other build the headers are made once
    under `cache_dir`, keyed by the torch version, its hipify and this recipe; concurrent callers
    wait for one another and never see a half-made tree. `progress` gets one line a step.

    Raises MissingToolError where there is no torch or it has no headers, BuildFailedError where
    hipify fails.
    """
    installed = _inspect(torch_dir if torch_dir is not None else find_torch_dir())
    if installed.hip is not None:
        return RocmTorch(
            include_dirs=_include_dirs(installed.directory / "include"),
            torch_version=installed.version,
            hipify_generation=installed.generation,
            origin=f"headers of the installed PyTorch {installed.version} (ROCm {installed.hip})",
        )
    store = cache_dir / "torch-rocm"
    store.mkdir(parents=True, exist_ok=True)
    tree = store / f"{_file_name(installed.version)}-{_key(installed)}"
    if not (tree / "made.json").is_file():
        with FileLock(store / f"{tree.name}.lock"):
            if not (tree / "made.json").is_file():
                _make(installed, store, tree, progress or _silent)
    return RocmTorch(
        include_dirs=_include_dirs(tree / "include"),
        torch_version=installed.version,
        hipify_generation=installed.generation,
        origin=(
            f"made from the headers of PyTorch {installed.version} (not a ROCm build) by its own "
            f"hipify {installed.generation}, as PyTorch's ROCm build makes them"
        ),
    )


def _silent(_: str) -> None:
    """Swallow a progress line."""


def _include_dirs(include: Path) -> tuple[Path, ...]:
    """The two folders that torch.utils.cpp_extension.include_paths names, in its order."""
    return (include, include / "torch" / "csrc" / "api" / "include")


def _inspect(torch_dir: Path) -> _Installed:
    version_file = torch_dir / "version.py"
    include = torch_dir / "include"
    for needed in (version_file, include / "ATen", include / "c10"):
        if not needed.exists():
            raise MissingToolError(f"no PyTorch headers in {torch_dir}: {needed}", INSTALL_LINE)
    values = _assigned_strings(version_file)
    return _Installed(
        directory=torch_dir,
        version=values.get("__version__") or "unknown",
        hip=values.get("hip"),
        generation=_generation(torch_dir),
    )


def _assigned_strings(path: Path) -> dict[str, str]:
    """The module-level `name = "text"` assignments of a Python file, annotated ones too."""
    found: dict[str, str] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            found.update({t.id: value.value for t in targets if isinstance(t, ast.Name)})
    return found


def _generation(torch_dir: Path) -> HipifyGeneration:
    """The major version of the hipify package: 1.0.0 up to torch 2.10, 2.0.0 from 2.11 on."""
    version_file = torch_dir / "utils" / "hipify" / "version.py"
    if not version_file.is_file():
        return "1"
    version = _assigned_strings(version_file).get("__version__", "1")
    return "1" if version.split(".")[0] in ("0", "1") else "2"


def _key(installed: _Installed) -> str:
    """16 hex digits of a digest over everything that decides what the made tree holds."""
    digest = hashlib.sha256(f"{RECIPE}\n".encode())
    hipify = sorted((installed.directory / "utils" / "hipify").glob("*.py"))
    for path in (installed.directory / "version.py", *hipify):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def _file_name(version: str) -> str:
    return "".join(c if c.isalnum() or c in "._+-" else "_" for c in version)


def _make(installed: _Installed, store: Path, tree: Path, progress: Progress) -> None:
    """Make the tree in a folder beside its place, then rename it there."""
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=store))
    try:
        progress(f"copying the headers of PyTorch {installed.version}")
        source = work / "source"
        _copy_to_source_layout(installed.directory / "include", source)
        progress("running torch.utils.hipify over them")
        _run_hipify(installed, source)
        include = work / "include"
        _move_to_include_layout(source, include)
        for name, text in _GENERATED.items():
            path = include / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name, short, full in _SPELLED_OUT:
            path = include / name
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                path.write_text(text.replace(short, full), encoding="utf-8")
        made = {"torch": installed.version, "hipify": installed.generation, "recipe": RECIPE}
        (work / "made.json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
        if tree.exists():
            shutil.rmtree(tree)
        work.rename(tree)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _copy_to_source_layout(include: Path, source: Path) -> None:
    """Copy include/ to where its parts stand in PyTorch's source tree, the rest to other/."""
    places = {"ATen": "aten/src/ATen", "c10": "c10", "torch": "torch"}
    for entry in sorted(include.iterdir()):
        target = source / places.get(entry.name, f"other/{entry.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.is_dir():
            shutil.copytree(entry, target, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(entry, target)
    for name in _CUDA_BUILD_ONLY:
        top, _, rest = name.partition("/")
        (source / places[top] / rest).unlink(missing_ok=True)


def _move_to_include_layout(source: Path, include: Path) -> None:
    other = source / "other"
    if other.is_dir():
        other.rename(include)
    else:
        include.mkdir()
    (source / "aten" / "src" / "ATen").rename(include / "ATen")
    for name in ("c10", "torch"):
        if (source / name).is_dir():
            (source / name).rename(include / name)
    shutil.rmtree(source)


def _run_hipify(installed: _Installed, source: Path) -> None:
    utils = installed.directory / "utils"
    if not (utils / "hipify" / "hipify_python.py").is_file():
        raise MissingToolError(
            f"PyTorch {installed.version} in {installed.directory} has no torch.utils.hipify",
            INSTALL_LINE,
        )
    # The user's ROCm and CUDA variables must not change the result; -B keeps site-packages clean.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROCM", "HIP", "CUDA"))}
    environment["PYTHONUTF8"] = "1"
    command = [sys.executable, "-B", "-W", "ignore", "-c", _HIPIFY_SCRIPT, str(utils), str(source)]
    command += [*_HIPIFIED, "--", *_LEFT_ALONE]
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        last = (done.stdout.strip().splitlines() or ["it said nothing"])[-1]
        raise BuildFailedError(
            f"torch.utils.hipify of PyTorch {installed.version} failed: {last}", last
        )
