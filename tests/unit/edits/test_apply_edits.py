"""Edits change exactly what they cover, whatever order they come in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warp2wave.model import Edit
from warp2wave.port.edits import EditConflictError, apply_edits


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text and edits of it that do not touch one another."""
    text = draw(st.text(alphabet=st.characters(), max_size=60))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    return text, [Edit(start, end, draw(st.text(max_size=5))) for start, end in spans]


@settings(deadline=None)
@given(texts_with_edits(), st.randoms())
def test_text_outside_the_spans_is_untouched_in_any_order(case, random) -> None:
    text, edits = case
    # The definition, walked from the front; the code works from the end.
    expected, at = "", 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        expected += text[at : edit.start] + edit.text
        at = edit.end
    expected += text[at:]
    shuffled = [*edits, *edits[:2]]  # a repeated edit counts once
    random.shuffle(shuffled)
    assert apply_edits(text, shuffled) == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from(["cudaMalloc", "x", " ", "\r\n", "(", "é", "\udc80"])))
def test_replacing_again_changes_nothing_more(words: list[str]) -> None:
    def rename(text: str) -> list[Edit]:
        found, at = [], text.find("cudaMalloc")
        while at >= 0:
            found.append(Edit(at, at + 10, "hipMalloc"))
            at = text.find("cudaMalloc", at + 10)
        return found

    text = "".join(words)
    once = apply_edits(text, rename(text))
    assert apply_edits(once, rename(once)) == once == text.replace("cudaMalloc", "hipMalloc")


def test_no_edits_give_the_same_text() -> None:
    assert apply_edits("a\r\nb", []) == "a\r\nb"


def test_insertions_beside_a_replacement_stay_outside_of_it() -> None:
    edits = [Edit(1, 2, "B"), Edit(1, 1, "("), Edit(2, 2, ")")]
    assert apply_edits("abc", edits) == "a(B)c"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 2, "x"), Edit(1, 3, "y")],  # overlap
        [Edit(0, 3, "x"), Edit(1, 2, "y")],  # one inside the other
        [Edit(0, 3, "x"), Edit(1, 1, "y")],  # an insertion inside
        [Edit(1, 1, "x"), Edit(1, 1, "y")],  # two insertions whose order nobody said
        [Edit(0, 2, "x"), Edit(0, 2, "y")],
        [Edit(2, 9, "x")],  # past the end
        [Edit(-1, 1, "x")],
        [Edit(2, 1, "x")],
    ],
)
def test_edits_that_cannot_all_hold_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(EditConflictError):
        apply_edits("abcd", edits)
