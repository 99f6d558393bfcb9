"""Under which `#if` a piece of text stands, and on which of two platforms it is compiled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warp2wave.syntax.conditions import Presence, active_regions, is_active, presence
from warp2wave.syntax.document import Document
from warp2wave.syntax.expressions import MacroFacts

ROCM = MacroFacts({"USE_ROCM": None, "__HIPCC__": 1}, frozenset({"__CUDACC__"}))
CUDA = MacroFacts({"__CUDACC__": None, "V": 12000}, frozenset({"USE_ROCM", "__HIPCC__"}))


def condition_of(text: str, mark: str = "HERE") -> str | None:
    condition = Document(text).conditions.at(text.index(mark))
    return None if condition is None else str(condition)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HERE", None),
        ("#if A\nHERE\n#endif", "(A)"),
        ("#if A\n#endif\nHERE", None),
        ("#ifdef A // c\nHERE\n#endif", "(defined(A))"),
        ("#ifndef A\nHERE\n#endif", "(!defined(A))"),
        ("#if A\n#else\nHERE\n#endif", "!(A)"),
        ("#if A\n#elif B\nHERE\n#endif", "!(A) && (B)"),
        ("#if A\n#elif B\n#else\nHERE\n#endif", "!(A) && !(B)"),
        ("#ifdef A\n#elifdef B\nHERE\n#endif", "!(defined(A)) && (defined(B))"),
        ("#ifdef A\n#elifndef B\nHERE\n#endif", "!(defined(A)) && (!defined(B))"),
        ("#if A\n#if B\n#endif\nHERE\n#endif", "(A)"),
        ("#if A\n# /**/ if B\\\n && C\nHERE\n#endif\n#endif", "(A) && (B && C)"),
        ("%:if A\nHERE\n%:endif", "(A)"),
        ("#if A\r\nHERE\r\n#endif", "(A)"),
        ("x #if A\nHERE", None),  # not at the start of its line
        ("/* */ #if A\nHERE", "(A)"),
        ("// \\\n#if A\nHERE", None),
        ('"\\\n#if A\nHERE', None),
        ('R"(\n#if A\n)" HERE', None),
        ("#define X \\\n#if A\nHERE", None),
        ("#if A /*\n*/ && B\nHERE", "(A /*\n*/ && B)"),
        ("#ifdef\nHERE", "(defined())"),
        ("#if\nHERE", "()"),
    ],
)  # fmt: skip
def test_condition(text: str, expected: str | None) -> None:
    assert condition_of(text) == expected


def test_a_directive_belongs_to_what_is_before_it() -> None:
    text = "#if A\nx\n#else\ny\n#endif\nz"
    conditions = Document(text).conditions
    assert conditions.at(0) is None
    assert str(conditions.at(text.index("#else") + 3)) == "(A)"
    assert str(conditions.at(text.index("#endif"))) == "!(A)"
    assert conditions.at(len(text)) is None


def test_unbalanced_groups_are_reported() -> None:
    text = "#endif\n#else\n#if A\n#if B\n#endif\nx"
    conditions = Document(text).conditions
    assert conditions.stray == (0, text.index("#else"))
    assert conditions.unclosed == (text.index("#if A"),)
    assert str(conditions.at(len(text) - 1)) == "(A)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HERE", Presence.BOTH),
        ("#ifdef USE_ROCM\nHERE\n#endif", Presence.ONLY_FIRST),
        ("#ifdef USE_ROCM\n#else\nHERE\n#endif", Presence.ONLY_SECOND),
        ("#if defined(__CUDACC__) && V >= 11000\nHERE\n#endif", Presence.ONLY_SECOND),
        ("#if defined(__CUDACC__) && V >= 13000\nHERE\n#endif", Presence.NEITHER),
        ("#if defined(__CUDACC__) || defined(__HIPCC__)\nHERE\n#endif", Presence.BOTH),
        ("#if UNKNOWN\nHERE\n#endif", Presence.BOTH),
        ("#if 0\nHERE\n#endif", Presence.NEITHER),
        ("#if 0\n#else\nHERE\n#endif", Presence.BOTH),
        ("#if 1\n#elif UNKNOWN\nHERE\n#endif", Presence.NEITHER),
        ("#if UNKNOWN\n#elif defined(USE_ROCM)\n#else\nHERE\n#endif", Presence.ONLY_SECOND),
        ("#if 0\n#if UNKNOWN\nHERE\n#endif\n#endif", Presence.NEITHER),
        ("#if 0\n#if 1\n#else\nHERE\n#endif\n#endif", Presence.NEITHER),
        ("#ifndef X_H\n#define X_H\nHERE\n#endif", Presence.BOTH),
        ("#if (\nHERE\n#endif", Presence.BOTH),
    ],
)
def test_presence(text: str, expected: Presence) -> None:
    assert presence(Document(text).conditions.at(text.index("HERE")), ROCM, CUDA) is expected


LINES = st.lists(
    st.sampled_from(
        ["#if 0", "#if 1", "#if U", "#ifdef USE_ROCM", "#elif 1", "#elif U", "#else", "#endif", "x"]
    ),
    max_size=25,
)


@given(LINES)
def test_one_pass_agrees_with_each_question(lines: list[str]) -> None:
    conditions = Document("\n".join(lines)).conditions
    for facts in (ROCM, CUDA):
        assert list(active_regions(conditions, facts)) == [
            is_active(branch, facts) for branch in conditions.regions
        ]


@given(LINES)
def test_decided_regions_agree_with_a_preprocessor(lines: list[str]) -> None:
    """A small preprocessor, for both values of the unknown: where it is sure, so must it be."""
    numbered = [f"x{i}" if line == "x" else line for i, line in enumerate(lines)]
    text = "\n".join(numbered)
    kept = [_preprocess(numbered, unknown) for unknown in (False, True)]
    for line in numbered:
        if not line.startswith("x"):
            continue
        active = is_active(Document(text).conditions.at(text.index(line)), ROCM)
        if active is not None:
            assert [line in lines for lines in kept] == [active, active]


def _preprocess(lines: list[str], unknown: bool) -> set[str]:
    truth = {"0": False, "1": True, "U": unknown, "USE_ROCM": True}
    kept: set[str] = set()
    stack: list[tuple[bool, bool]] = []  # (active, a branch has been taken)
    for line in lines:
        around = all(active for active, _ in stack[:-1])
        if line.startswith("#if"):
            value = truth[line.split()[1]]
            stack.append((value, value))
        elif line.startswith(("#elif", "#else")):
            if stack:
                taken = stack[-1][1]
                value = truth[line.split()[1]] if line.startswith("#elif") else True
                stack[-1] = (not taken and value, taken or value)
        elif line == "#endif":
            if stack:
                stack.pop()
        elif around and (not stack or stack[-1][0]):
            kept.add(line)
    return kept
