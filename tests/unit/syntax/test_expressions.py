"""`#if` expressions in three-valued logic."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warp2wave.syntax.expressions import MacroFacts, evaluate

FACTS = MacroFacts({"THREE": 3, "DEFINED": None, "VERSION": 12040}, frozenset({"ABSENT"}))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        # names
        ("THREE", 3),
        ("ABSENT", 0),
        ("DEFINED", None),
        ("UNKNOWN", None),
        ("true", 1),
        ("false", 0),
        # defined
        ("defined(THREE)", 1),
        ("defined DEFINED", 1),
        ("defined ( ABSENT )", 0),
        ("defined(UNKNOWN)", None),
        ("!defined ABSENT && defined(THREE)", 1),
        # three values
        ("UNKNOWN && ABSENT", 0),
        ("ABSENT && UNKNOWN", 0),
        ("UNKNOWN && THREE", None),
        ("UNKNOWN || THREE", 1),
        ("THREE || UNKNOWN", 1),
        ("UNKNOWN || ABSENT", None),
        ("!UNKNOWN", None),
        ("THREE == 3 ? 1 : UNKNOWN", 1),
        ("UNKNOWN ? 2 : 2", 2),
        ("UNKNOWN ? 1 : 2", None),
        ("UNKNOWN * 0", None),
        # arithmetic, precedence, comparison
        ("1 + 2 * 3 == 7", 1),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("1 ? 2 : 0 ? 4 : 5", 2),
        ("0 ? 2 : 0 ? 4 : 5", 5),
        ("1 ? 0 ? 3 : 4 : 5", 4),
        ("VERSION >= 12000 && VERSION < 13000", 1),
        ("VERSION > 12040", 0),
        ("1 << 4 | 1", 17),
        ("256 >> 4", 16),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("~0 == -1", 1),
        ("!!3", 1),
        ("6 & 3 ^ 1", 3),
        ("THREE <= 3 && THREE != 4", 1),
        # literals
        ("0x10u == 16ULL", 1),
        ("0b101", 5),
        ("010", 8),
        ("1'000'000", 1000000),
        ("201703L", 201703),
        ("1.5", None),
        ("'a'", None),
        ('"a"', None),
        # alternative spellings, comments, continuations
        ("not ABSENT and THREE", 1),
        ("THREE /* x */ > // y", None),
        ("THREE /* x */ > 2 // y", 1),
        ("THREE > \\\n 2", 1),
        # calls
        ("__has_include(<a.h>)", None),
        ('__has_include("a.h") || 1', 1),
        ("VERSION_AT_LEAST(11, (0)) && ABSENT", 0),
        ("ABSENT(1)", None),
        # not known because it cannot be computed
        ("1 / 0", None),
        ("1 % ABSENT", None),
        ("1 << 1000000", None),
    ],
)
def test_value(expression: str, value: int | None) -> None:
    assert evaluate(expression, FACTS) == value


@pytest.mark.parametrize(
    "expression",
    ["", "(", ")", "(1", "1)", "defined", "defined(", "defined(X", "1 +", "+", "1 2", "? 1 : 2",
     "1 ? 2", "1 : 2", "a(", "&& 1", "1 = 1", "@", "#", "1 ? : 2", "(1 ? 2) : 3"],
)  # fmt: skip
def test_malformed_is_not_known(expression: str) -> None:
    assert evaluate(expression, FACTS) is None


@given(st.text(st.sampled_from("()!&|<>=?:+-*/%~^ 01aU'\"\\\n.,#")))
def test_any_text_gives_a_value(text: str) -> None:
    evaluate(text, FACTS)


def test_deep_nesting_needs_no_recursion() -> None:
    depth = 20_000
    assert evaluate("(" * depth + "1" + ")" * depth, FACTS) == 1
    assert evaluate("!" * depth + "1", FACTS) == 1
    assert evaluate("1 ? 1 : " * depth + "0", FACTS) == 1


# Random expressions over few names, judged by Python under every assignment of the unknown ones.
NAMES = ("P", "Q")
TREES = st.recursive(
    st.sampled_from([*NAMES, "0", "1", "2"]),
    lambda inner: st.one_of(
        st.tuples(st.just("!"), inner).map(lambda t: f"!({t[1]})"),
        st.tuples(inner, st.sampled_from(["&&", "||", "==", "!=", "<", ">=", "+", "*"]), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
    ),
    max_leaves=8,
)


def _python(expression: str, values: dict[str, int]) -> int:
    source = expression.replace("!=", "≠").replace("!", " not ").replace("≠", "!=")
    source = source.replace("&&", " and ").replace("||", " or ")
    # C's && and || give 0 or 1, Python's an operand; compare truth only.
    return bool(eval(source, {}, values))


@given(TREES)
@settings(max_examples=100)
def test_known_values_are_right_and_unknown_ones_allowed(tree: str) -> None:
    # Arithmetic on the result of && would differ between the languages, so truth is compared
    # for expressions whose logic stands outside arithmetic.
    logic_inside = any(f") {op} (" in tree for op in "+*") and ("&&" in tree or "||" in tree)
    if logic_inside or "== (" in tree or "!= (" in tree or "< (" in tree or ">= (" in tree:
        tree = tree.replace("&&", "*").replace("||", "+")
    for q in (0, 1, 2):
        known = evaluate(tree, MacroFacts({"Q": q}))
        outcomes = {_python(tree, {"P": p, "Q": q}) for p in (0, 1, 2)}
        if known is not None:
            assert outcomes == {bool(known)}
        complete = evaluate(tree, MacroFacts({"P": 1, "Q": q}))
        assert complete is not None
        assert bool(complete) == _python(tree, {"P": 1, "Q": q})
