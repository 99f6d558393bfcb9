"""Generates src/warp2wave/apimap/data/ from headers, or (`--check`) proves that the data are right.

    python tools/generate_apimap.py --wheels DIR --download --clang DIR
    python tools/generate_apimap.py --check [--wheels DIR --clang DIR | --cuda DIR]

Only names leave the headers: no text of theirs is copied.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / "src")]

from apimap_build import Inputs, build, read_tables  # noqa: E402
from apimap_check import NOTICE, check_data, compare_files, names_without_entry  # noqa: E402
from apimap_hand import read_hand  # noqa: E402
from apimap_packages import PACKAGES, download, open_packages  # noqa: E402

from warp2wave.apimap.tables import SOURCES_FILE, format_sources, format_table  # noqa: E402

DATA = ROOT / "src" / "warp2wave" / "apimap" / "data"
NAMES = ROOT.parent / "shared" / "data" / "rocm-names"


def cuda_trees(root: Path) -> dict[str, Path]:
    """What a CUDA 13.0 toolkit's folder can stand in for; nothing where it is another version."""
    include = root / "include"
    text = (
        (include / "cuda.h").read_text(errors="replace") if (include / "cuda.h").is_file() else ""
    )
    if not re.search(r"#define\s+CUDA_VERSION\s+13000\b", text):
        return {}
    keys = ("cuda-runtime-13.0", "cuda-crt-13.0", "cuda-nvtx-13.0", "cuda-profiler-13.0")
    return {**dict.fromkeys(keys, include), "cuda-cccl-13.0": include / "cccl"}


def read_inputs(wheels: list[Path], trees: dict[str, Path], names: Path | None) -> Inputs:
    """Open whatever there is."""
    opened = tuple(open_packages(wheels, trees))
    headers = {item.package.key: item.headers() for item in opened}
    tables, sources = read_tables(names) if names is not None else ({}, ())
    return Inputs(opened, headers, tables, sources)


def generate(inputs: Inputs) -> dict[str, str]:
    """The text of every data file, by file name."""
    rows = build(inputs, read_hand())
    files = {
        f"{library}.toml": format_table(library, items, NOTICE) for library, items in rows.items()
    }
    used = {row.group.source for items in rows.values() for row in items}
    sources = [source for source in inputs.sources() if source.key in used]
    files[SOURCES_FILE] = format_sources(sources, NOTICE)
    return files


def lacking(inputs: Inputs) -> list[str]:
    """The packages and tables that generating needs and that were not found."""
    found = [item.key for item in PACKAGES if item.key not in inputs.headers]
    return found if inputs.tables else [*found, "the rocm-names tables"]


def check(folder: Path, inputs: Inputs) -> int:
    """Print what is wrong and what was checked; 0 when nothing is wrong."""
    problems = check_data(folder, read_hand())
    absent = lacking(inputs)
    if not absent:
        problems += compare_files(folder, generate(inputs))
        what = "in themselves, and compared with all headers generated anew"
    elif any(item.package.platform == "cuda" for item in inputs.opened):
        count, names = names_without_entry(folder, inputs)
        problems += [f"{name}: declared by a header, not in the data" for name in names]
        what = f"in themselves, and {count} names of the CUDA headers at hand looked up"
    else:
        what = "in themselves only: no headers at hand to compare with"
    for problem in problems:
        print(problem)
    print(f"API map: {len(problems)} problems; the data were checked {what}")
    return 1 if problems else 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 0 when all is well, 1 when a check failed, 2 when inputs lack."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheels", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--cuda", type=Path, metavar="DIR", help="a CUDA 13.0 toolkit, for --check")
    parser.add_argument("--clang", type=Path, metavar="DIR", help="clang 19's own include folder")
    parser.add_argument(
        "--rocm-names", type=Path, metavar="DIR", default=NAMES if NAMES.is_dir() else None
    )
    parser.add_argument("--download", action="store_true", help="fetch absent wheels first (3 GB)")
    parser.add_argument("--output", type=Path, default=DATA, metavar="DIR")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    if options.download:
        if not options.wheels:
            parser.error("--download needs --wheels")
        download(options.wheels[0])
    trees = cuda_trees(options.cuda) if options.cuda else {}
    if options.clang:
        trees["clang-19"] = options.clang
    inputs = read_inputs(options.wheels, trees, options.rocm_names)
    if options.check:
        return check(options.output, inputs)
    if lacking(inputs):
        print("not found:", ", ".join(lacking(inputs)), file=sys.stderr)
        return 2
    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in generate(inputs).items():
        (options.output / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
