"""Speed of `syntax` on real CUDA sources, beside two references in the same run.

    python benchmarks/syntax_speed.py DIRECTORY [--megabytes 10] [--repeats 3]

DIRECTORY is searched for .cu and .cuh files (unpacked source distributions of extensions, for
example); they are gone over file by file, again and again, up to the size asked for. Times are CPU
seconds of this process, the best of the repeats; a megabyte is a million characters. The machine's
speed cancels out in the last column: the ratio to `re.findall(r"\\w+")`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from time import process_time

from warp2wave.syntax import lexer
from warp2wave.syntax.calls import find_calls
from warp2wave.syntax.document import Document
from warp2wave.syntax.includes import find_includes
from warp2wave.syntax.kernels import find_kernels
from warp2wave.syntax.launches import find_launches
from warp2wave.syntax.names import scan_names, used_names

# Beginnings of the names that a port looks for: prefixes of CUDA's libraries and device names.
PREFIXES = (
    *("__", "CU", "CUBLAS", "CUDA", "CUDNN", "NCCL", "at", "atomic", "blockDim", "blockIdx", "c10"),
    *("cg", "cooperative_groups", "cub", "cublas", "cuda", "cudnn", "cufft", "curand", "cusolver"),
    *("cusparse", "cutlass", "gridDim", "half", "nccl", "nv", "threadIdx", "thrust", "warpSize"),
)


def _hipify(text: str) -> str:
    """What torch.utils.hipify does to a text with its one big alternation."""
    from torch.utils.hipify import hipify_python

    return str(
        hipify_python.RE_PYTORCH_PREPROCESSOR.sub(
            lambda match: hipify_python.PYTORCH_MAP[match.group(0)], text
        )
    )


def _shapes(text: str) -> None:
    document = Document(text)
    for finder in (find_includes, find_launches, find_kernels, find_calls):
        finder(document)


def measure(work: Callable[[str], object], texts: list[str], rounds: int, repeats: int) -> float:
    """Return megabytes a second of CPU time, the best of `repeats`."""
    size = sum(map(len, texts)) * rounds / 1e6
    best = 0.0
    for _ in range(repeats):
        start = process_time()
        for _ in range(rounds):
            for text in texts:
                work(text)
        best = max(best, size / (process_time() - start))
    return best


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    files = [p for p in arguments.directory.rglob("*") if p.suffix in (".cu", ".cuh")]
    texts = [path.read_bytes().decode("utf-8", "surrogateescape") for path in sorted(files)]
    size = sum(map(len, texts))
    if not size:
        parser.error(f"no .cu or .cuh file under {arguments.directory}")
    rounds = max(1, round(arguments.megabytes * 1e6 / size))
    rows: list[tuple[str, Callable[[str], object]]] = [
        ("reference: re.findall(r'\\w+')", re.compile(r"\w+").findall),
        ("reference: torch.utils.hipify, preprocessor map", _hipify),
        ("names scan: used_names", lambda text: used_names(text, PREFIXES)),
        ("names scan: scan_names with offsets", lambda text: list(scan_names(text, PREFIXES))),
        ("tokens: bare lexemes", lexer._TOKEN.findall),
        ("tokens: columns (lexemes, kinds, starts)", lexer.tokenize),
        ("tokens: a tuple a token", lambda text: list(lexer.tokenize(text).rows())),
        ("tokens: a Token a token", lambda text: list(lexer.tokenize(text))),
        ("all shapes of a document", _shapes),
    ]
    print(f"{len(files)} files, {size / 1e6:.2f} MB, {rounds} rounds: {size * rounds / 1e6:.1f} MB")
    print(f"{'':50} {'MB/s':>7} {'ratio':>7}")
    reference = 0.0
    for name, work in rows:
        try:
            speed = measure(work, texts, rounds, arguments.repeats)
        except ImportError as error:
            print(f"{name:50} not measured: {error}")
            continue
        reference = reference or speed
        print(f"{name:50} {speed:7.2f} {speed / reference:7.2f}")


if __name__ == "__main__":
    main()
