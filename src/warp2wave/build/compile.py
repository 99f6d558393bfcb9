"""Compile a tree's device sources for several targets: in parallel, cached, every failure kept."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from warp2wave.build import cuda, hip
from warp2wave.build.cache import FileHashes
from warp2wave.build.execute import Outcome, Precompiler, run_step
from warp2wave.build.processes import Cancelled, Runner
from warp2wave.build.resources import amd_resources, demangled, nvidia_resources
from warp2wave.build.steps import Step
from warp2wave.build.targets import parse_target
from warp2wave.build.toolchains import (
    CudaToolchain,
    HipToolchain,
    find_cuda_toolchain,
    find_hip_toolchain,
)
from warp2wave.build.torch_rocm import rocm_torch_include
from warp2wave.errors import BuildFailedError, UsageError
from warp2wave.model import BuildResult, CompileFailure, Project, TargetKind, UnitResult


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a build is over: `done` of `total` compiler runs; `label` says which."""

    done: int
    total: int
    label: str
    seconds: float
    cached: bool
    failed: bool


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class _Unit:
    """One source for one target with one toolchain, and the steps that its object needs."""

    source: PurePosixPath
    target: str
    arch: str
    steps: tuple[Step, ...]
    toolchain: HipToolchain | CudaToolchain


def compile_tree(
    root: Path,
    project: Project,
    targets: Sequence[str],
    *,
    headers: Sequence[str] | None = None,
    jobs: int = 1,
    cache_dir: Path,
    on_progress: OnProgress | None = None,
    device_only: bool = False,
    precompile: bool = True,
) -> BuildResult:
    """Compile every source of `project` for every target (and, for hip, every header set).

    `headers`: HIP header sets ("6.0", "7.1", "rocm"); None takes the best there is. `device_only`
    makes no host code: bare code objects (hip) or cubins (cuda). `precompile` allows precompiled
    headers. Nothing is written outside `cache_dir`. A source that does not compile is a result
    with a failure, not an exception; the others are compiled all the same, and results come in
    the order of headers, sources and targets.

    Raises UsageError for a target that is none or that cannot be compiled for, MissingToolError
    where a compiler is missing, BuildFailedError where one cannot be started or the cache cannot
    be written. On Ctrl-C all compilers end before KeyboardInterrupt goes on.
    """
    root = root.resolve()
    cache_dir = cache_dir.absolute()
    units = _plan(root, project, targets, headers, cache_dir, device_only)
    steps = list(dict.fromkeys(step for unit in units for step in unit.steps))
    hashes = FileHashes(root)
    names = _header_names(project)
    runner = Runner()
    precompiler = Precompiler(root, cache_dir, runner) if precompile else None
    outcomes: dict[Step, Outcome] = {}
    with _stopping(runner), ThreadPoolExecutor(max(1, jobs)) as pool:
        running: dict[Future[Outcome], Step] = {
            pool.submit(run_step, step, root, cache_dir, names, hashes, runner, precompiler): step
            for step in steps
        }
        try:
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    step = running.pop(future)
                    outcomes[step] = outcome = future.result()
                    if on_progress is not None:
                        on_progress(_progress(step, outcome, len(outcomes), len(steps)))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            raise
    return BuildResult(str(root), tuple(_results(units, outcomes, cache_dir, runner)))


def _plan(
    root: Path,
    project: Project,
    targets: Sequence[str],
    headers: Sequence[str] | None,
    cache: Path,
    device_only: bool,
) -> list[_Unit]:
    if not project.sources:
        raise UsageError(f"{root}: no device source (.cu) to compile")
    parsed = [(target, *parse_target(target)) for target in dict.fromkeys(targets)]
    if not parsed:
        raise UsageError("no target: write one as hip:gfx90a or cuda:sm_90")
    hip_archs = [(target, arch) for target, kind, arch in parsed if kind is TargetKind.HIP]
    units: list[_Unit] = []
    if hip_archs:
        names = list(dict.fromkeys(headers)) if headers else [None]
        # Before the headers are made, which takes a while, a missing compiler is reported.
        toolchains = [find_hip_toolchain(name, cache=cache) for name in names]
        torch_dirs = rocm_torch_include(cache).include_dirs
        for toolchain in toolchains:
            for source in project.sources:
                archs = [arch for _, arch in hip_archs]
                planned = hip.plan_hip_steps(
                    project, root, source, archs, toolchain, torch_dirs, device_only=device_only
                )
                shared = [step for step in planned if step.kind == "host"]
                for target, arch in hip_archs:
                    own = [s for s in planned if s.kind == "device" and s.arch == arch]
                    units.append(_Unit(source, target, arch, (*shared, *own), toolchain))
    for target, kind, arch in parsed:
        if kind is TargetKind.CUDA:
            nvcc = find_cuda_toolchain(cache=cache)
            for source in project.sources:
                step = cuda.plan_cuda_step(
                    project, root, source, arch, nvcc, cache, device_only=device_only
                )
                units.append(_Unit(source, target, arch, (step,), nvcc))
        elif kind is TargetKind.SIMT:
            raise UsageError(f"{target}: the emulator is no compile-only target")
    return units


def _header_names(project: Project) -> tuple[str, ...]:
    return tuple(str(file.path) for file in project.files if file.path.suffix not in (".cu", ".py"))


def _results(
    units: Sequence[_Unit], outcomes: dict[Step, Outcome], cache: Path, runner: Runner
) -> Iterator[UnitResult]:
    objects = _joined_objects(units, outcomes, cache, runner)
    for unit in units:
        made = [outcomes[step] for step in unit.steps]
        failures = [outcome.failure for outcome in made if outcome.failure is not None]
        last = made[-1]
        resources = (
            amd_resources(last.said, unit.arch)
            if unit.steps[-1].dialect == "clang"
            else nvidia_resources(last.said, unit.arch)
        )
        key = (unit.source, unit.toolchain.title)
        joined = objects.get(key)
        failure: CompileFailure | None = failures[0] if failures else None
        if isinstance(joined, CompileFailure):
            failure = failure or joined
        yield UnitResult(
            source=unit.source,
            target=unit.target,
            toolchain=unit.toolchain.title,
            seconds=sum(outcome.seconds for outcome in made),
            cached=all(outcome.cached for outcome in made),
            object_path=(
                "" if failure else str(joined if isinstance(joined, Path) else last.output)
            ),
            kernels=() if failure else demangled(resources, unit.steps[-1].cxxfilt, runner),
            failure=failure,
        )


def _joined_objects(
    units: Sequence[_Unit], outcomes: dict[Step, Outcome], cache: Path, runner: Runner
) -> dict[tuple[PurePosixPath, str], Path | CompileFailure]:
    """One object a source and header set, holding the architectures that passed."""
    groups: dict[tuple[PurePosixPath, str], list[_Unit]] = {}
    for unit in units:
        passed = all(outcomes[step].output is not None for step in unit.steps)
        if unit.steps[0].kind == "host" and passed:
            groups.setdefault((unit.source, unit.toolchain.title), []).append(unit)
    joined: dict[tuple[PurePosixPath, str], Path | CompileFailure] = {}
    for key, members in groups.items():
        toolchain = members[0].toolchain
        host = outcomes[members[0].steps[0]].output
        device = [(unit.arch, outcomes[unit.steps[-1]].output) for unit in members]
        pairs = [(arch, path) for arch, path in device if path is not None]
        if host is None or not isinstance(toolchain, HipToolchain):
            continue
        names = "+".join([host.parent.name[:24], *(path.parent.name[:24] for _, path in pairs)])
        place = cache / "objects" / names / f"{key[0].stem}.o"
        if not place.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".joining-", dir=cache / "objects") as work:
                made = Path(work) / "joined.o"
                try:
                    hip.join_object(host, pairs, key[0], toolchain, made, runner)
                except BuildFailedError as error:
                    joined[key] = CompileFailure(str(error), str(key[0]), 0, 0, "")
                    continue
                shutil.move(made, place)
        joined[key] = place
    return joined


def _progress(step: Step, outcome: Outcome, done: int, total: int) -> Progress:
    label = f"{step.label} ({step.toolchain})"
    return Progress(
        done, total, label, outcome.seconds, outcome.cached, outcome.failure is not None
    )


@contextmanager
def _stopping(runner: Runner) -> Iterator[None]:
    """Turn what ends the worker threads into what the caller is promised."""
    try:
        yield
    except Cancelled:
        raise KeyboardInterrupt from None
    except OSError as error:
        raise BuildFailedError(f"the build cannot go on: {error}") from error
    except KeyboardInterrupt:
        runner.stop()
        raise
