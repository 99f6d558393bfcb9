"""A stand-in for clang: reads a source and its quoted includes, writes a dependency file.

`#error TEXT` fails as clang does. Each run adds a line to the file FAKE_LOG.
"""

import os
import re
import sys
import time
from pathlib import Path

arguments = sys.argv[1:]
if "--version" in arguments:
    sys.stdout.write("fake clang version 19.0.0" + "\n")
    raise SystemExit
option = {name: arguments[arguments.index(name) + 1] for name in ("-o", "-MF") if name in arguments}
source = arguments[arguments.index("-c") + 1]
with Path(os.environ["FAKE_LOG"]).open("a", encoding="utf-8") as log:
    log.write(source + "\n")
folders = [Path(arguments[i + 1]) for i, word in enumerate(arguments) if word == "-I"]
read: dict[Path, str] = {}


def visit(path: Path) -> None:
    if path in read:
        return
    read[path] = path.read_text(encoding="utf-8")
    for number, line in enumerate(read[path].splitlines(), 1):
        if line.startswith("#sleep "):
            time.sleep(float(line.split()[1]))
        if line.startswith("#error "):
            sys.stdout.write(f"{path}:{number}:2: error: {line[7:]}" + "\n")
            raise SystemExit(1)
        included = re.match(r'#include "(.*)"', line)
        if included:
            places = [path.parent, *folders]
            visit(next(p / included[1] for p in places if (p / included[1]).is_file()))


visit(Path(source))
Path(option["-o"]).write_text("".join(read.values()), encoding="utf-8")
names = [str(path).replace(" ", "\\ ") for path in read]
Path(option["-MF"]).write_text("unit.o: " + " \\\n  ".join(names) + "\n", encoding="utf-8")
sys.stdout.write(
    f"{source}:1:1: remark: Function Name: kernel [-Rpass-analysis=kernel-resource-usage]" + "\n"
)
