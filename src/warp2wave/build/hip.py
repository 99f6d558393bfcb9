"""HIP through clang: one host pass and one device pass an architecture, joined into one object.

The passes are those of a single `clang -x hip --offload-arch=A --offload-arch=B -c`, run one by
one: the host pass is shared by the architectures, each is cached for itself, and each can use a
precompiled header of its own. `join_object` then does what the driver does at the end.
"""

from __future__ import annotations

import hashlib
import re
import sysconfig
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from warp2wave.build.processes import Runner
from warp2wave.build.steps import Step
from warp2wave.build.toolchains import HipToolchain
from warp2wave.errors import BuildFailedError
from warp2wave.model import Project

# What torch.utils.cpp_extension (2.13) passes for a source of a ROCm extension: COMMON_HIP_FLAGS,
# COMMON_HIPCC_FLAGS, -std, -fno-gpu-rdc where the user asks for nothing else.
PYTORCH_FLAGS = (
    "-std=c++20",
    "-O3",
    "-fPIC",
    "-fno-gpu-rdc",
    "-DUSE_ROCM=1",
    "-D__HIP_PLATFORM_AMD__=1",
    "-DHIPBLAS_V2",
    "-DCUDA_HAS_FP16=1",
    "-D__HIP_NO_HALF_OPERATORS__=1",
    "-D__HIP_NO_HALF_CONVERSIONS__=1",
    "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1",
)
REMARKS = ("-Rpass-analysis=kernel-resource-usage",)
COMPAT = PurePosixPath("gpu_compat/hip")
_FATBIN = re.compile(rb"__hip_fatbin_([0-9a-f]{8,})\0")


def plan_hip_steps(
    project: Project,
    root: Path,
    source: PurePosixPath,
    archs: Sequence[str],
    toolchain: HipToolchain,
    torch_dirs: Sequence[Path],
    *,
    device_only: bool = False,
) -> tuple[Step, ...]:
    """The steps for one source: the host pass (unless `device_only`), then one an architecture."""
    shared = (
        *(str(toolchain.clang), "-x", "hip"),
        f"--rocm-path={toolchain.root}",
        f"--rocm-device-lib-path={toolchain.device_libs}",
        *toolchain.flags,
        *PYTORCH_FLAGS,
        *python_flags(),
        *(f for path in (*torch_dirs, *toolchain.include_dirs) for f in ("-isystem", str(path))),
    )
    own: list[str] = []
    if (root / COMPAT).is_dir():
        # nvcc includes cuda_runtime.h before every .cu file, too.
        own += ["-I", str(COMPAT), "-include", "cuda_runtime.h"]
    own += [f for path in project.include_dirs for f in ("-I", str(path))]
    defines = (
        *(f"-D{define}" for define in project.defines),
        *(f"-U{name}" for name in hip_undefines(project.undefines)),
        f"-DTORCH_EXTENSION_NAME={module_name(project.name)}",
    )
    # Host and device code find each other by this id: it must be the same in every pass.
    cuid = ("-fuse-cuid=none", "-Xclang", f"-cuid={unit_id(source)}")
    identity = _identity(toolchain)

    def step(arch: str, host: bool) -> Step:
        passes = (
            ("--cuda-host-only", "--offload-arch=gfx90a")
            if host
            else ("--cuda-device-only", "--no-gpu-bundle-output", f"--offload-arch={arch}")
        )
        return Step(
            source=source,
            kind="host" if host else "device",
            arch=arch,
            command=(*shared[:1], *passes, *cuid, *shared[1:3], *own, *shared[3:]),
            identity=identity,
            toolchain=toolchain.title,
            suffix=".o" if host else ".co",
            dialect="clang",
            shared=(*shared[:1], *passes, *shared[1:]),
            remarks=() if host else REMARKS,
            defines=defines,
            cxxfilt=toolchain.tools.get("llvm-cxxfilt"),
        )

    steps = [step(arch, False) for arch in archs]
    return tuple(steps if device_only else [step("host", True), *steps])


def hip_undefines(names: Sequence[str]) -> tuple[str, ...]:
    """The undefines of a CUDA build as a HIP build needs them.

    What takes back PyTorch's `-D__CUDA_NO_HALF_…__` must take back its `-D__HIP_NO_HALF_…__`.
    """
    twins = (name.replace("__CUDA_NO_", "__HIP_NO_") for name in names)
    return tuple(dict.fromkeys((*names, *twins)))


def python_flags() -> tuple[str, ...]:
    """PyTorch's own flags for Python bindings, where this Python's C headers are installed."""
    include = sysconfig.get_path("include")
    if include and (Path(include) / "Python.h").is_file():
        return ("-DTORCH_API_INCLUDE_EXTENSION_H", "-isystem", include)
    return ()


def module_name(name: str) -> str:
    """The C++ identifier of the extension's module."""
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in name) or "extension"
    return f"_{text}" if text[0].isdigit() else text


def unit_id(source: PurePosixPath) -> str:
    """The id of a translation unit: its path, so that equal trees give equal objects."""
    return hashlib.sha256(str(source).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def join_object(
    host: Path,
    device: Sequence[tuple[str, Path]],
    source: PurePosixPath,
    toolchain: HipToolchain,
    output: Path,
    runner: Runner,
) -> None:
    """Put the code objects of the architectures into the host object, as clang's driver does.

    Raises BuildFailedError when a tool refuses.
    """
    work = output.parent
    bundle, assembly, part = work / "bundle.hipfb", work / "bundle.s", work / "bundle.o"
    triples = ",".join(f"hipv4-amdgcn-amd-amdhsa--{arch}" for arch, _ in device)
    _run(
        runner,
        [
            *(str(toolchain.tools["clang-offload-bundler"]), "-type=o", "-bundle-align=4096"),
            f"-targets=host-x86_64-unknown-linux,{triples}",
            *("-input=/dev/null", *(f"-input={path}" for _, path in device)),
            f"-output={bundle}",
        ],
    )
    # clang hashes the id before it puts it into names: take the one that the host object asks for.
    asked = _FATBIN.search(host.read_bytes())
    name = asked.group(1).decode() if asked is not None else unit_id(source)
    assembly.write_text(
        '.section .note.GNU-stack,"",@progbits\n'
        '.section .hip_fatbin,"a",@progbits\n.p2align 12\n'
        f".globl __hip_fatbin_{name}\n.hidden __hip_fatbin_{name}\n__hip_fatbin_{name}:\n"
        f'.incbin "{bundle.name}"\n'
        '.section .hip_gpubin_handle,"aw",@nobits\n.p2align 3\n'
        f".globl __hip_gpubin_handle_{name}\n.hidden __hip_gpubin_handle_{name}\n"
        f"__hip_gpubin_handle_{name}:\n.skip 8\n",
        encoding="ascii",
    )
    _run(runner, [str(toolchain.clang), "-c", assembly.name, "-o", part.name], work)
    _run(
        runner,
        [str(toolchain.tools["ld.lld"]), "-r", str(host), part.name, "-o", str(output)],
        work,
    )
    for path in (bundle, assembly, part):
        path.unlink()


def _run(runner: Runner, argv: list[str], cwd: Path | None = None) -> None:
    done = runner.run(argv, cwd)
    if done.status != 0:
        first = (done.output.strip().splitlines() or ["it said nothing"])[0]
        raise BuildFailedError(f"{Path(argv[0]).name} failed: {first}", first)


def _identity(toolchain: HipToolchain) -> str:
    """What compiles besides the files read: clang and the device libraries, by size and date."""
    stat = toolchain.clang.resolve().stat()
    libraries = sorted(
        (path.name, path.stat().st_size, path.stat().st_mtime_ns)
        for path in toolchain.device_libs.glob("*.bc")
    )
    text = repr((toolchain.version, stat.st_size, stat.st_mtime_ns, libraries))
    return hashlib.sha256(text.encode()).hexdigest()
