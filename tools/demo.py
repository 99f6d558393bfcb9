"""`make demo`: port real extensions and compile them for AMD and NVIDIA, with no GPU present.

Runs the commands a user would type, shows each, and ends with one table. Everything goes to
build/demo/; summary.json there holds the figures. Exit code 1 when a source did not compile.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "demo"
EXAMPLES = ("gemm", "layernorm", "histogram")
PACKAGES = ("torch-scatter==2.1.2", "torch-cluster==1.6.3", "torch-sparse==0.6.18")
HIP = ("hip:gfx90a", "hip:gfx942")
HEADERS = ("6.0", "7.1")
CUDA = ("cuda:sm_90",)


@dataclass(frozen=True)
class Row:
    """One project of the demo. Compilations are counted as source x target x header set."""

    project: str
    files: int
    lines: int
    names: int
    lines_changed: int
    open_items: int
    hip_passed: int
    hip_total: int
    cuda_passed: int
    cuda_total: int
    seconds: float


def run(*arguments: str, quiet: bool = False) -> int:
    """Show a warp2wave command, run it, and return its exit code."""
    print(f"\n$ warp2wave {' '.join(arguments)}", flush=True)
    command = [sys.executable, "-m", "warp2wave", *arguments]
    stdout = subprocess.DEVNULL if quiet else None
    return subprocess.run(command, cwd=ROOT, check=False, stdout=stdout).returncode


def record(tree: Path, stage: str) -> dict[str, Any]:
    """The result that a stage left in the tree."""
    data: dict[str, Any] = json.loads((tree / ".warp2wave" / f"{stage}.json").read_text())
    return data


def passed(build: dict[str, Any]) -> tuple[int, int]:
    """How many compilations passed, and of how many."""
    units = build["units"]
    return sum(unit["failure"] is None for unit in units), len(units)


def show(source: str, name: str, *, cuda: bool, jobs: int) -> Row:
    """Port one tree and compile it for every target."""
    start = time.monotonic()
    tree = OUT / name
    place = str(tree.relative_to(ROOT))
    shutil.rmtree(tree, ignore_errors=True)
    if run("port", source, "--output", place):
        raise SystemExit(f"{source} could not be ported")
    ported = record(tree, "port")
    options = ["build", "--compile-only", "-j", str(jobs)]
    headers = [option for name in HEADERS for option in ("--hip-headers", name)]
    targets = [option for target in HIP for option in ("--target", target)]
    run(*options, *targets, *headers, place)
    hip = passed(record(tree, "build"))
    nvidia = (0, 0)
    if cuda:
        run(*options, *(option for target in CUDA for option in ("--target", target)), place)
        nvidia = passed(record(tree, "build"))
    return Row(
        project=name,
        files=ported["files"],
        lines=ported["lines"],
        names=ported["apis"]["used"],
        lines_changed=ported["lines_changed"],
        open_items=len(ported["open"]),
        hip_passed=hip[0],
        hip_total=hip[1],
        cuda_passed=nvidia[0],
        cuda_total=nvidia[1],
        seconds=round(time.monotonic() - start, 1),
    )


def table(rows: list[Row]) -> str:
    """The closing table as plain text."""
    head: tuple[str, ...] = ("project", "files", "lines", "CUDA names", "lines changed")
    head += ("left open", "AMD objects", "NVIDIA objects", "seconds")
    body = [
        (
            row.project,
            str(row.files),
            f"{row.lines:,}",
            str(row.names),
            str(row.lines_changed),
            str(row.open_items),
            f"{row.hip_passed} of {row.hip_total}",
            f"{row.cuda_passed} of {row.cuda_total}" if row.cuda_total else "-",
            f"{row.seconds:.0f}",
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in (head, *body)) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in (head, *body)
    )


def main() -> int:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples-only", action="store_true", help="skip the packages from PyPI")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    rows = [show(f"examples/{name}", name, cuda=True, jobs=options.jobs) for name in EXAMPLES]
    if not options.examples_only:
        for package in PACKAGES:
            name = package.split("==")[0]
            rows.append(show(f"pypi:{package}", name, cuda=False, jobs=options.jobs))
    (OUT / "summary.json").write_text(
        json.dumps({"schema": 1, "rows": [asdict(row) for row in rows]}, indent=1) + "\n"
    )
    print(f"\n{table(rows)}")
    print(
        "\nCompiled by clang 19 (gfx90a, gfx942; HIP 6.0 and HIP 7.1 headers) and nvcc (sm_90)."
        "\nNothing was run: no GPU is needed for this, and no result on one is claimed."
        f"\nFigures: {(OUT / 'summary.json').relative_to(ROOT)}"
    )
    complete = all(
        row.hip_passed == row.hip_total and row.cuda_passed == row.cuda_total for row in rows
    )
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
