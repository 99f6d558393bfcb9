"""CMake tokens join to the text; commands and arguments have their exact places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warp2wave.syntax.cmake import commands, tokens


@given(st.text(alphabet='ab$<>{}()[]=#"\\ \r\n;é', max_size=60))
def test_nothing_of_a_text_is_lost(text: str) -> None:
    assert "".join(token.text for token in tokens(text)) == text
    for command in commands(text):
        for argument in command.arguments:
            assert text[argument.start : argument.end] == argument.text


def test_arguments_lose_their_quotes_and_brackets() -> None:
    (command,) = commands('Set(A "b \\" c" [=[d ]] e]=] ${F} # no )\n g)')
    assert command.name == "set"
    assert command.words == ("A", 'b \\" c', "d ]] e", "${F}", "g")


def test_comments_are_no_commands() -> None:
    assert [c.name for c in commands("#[[ a(b) ]] c(d)\n# e(f)\ng()")] == ["c", "g"]


def test_parentheses_in_conditions_nest() -> None:
    assert commands("if(A AND (B OR C))")[0].words == ("A", "AND", "B", "OR", "C")
