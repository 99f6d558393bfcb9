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
    "trap": ("__builtin_trap();", "unsafe"),
}
_DROPPED = re.compile(r"prefetchu?\.|applypriority\.|griddepcontrol\.")
_C_TYPES = {"u": "unsigned", "L": "unsigned long long", "f": "float"}
_CONSTRAINTS = {"u": "r", "L": "l", "f": "f"}
_WIDTHS = {
    "u32": ("unsigned", "r"), "b32": ("unsigned", "r"), "s32": ("int", "r"),
    "s64": ("long long", "l"), "u64": ("unsigned long long", "l"),
    "b64": ("unsigned long long", "l"),
    "f32": ("float", "f"), "f64": ("double", "d"),
}  # fmt: skip
# `.nc` reads what no one writes while the kernel runs. All other global accesses may be one side
# of a conversation between blocks: relaxed atomics of the device, never cached or hoisted away.
_LOAD = re.compile(
    r"ld(?:\.(acquire|relaxed|volatile))?(?:\.(cta|gpu|sys))?\.(?:c[agsv]\.)?global"
    r"(?:\.(acquire|relaxed|nc))?(?:\.(cta|gpu|sys))?(?:\.c[agsv]|\.lu)?"
    r"(?:\.L1::\w+)?(?:\.L2::\w+)?\.(\w+)"
)
_STORE = re.compile(
    r"st(?:\.(release|relaxed|volatile))?(?:\.(cta|gpu|sys))?\.global(?:\.(release|relaxed))?"
    r"(?:\.(cta|gpu|sys))?(?:\.c[gs]|\.w[bt])?(?:\.L1::\w+)?\.(\w+)"
)
_REDUCTION = re.compile(
    r"(?:red|atom)(?:\.(relaxed))?(?:\.(cta|gpu|sys))?\.global(?:\.(relaxed))?"
    r"(?:\.(cta|gpu|sys))?\.(add|and|or|xor|min|max)\.(u32|s32|b32|u64|b64|s64|f32)"
)
_SCOPES = {"cta": "WORKGROUP", "gpu": "AGENT", "sys": "SYSTEM"}


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
    if store is not None and store[5] in _WIDTHS and instruction.operands == ("[%0]", "%1"):
        order = "RELEASE" if "release" in (store[1], store[3]) else "RELAXED"
        return _access("store", store[5], operands, order, store[2] or store[4])
    reduction = _REDUCTION.fullmatch(opcode)
    if reduction is not None and instruction.operands == ("[%0]", "%1"):
        scope = reduction[2] or reduction[4]
        return _access(f"fetch_{reduction[5]}", reduction[6], operands, "RELAXED", scope)
    return None


def _access(
    operation: str, width: str, operands: tuple[Operand, ...], order: str, scope: str | None
) -> Translation | None:
    """A store or reduction: operand 0 is the address, operand 1 the value."""
    kind, constraint = _WIDTHS[width]
    if [operand.constraint for operand in operands] != ["l", constraint]:
        return None
    pointer, value = operands[0].expression, operands[1].expression
    where = f"__HIP_MEMORY_SCOPE_{_SCOPES[scope or 'gpu']}"
    return Translation(
        f"__hip_atomic_{operation}(({kind} *)({pointer}), static_cast<{kind}>({value}), "
        f"__ATOMIC_{order}, {where});",
        "unsafe",
    )


def _value(instruction: Instruction, operands: tuple[Operand, ...]) -> Translation | None:
    opcode, sources = instruction.opcode, instruction.operands[1:]
    target = operands[0].expression
    if opcode in ("mov.u32", "mov.b32") and len(sources) == 1:
        special = _SPECIAL.get(sources[0].removeprefix("%%"))
        if special is None or operands[0].constraint != "=r":
            return None
        return Translation(f"{target} = {special};", "safe", lanes=True)
    load = _LOAD.fullmatch(opcode)
    if load is not None and load[5] in _WIDTHS and sources == ("[%1]",) and len(operands) == 2:
        kind, constraint = _WIDTHS[load[5]]
        if [operand.constraint for operand in operands] != [f"={constraint}", "l"]:
            return None
        pointer = f"(const {kind} *)({operands[1].expression})"
        if load[3] == "nc":
            return Translation(f"{target} = *{pointer};", "safe")
        order = "ACQUIRE" if "acquire" in (load[1], load[3]) else "RELAXED"
        where = f"__HIP_MEMORY_SCOPE_{_SCOPES[load[2] or load[4] or 'gpu']}"
        text = f"{target} = __hip_atomic_load({pointer}, __ATOMIC_{order}, {where});"
        return Translation(text, "unsafe")
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
