"""PTX instructions in the template of an inline assembly statement."""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BRACED = re.compile(r"\{[^{};]*\}|\[[^\[\];]*\]|[^,{}\[\]]+")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its guard ("@p", "" for none), the opcode with modifiers, its operands."""

    guard: str
    opcode: str
    operands: tuple[str, ...]


def read_instructions(template: str) -> tuple[Instruction, ...]:
    """Return the instructions of a template, directives (`.reg`, `.pred`) and labels left out."""
    found = []
    for line in _COMMENT.sub(" ", template).split(";"):
        words = re.sub(r"^\s*(?:[{}]\s*|[\w$%]+:\s*)*", "", line).strip()
        guard = ""
        if words.startswith("@"):
            guard, _, words = words.partition(" ")
            words = words.strip()
        opcode, _, rest = words.partition(" ") if " " in words else (words, "", "")
        opcode = opcode.rstrip("}").strip()
        if not re.fullmatch(r"[a-z][\w.:]*", opcode):
            continue
        operands = tuple(part.strip() for part in _BRACED.findall(rest) if part.strip())
        found.append(Instruction(guard, opcode, operands))
    return tuple(found)
