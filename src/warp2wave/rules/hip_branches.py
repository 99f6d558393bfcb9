"""Text that is for HIP alone: branches that nvcc never compiles, and files of AMD's own."""

from __future__ import annotations

import re
from functools import lru_cache

from warp2wave.port.platform import CUDA_FACTS
from warp2wave.rules.remembered import remembered
from warp2wave.rules.view import View
from warp2wave.syntax.conditions import Condition, is_active
from warp2wave.syntax.expressions import MacroFacts

_HIP_NAME = re.compile(r"\b\w*(?:ROCM|HIP|AMD|GFX|AMDGCN|rocm|gfx)\w*")
_HIP_INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:hip|ck|ck_tile|rocprim|hipcub)/", re.MULTILINE
)


def is_for_hip_alone(view: View, offset: int) -> bool:
    """Say whether CUDA never compiles the text there: warp functions in it are HIP's own."""
    return _in_hip_branch(view.document.conditions.at(offset)) or _is_hip_file(view)


@lru_cache(maxsize=512)
def _in_hip_branch(condition: Condition | None) -> bool:
    if condition is None:
        return False
    names = frozenset(_HIP_NAME.findall(str(condition)))
    facts = MacroFacts(
        {name: value for name, value in CUDA_FACTS.defined.items() if name not in names},
        CUDA_FACTS.undefined | names,
    )
    return is_active(condition, facts) is False


@remembered
def _is_hip_file(view: View) -> bool:
    if view.path.suffix == ".hip":
        return True
    return any(
        not _in_hip_branch(view.document.conditions.at(match.start()))
        for match in _HIP_INCLUDE.finditer(view.text)
    )
