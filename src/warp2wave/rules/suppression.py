"""Comments that silence findings: `// w2w: ignore[W2W201] why`, on the line or for the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_COMMENT = re.compile(
    r"(?://|/\*|#)[^\n]*?\bw2w:[ \t]*(?P<what>ignore-file|ignore-next-line|ignore|native-waves)\b"
    r"(?:[ \t]*\[(?P<codes>[^\]\n]*)\])?"
)


@dataclass(frozen=True, slots=True)
class Suppressions:
    """What the comments of one file say. Codes may be prefixes (`W2W2`); "" stands for all.

    `lines` maps a line, from 1, to the codes silenced on it. `native_waves`: the file opts in to
    waves of the hardware's own width.
    """

    lines: Mapping[int, tuple[str, ...]]
    file: tuple[str, ...]
    native_waves: bool

    def silences(self, code: str, line: int) -> bool:
        """Say whether a finding of this code on this line is silenced."""
        return (
            code.startswith(self.file + self.lines.get(line, ())) if self.any_for(line) else False
        )

    def any_for(self, line: int) -> bool:
        """True where something may be silenced on a line."""
        return bool(self.file or line in self.lines)


def read_suppressions(text: str) -> Suppressions:
    """Read the comments of one file: C++, Python, CMake or TOML."""
    if "w2w:" not in text:
        return Suppressions({}, (), False)
    lines: dict[int, tuple[str, ...]] = {}
    whole: tuple[str, ...] = ()
    native = False
    for match in _COMMENT.finditer(text):
        written = match["codes"]
        codes = tuple(c.strip().upper() for c in written.split(",") if c.strip()) if written else ()
        codes = codes or ("",)
        if match["what"] == "native-waves":
            native = True
        elif match["what"] == "ignore-file":
            whole += codes
        else:
            line = text.count("\n", 0, match.start()) + 1
            line += match["what"] == "ignore-next-line"
            lines[line] = lines.get(line, ()) + codes
    return Suppressions(lines, whole, native)
