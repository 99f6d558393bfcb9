"""The inline PTX of a file, each statement with its translation: for the rules about it."""

from __future__ import annotations

import re

from warp2wave.ptx.statement import Statement, read_statement
from warp2wave.ptx.translate import Translation, translate
from warp2wave.rules.remembered import remembered
from warp2wave.rules.view import Site, View

WORDS = frozenset({"asm", "__asm__", "__asm"})

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# Dotted opcodes (`mov.u32`), those without dots, declarations, special registers, addresses.
_PTX = re.compile(
    r"(?:^|[;{}:\s])(?:@!?[\w%]+\s+)?(?!llvm\.)[a-z]\w*\s?\.[a-z]\w*[\w.:]*(?:[\s;{(]|$)"
    r"|(?:^|[;{}\s])(?:brkpt|trap|exit|ret|discard)\s*;"
    r"|\.(?:reg|pred|shared|global|param)\b|%%?(?:laneid|clock|smid|warpid)|\[\s*%\d+"
)
# AMD's opcodes. Both its and the CPU's assembly name registers and constraints PTX has not.
_AMD = re.compile(r"(?:^|[\s;])(?:[sv]|ds|global|buffer|flat|scratch|image|tbuffer)_[a-z]\w+")
_PTX_CONSTRAINT = re.compile(r"[=+&%]*[hrlqfdnC]")


@remembered
def assembly_of(view: View) -> tuple[tuple[Site, Statement, Translation | None], ...]:
    """Return every statement of PTX; labels of declarations, AMD and host assembly are none."""
    found = []
    for site in view.sites(*sorted(WORDS)):
        statement = read_statement(site.code, view.text, site.position)
        if statement is not None and _is_ptx(view, site, statement):
            found.append((site, statement, translate(statement)))
    return tuple(found)


def _is_ptx(view: View, site: Site, statement: Statement) -> bool:
    text = _COMMENT.sub(" ", statement.template)
    if _AMD.search(text):
        return False
    if _PTX.search(text):
        return True
    if statement.is_literal:
        return False
    # The opcodes come from macros: what the operands are, and where it stands, must say it.
    operands = (*statement.outputs, *statement.inputs)
    if not all(_PTX_CONSTRAINT.fullmatch(operand.constraint) for operand in operands):
        return False
    function = view.function_of(site)
    return bool(operands) and (
        site.macro is not None or function is None or function.is_device or function.is_kernel
    )


def in_arguments(site: Site) -> bool:
    """True inside the arguments of a call: they may be a macro's, where `#if` is not allowed."""
    position = site.code.brackets.enclosing(site.position)
    while position >= 0:
        if site.code.lexeme(position) == "(":
            return True
        position = site.code.brackets.enclosing(position)
    return False
