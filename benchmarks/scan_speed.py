"""Speed of `scan` with all rules, beside a reference in the same run.

    python benchmarks/scan_speed.py DIRECTORY

Each folder of DIRECTORY is scanned as a project of its own, on one core. Times are CPU seconds of
this process, reading included; a megabyte is a million characters. The last column is the ratio to
`re.findall(r"\\w+")` over the same texts.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from time import process_time

from warp2wave.scanning import scan

_WORD = re.compile(r"\w+")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("directory", type=Path)
    projects = [p for p in sorted(parser.parse_args().directory.iterdir()) if p.is_dir()]
    print(f"{'project':24} {'files':>6} {'MB':>7} {'findings':>9} {'MB/s':>7} {'ratio':>7}")
    size = spent = reference = 0.0
    files = findings = 0
    for project in projects:
        start = process_time()
        found = scan(project)
        taken = process_time() - start
        start = process_time()
        for text in found.texts.values():
            _WORD.findall(text)
        simple = process_time() - start
        _row(project.name, len(found.files), found.characters, len(found.findings), taken, simple)
        size, spent, reference = size + found.characters, spent + taken, reference + simple
        files, findings = files + len(found.files), findings + len(found.findings)
    _row("all", files, size, findings, spent, reference)


def _row(name: str, files: int, size: float, findings: int, taken: float, simple: float) -> None:
    speed, ratio = size / 1e6 / max(taken, 1e-9), simple / max(taken, 1e-9)
    print(f"{name:24} {files:6} {size / 1e6:7.2f} {findings:9} {speed:7.2f} {ratio:7.3f}")


if __name__ == "__main__":
    main()
