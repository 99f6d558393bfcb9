"""Inline PTX without a translation.

## What it does
Finds inline assembly that has to be written anew by hand, and says with what.

## Why is this bad
PTX is NVIDIA's assembly: clang rejects it for AMD GPUs.

## Example
```cuda
__device__ void wait() { asm volatile("bar.sync 1, 64;"); }
```

## Use instead
```cuda
__device__ void wait() { __syncthreads(); }
```
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.ptx.instructions import read_instructions
from warp2wave.ptx.untranslated import advice_for
from warp2wave.rules.context import Context
from warp2wave.rules.inline_assembly import WORDS, assembly_of
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    for _, statement, translation in assembly_of(view):
        if translation is not None:
            continue
        instructions = read_instructions(statement.template)
        opcodes = tuple(instruction.opcode for instruction in instructions)
        advice, effort = advice_for(opcodes)
        named = opcodes[0] if opcodes else "of a macro's making"
        message = f"inline assembly ({named}) does not compile for AMD: {advice}"
        yield Hit(statement.start, statement.end, message, effort=effort)


RULE = Rule(
    code="W2W302",
    name="untranslated-ptx",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=WORDS,
)
