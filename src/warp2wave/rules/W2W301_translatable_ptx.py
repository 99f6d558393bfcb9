"""Inline PTX that HIP C++ can say.

## What it does
Finds inline assembly whose one instruction has a counterpart in C++ or in HIP.

## Why is this bad
PTX is NVIDIA's assembly: clang rejects it for AMD GPUs.

## Example
```cuda
__device__ void count(unsigned x, unsigned y) {
  asm("popc.b32 %0, %1;" : "=r"(y) : "r"(x));
}
```

## Use instead
```cuda
__device__ void count(unsigned x, unsigned y) {
  y = __popc(x);
}
```

## Fix safety
The original stays for NVIDIA, under a guard. Safe where the HIP branch means exactly the same;
unsafe for approximate functions, whose last bits differ, and for loads, stores and reductions that
may order other accesses. In macro bodies and arguments, and for lane indices in files with native
waves, the fix is shown only.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.ptx.instructions import read_instructions
from warp2wave.rules.context import Context
from warp2wave.rules.inline_assembly import WORDS, assembly_of, in_arguments
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    for site, statement, translation in assembly_of(view):
        if translation is None:
            continue
        opcode = read_instructions(statement.template)[0].opcode
        start, end = statement.start, statement.end
        original = view.text[start:end]
        guarded = (
            "\n#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)\n"
            f"{translation.text}\n#else\n{original}\n#endif\n"
        )
        shown = site.macro is not None or in_arguments(site) or (translation.lanes and view.native)
        edit = Edit(start, end, translation.text if shown else guarded)
        title = f"say {opcode} in HIP C++, under a guard"
        yield Hit(
            start,
            end,
            f"inline PTX ({opcode}) does not compile for AMD; HIP can say it in C++",
            Fix(title, (edit,), "display" if shown else translation.applicability),
        )


RULE = Rule(
    code="W2W301",
    name="translatable-ptx",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=WORDS,
)
