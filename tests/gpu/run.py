"""Builds torch-scatter and the examples for this machine's GPU and runs their tests, in one go.

    python3 tests/gpu/run.py --scatter PORTED [--original ORIGINAL] [--examples DIR...]

PORTED and ORIGINAL are source trees of torch-scatter 2.1.2. All builds run side by side in copies
under --work; then come the tests, the comparison of the machine code of both trees, and a table.
Needs Python 3.10, PyTorch with a CUDA GPU, nvcc, ninja, pytest; says at the start what is missing.
Exit code: 0 all passed, 1 something failed, 2 something is missing. The results also go to
OUT/gpu-tests.json, and what failed to OUT/gpu-tests.log.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from sass import compare, kernels

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"


@dataclass(frozen=True)
class Step:
    """One line of the table; `log` is the end of its output where it failed."""

    name: str
    result: str  # ok, FAILED or skipped
    seconds: float
    detail: str
    log: str = ""


@dataclass(frozen=True)
class Settings:
    work: Path
    out: Path
    arch: str
    deadline: float  # of time.monotonic()
    workers: int


def say(text: str = "") -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def missing_parts() -> list[str]:
    """Print what this machine has; return a line for each thing that is needed and absent."""
    missing = [
        f"{what} ({hint})"
        for what, hint in (("nvcc", "CUDA's compiler, on PATH"), ("ninja", "pip install ninja"))
        if shutil.which(what) is None
    ]
    missing += [
        f"Python package {name}"
        for name in ("torch", "setuptools", "pytest", "numpy")
        if importlib.util.find_spec(name) is None
    ]
    say(f"python   {sys.version.split()[0]}, {os.cpu_count()} cores")
    if importlib.util.find_spec("torch") is None:
        return missing
    import torch

    say(f"torch    {torch.__version__}, CUDA {torch.version.cuda}, HIP {torch.version.hip}")
    if torch.version.cuda is None:
        missing.append("a CUDA build of PyTorch (this runner drives nvcc builds only)")
    elif not torch.cuda.is_available():
        missing.append("a GPU that PyTorch can use")
    else:
        say(f"GPU      {torch.cuda.get_device_name()}, {torch.cuda.get_device_capability()}")
    for optional, why in (("cuobjdump", "machine code is not compared"),):
        say(f"{optional}: {shutil.which(optional) or 'absent, so ' + why}")
    say(
        f"xdist    {'yes' if importlib.util.find_spec('xdist') else 'absent: tests run one by one'}"
    )
    return missing


def call(
    command: list[str], settings: Settings, cwd: Path, log: Path, env: dict[str, str]
) -> tuple[int, float]:
    """Run with its output in `log`, within the time that is left. Returns exit code and seconds."""
    start = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **env},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=max(1.0, settings.deadline - start))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            output.write(b"\nstopped: out of time\n")
            code = 124
    return code, time.monotonic() - start


def tail(log: Path, lines: int = 60) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def build(name: str, tree: Path, extension: str, env: dict[str, str], settings: Settings) -> Step:
    """Build one extension of a tree in place."""
    short = extension.rsplit(".", 1)[-1]
    log = settings.work / "logs" / f"build-{name}-{short}.log"
    command = [
        sys.executable,
        str(HERE / "build_one.py"),
        extension,
        "--build-temp",
        f"build/temp-{short}",
        "--build-lib",
        f"build/lib-{short}",
    ]
    code, seconds = call(command, settings, tree, log, env)
    result = "FAILED" if code else "ok"
    return Step(f"build {name} {short}", result, seconds, "", tail(log) if code else "")


def test(name: str, tests: Path, env: dict[str, str], settings: Settings, parallel: bool) -> Step:
    """Run a folder of tests with an ini file of our own; the counts come from its JUnit file."""
    ini, report = settings.work / "pytest.ini", settings.work / f"junit-{name}.xml"
    ini.write_text("[pytest]\nmarkers =\n    gpu: needs a GPU\n")
    log = settings.work / "logs" / f"test-{name}.log"
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ini), "--rootdir", str(tests)]
    command += ["-p", "no:cacheprovider", "--tb=short", "--maxfail=40", f"--junitxml={report}"]
    if parallel and importlib.util.find_spec("xdist"):
        command += ["-n", str(settings.workers)]
    code, seconds = call([*command, str(tests)], settings, tests.parent, log, env)
    counts = junit_counts(report.read_text()) if report.is_file() else {}
    detail = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
    # All skipped is no result: the GPU or the package was not found after all.
    passed = code == 0 and counts.get("passed", 0) > 0
    return Step(
        f"test {name}",
        "ok" if passed else "FAILED",
        seconds,
        detail or f"exit {code}",
        "" if passed else tail(log, 150),
    )


def junit_counts(text: str) -> dict[str, int]:
    """passed, failed and skipped of a JUnit file's suites."""
    total = failed = skipped = 0
    for suite in ET.fromstring(text).iter("testsuite"):
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    return {"passed": total - failed - skipped, "failed": failed, "skipped": skipped}


def compare_machine_code(original: Path, ported: Path) -> Step:
    """Compare the .so files of two built trees of torch-scatter, function by function."""
    start = time.monotonic()
    if shutil.which("cuobjdump") is None:
        return Step("machine code", "skipped", 0.0, "no cuobjdump")
    same, lines = 0, []
    for library in sorted(original.glob("torch_scatter/*_cuda.so")):
        dumps = []
        for tree in (original, ported):
            path = tree / "torch_scatter" / library.name
            done = subprocess.run(
                ["cuobjdump", "--dump-sass", str(path)], capture_output=True, text=True, check=False
            )
            dumps.append(kernels(done.stdout))
        if not dumps[0] and not dumps[1]:
            continue  # _version_cuda.so holds no kernel
        result = compare(dumps[0], dumps[1])
        same += len(result.same)
        lines += [f"{library.name}: differs: {name}" for name in result.different]
        lines += [f"{library.name}: only in the original: {name}" for name in result.missing]
        lines += [f"{library.name}: only in the port: {name}" for name in result.extra]
    good = same > 0 and not lines
    detail = f"{same} functions identical, {len(lines)} not"
    seconds = time.monotonic() - start
    return Step("machine code", "ok" if good else "FAILED", seconds, detail, "\n".join(lines[:100]))


def shared_libstdcxx() -> dict[str, str]:
    """Link against the C++ library that PyTorch has loaded.

    Where the compiler finds a static libstdc++ only, an extension brings a second copy along, and
    the first error message that it formats through a stream ends the process.
    """
    import torch  # noqa: F401  (loads the library)

    loaded = {
        line.split()[-1]
        for line in Path("/proc/self/maps").read_text().splitlines()
        if "libstdc++.so" in line
    }
    return {"LDFLAGS": f"-Wl,--no-as-needed,{min(loaded)},--as-needed"} if loaded else {}


def scatter_extensions(tree: Path) -> list[str]:
    return [f"torch_scatter._{source.stem}_cuda" for source in sorted(tree.glob("csrc/*.cpp"))]


def copy(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(
        source, target, ignore=shutil.ignore_patterns("build", "*.so", "*.egg-info", "__pycache__")
    )
    return target


def run_all(
    ported: Path, original: Path | None, examples: list[Path], settings: Settings
) -> list[Step]:
    env = {
        **shared_libstdcxx(),
        "FORCE_CUDA": "1",
        "FORCE_ONLY_CUDA": "1",  # torch-scatter: that build holds the CPU operators too
        "TORCH_CUDA_ARCH_LIST": settings.arch,
        "MAX_JOBS": "3",  # an extension has no more sources
    }
    # Paths of one length, so that a path in an assertion moves nothing.
    trees = {"ported": copy(ported, settings.work / "port" / "torch-scatter")}
    if original is not None:
        trees["original"] = copy(original, settings.work / "orig" / "torch-scatter")
    jobs: list[tuple[str, Path, str]] = [
        (name, tree, extension)
        for name, tree in trees.items()
        for extension in scatter_extensions(tree)
    ]
    copies = {}
    for example in examples:
        copies[example.name] = copy(example, settings.work / "examples" / example.name)
        package = next(copies[example.name].glob("*/__init__.py")).parent.name
        jobs.append((example.name, copies[example.name], f"{package}._C"))
    steps: list[Step] = []

    def done(step: Step) -> bool:
        steps.append(step)
        say(f"{step.result:8}{step.seconds:7.1f} s  {step.name}  {step.detail}")
        return step.result != "FAILED"

    with ThreadPoolExecutor(max(1, settings.workers)) as pool:
        running: list[Callable[[], Step]] = [
            pool.submit(build, name, tree, extension, env, settings).result
            for name, tree, extension in jobs
        ]
        built = {job: done(result()) for job, result in zip(jobs, running, strict=True)}

    def is_built(name: str) -> bool:
        return all(good for job, good in built.items() if job[0] == name)

    for name, tree in copies.items():
        if is_built(name):
            done(test(name, tree / "tests", {}, settings, parallel=False))
    for name, tree in trees.items():
        if is_built(name):
            where = {"W2W_TORCH_SCATTER": str(tree), "OMP_NUM_THREADS": "2"}
            done(test(f"torch-scatter-{name}", HERE, where, settings, parallel=True))
    if original is not None and is_built("ported") and is_built("original"):
        done(compare_machine_code(trees["original"], trees["ported"]))
    return steps


def report(steps: list[Step], settings: Settings) -> int:
    """Print what failed, then the table; write both files. Returns the exit code."""
    settings.out.mkdir(parents=True, exist_ok=True)
    failed = [step for step in steps if step.result == "FAILED"]
    log = "\n".join(f"==== {step.name}\n{step.log}" for step in failed)
    (settings.out / "gpu-tests.log").write_text(log)
    (settings.out / "gpu-tests.json").write_text(
        json.dumps({"schema": 1, "steps": [asdict(step) for step in steps]}, indent=1)
    )
    if failed:
        say("\n" + "\n".join(f"==== {step.name}\n{step.log[-3000:]}" for step in failed))
    say("\n" + "\n".join(f"{s.name:42} {s.result:8}{s.seconds:7.1f} s  {s.detail}" for s in steps))
    say(f"{len(steps) - len(failed)} of {len(steps)} steps passed")
    return 1 if failed or not steps else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--scatter", type=Path, required=True, help="the ported torch-scatter tree")
    parser.add_argument("--original", type=Path, help="the tree as published")
    parser.add_argument("--examples", type=Path, nargs="*", help="example trees (default: ours)")
    parser.add_argument("--work", type=Path, default=Path("/tmp/w2w-gpu"), help="build folder")
    parser.add_argument("--out", type=Path, default=Path("gpu-results"), help="results folder")
    parser.add_argument("--arch", default="9.0", help="TORCH_CUDA_ARCH_LIST (default 9.0)")
    parser.add_argument("--seconds", type=float, default=560.0, help="time limit for everything")
    options = parser.parse_args()
    missing = missing_parts()
    missing += [
        f"folder {tree}"
        for tree in (options.scatter, options.original, *(options.examples or []))
        if tree is not None and not tree.is_dir()
    ]
    if missing:
        say("missing: " + "; ".join(missing))
        return 2
    examples = options.examples
    if examples is None:
        examples = [path.parent for path in sorted(EXAMPLES.glob("*/setup.py"))]
    settings = Settings(
        work=options.work.resolve(),
        out=options.out.resolve(),
        arch=options.arch,
        deadline=time.monotonic() + options.seconds,
        workers=max(1, min(8, (os.cpu_count() or 2) // 2)),
    )
    steps = run_all(
        options.scatter.resolve(),
        options.original and options.original.resolve(),
        [path.resolve() for path in examples],
        settings,
    )
    return report(steps, settings)


if __name__ == "__main__":
    sys.exit(main())
