"""PTX to HIP C++: single instructions whose meaning plain C++ or a HIP function has."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warp2wave.model import Applicability
from warp2wave.ptx.instructions import Instruction, read_instructions
from warp2wave.ptx.statement import Operand, Statement

_LANE = "(__lane_id() & 31u)"
_SPECIAL = {
    "laneid": _LANE,
    "lanemask_eq": f"1u << {_LANE}",
    "lanemask_lt": f"(1u << {_LANE}) - 1u",
    "lanemask_le": f"(2u << {_LANE}) - 1u",
    "lanemask_gt": f"~((2u << {_LANE}) - 1u)",
    "lanemask_ge": f"~((1u << {_LANE}) - 1u)",
}
# Opcode, the types of its inputs, the expression over {0}, {1}, {2}, and how far it is the same.
_TABLE: dict[str, tuple[str, str, Applicability]] = {
    "brev.b32": ("u", "__brev({0})", "safe"),
    "popc.b32": ("u", "__popc({0})", "safe"),
    "popc.b64": ("L", "__popcll({0})", "safe"),
    "mul.hi.u32": ("uu", "__umulhi({0}, {1})", "safe"),
    "mul.wide.u32": ("uu", "static_cast<unsigned long long>({0}) * {1}", "safe"),
    "mul.lo.u32": ("uu", "{0} * {1}", "safe"),
    "mad.lo.u32": ("uuu", "{0} * {1} + {2}", "safe"),
    "add.u32": ("uu", "{0} + {1}", "safe"),
    "sub.u32": ("uu", "{0} - {1}", "safe"),
    "and.b32": ("uu", "{0} & {1}", "safe"),
    "or.b32": ("uu", "{0} | {1}", "safe"),
    "xor.b32": ("uu", "{0} ^ {1}", "safe"),
    "fma.rn.f32": ("fff", "__builtin_fmaf({0}, {1}, {2})", "safe"),
    "shf.l.wrap.b32": ("uuu", "__funnelshift_l({0}, {1}, {2})", "safe"),
    "shf.r.wrap.b32": ("uuu", "__funnelshift_r({0}, {1}, {2})", "safe"),
    "ex2.approx.f32": ("f", "exp2f({0})", "unsafe"),
    "ex2.approx.ftz.f32": ("f", "exp2f({0})", "unsafe"),
    "lg2.approx.f32": ("f", "log2f({0})", "unsafe"),
    "lg2.approx.ftz.f32": ("f", "log2f({0})", "unsafe"),
    "rcp.approx.f32": ("f", "1.0f / {0}", "unsafe"),
    "rcp.approx.ftz.f32": ("f", "1.0f / {0}", "unsafe"),
    "rsqrt.approx.f32": ("f", "rsqrtf({0})", "unsafe"),
    "sqrt.approx.f32": ("f", "sqrtf({0})", "unsafe"),
    "sin.approx.f32": ("f", "__sinf({0})", "unsafe"),
    "cos.approx.f32": ("f", "__cosf({0})", "unsafe"),
    "tanh.approx.f32": ("f", "tanhf({0})", "unsafe"),
}
_STATEMENTS: dict[str, tuple[str, Applicability]] = {
    "membar.cta": ("__threadfence_block();", "safe"),
    "membar.gl": ("__threadfence();", "safe"),
    "membar.sys": ("__threadfence_system();", "safe"),
    "fence.acq_rel.cta": ("__threadfence_block();", "safe"),
    "fence.acq_rel.gpu": ("__threadfence();", "safe"),
    "fence.acq_rel.sys": ("__threadfence_system();", "safe"),
    "trap": ("__builtin_trap();", "safe"),
}
_DROPPED = re.compile(r"prefetchu?\.|applypriority\.|griddepcontrol\.")
_C_TYPES = {"u": "unsigned", "L": "unsigned long long", "f": "float"}
_CONSTRAINTS = {"u": "r", "L": "l", "f": "f"}
_WIDTHS = {
    "u32": ("unsigned", "r"), "b32": ("unsigned", "r"), "s32": ("int", "r"),
    "u64": ("unsigned long long", "l"), "b64": ("unsigned long long", "l"),
    "f32": ("float", "f"), "f64": ("double", "d"),
}  # fmt: skip
_LOAD = re.compile(r"ld\.global(?:\.nc)?(?:\.c[agsv]|\.lu)?(?:\.L1::\w+)?(?:\.L2::\w+)?\.(\w+)")
_STORE = re.compile(r"st\.global(?:\.c[gs]|\.w[bt])?(?:\.L1::\w+)?\.(\w+)")


@dataclass(frozen=True, slots=True)
class Translation:
    """The HIP C++ of a statement, and how far it means the same. `lanes`: 32-lane warps."""

    text: str
    applicability: Applicability
    lanes: bool = False


def translate(statement: Statement) -> Translation | None:
    """Return the HIP C++ of a statement, None where the table has no translation for all of it."""
    instructions = read_instructions(statement.template)
    if not statement.is_literal or not statement.terminated or len(instructions) != 1:
        return None
    instruction = instructions[0]
    if instruction.guard or "{" in statement.template:
        return None
    operands = (*statement.outputs, *statement.inputs)
    if any(not re.fullmatch(r"=?[rlfd]", operand.constraint) for operand in operands):
        return None
    if not statement.outputs:
        return _effect(instruction, operands)
    if len(statement.outputs) != 1 or instruction.operands[:1] != ("%0",):
        return None
    return _value(instruction, operands)


def _effect(instruction: Instruction, operands: tuple[Operand, ...]) -> Translation | None:
    opcode = instruction.opcode
    if opcode in _STATEMENTS and not instruction.operands:
        return Translation(*_STATEMENTS[opcode])
    if _DROPPED.match(opcode):
        return Translation(";", "safe")
    store = _STORE.fullmatch(opcode)
    if store is not None and store[1] in _WIDTHS and instruction.operands == ("[%0]", "%1"):
        kind, constraint = _WIDTHS[store[1]]
        if len(operands) == 2 and operands[1].constraint == constraint:
            pointer, value = operands[0].expression, operands[1].expression
            return Translation(f"*({kind} *)({pointer}) = ({value});", "unsafe")
    return None


def _value(instruction: Instruction, operands: tuple[Operand, ...]) -> Translation | None:
    opcode, sources = instruction.opcode, instruction.operands[1:]
    target = operands[0].expression
    if opcode in ("mov.u32", "mov.b32") and len(sources) == 1:
        special = _SPECIAL.get(sources[0].removeprefix("%%"))
        if special is None or operands[0].constraint != "=r":
            return None
        return Translation(f"{target} = {special};", "safe", lanes=True)
    load = _LOAD.fullmatch(opcode)
    if load is not None and load[1] in _WIDTHS and sources == ("[%1]",) and len(operands) == 2:
        kind, constraint = _WIDTHS[load[1]]
        # .cv and a load that must not be hoisted: keep the access where it stands.
        if operands[0].constraint != f"={constraint}" or ".cv." in opcode:
            return None
        return Translation(f"{target} = *(const {kind} *)({operands[1].expression});", "unsafe")
    if opcode not in _TABLE or len(_TABLE[opcode][0]) != len(sources):
        return None
    types, expression, applicability = _TABLE[opcode]
    values = []
    for kind, source in zip(types, sources, strict=True):
        value = _source(source, kind, operands)
        if value is None:
            return None
        values.append(value)
    return Translation(f"{target} = {expression.format(*values)};", applicability)


def _source(source: str, kind: str, operands: tuple[Operand, ...]) -> str | None:
    if re.fullmatch(r"0x[0-9a-fA-F]+|\d+", source) and kind != "f":
        return f"{source}u"
    match = re.fullmatch(r"%(\d+)", source)
    if match is None or int(match[1]) >= len(operands):
        return None
    operand = operands[int(match[1])]
    if operand.constraint != _CONSTRAINTS[kind]:
        return None
    return f"static_cast<{_C_TYPES[kind]}>({operand.expression})"
