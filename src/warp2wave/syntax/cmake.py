"""CMake files as tokens that lose nothing, and the commands that they make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>\#\[(?P<a>=*)\[.*?(?:\](?P=a)\]|\Z)|\#[^\r\n]*)
    |(?P<space>\s+)
    |(?P<bracket>\[(?P<b>=*)\[.*?(?:\](?P=b)\]|\Z))
    |(?P<quoted>"(?:[^"\\]|\\.)*(?:"|\\?\Z))
    |(?P<open>\()
    |(?P<close>\))
    |(?P<bare>(?:\\.|\$<[^\s()"\#]*|[^\s()"\#\\])(?:\\.|"[^"\r\n]*"|[^\s()"\#\\])*)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: the characters [start, end); the tokens of a text join to the text."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument, without its quotes or brackets; [start, end) is the value's own place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command; the name is in lower case, [start, end) is the name's place."""

    name: str
    start: int
    end: int
    arguments: tuple[Argument, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The texts of the arguments."""
        return tuple(argument.text for argument in self.arguments)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a CMake file, blanks and comments too."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind in "ab":
            kind = "comment" if match["comment"] else "bracket"
        yield Token(kind, match.start(), match.end(), match[0])


def commands(text: str) -> tuple[Command, ...]:
    """Return the commands in order. Text that is cut off gives what can be told."""
    found: list[Command] = []
    name: Token | None = None
    depth = 0
    arguments: list[Argument] = []
    for token in tokens(text):
        if token.kind in ("space", "comment"):
            continue
        if token.kind == "open":
            depth += 1
        elif token.kind == "close":
            depth = max(0, depth - 1)
            if not depth and name is not None:
                command = Command(name.text.lower(), name.start, name.end, tuple(arguments))
                found.append(command)
                name, arguments = None, []
        elif depth:
            arguments.append(_argument(token))
        else:
            name, arguments = (token if token.kind == "bare" else None), []
    return tuple(found)


def _argument(token: Token) -> Argument:
    before = after = 0
    if token.kind == "quoted":
        before = 1
        after = int(len(token.text) > 1 and token.text.endswith('"'))
    elif token.kind == "bracket":
        before = token.text.index("[", 1) + 1
        after = before if token.text.endswith("]" + "=" * (before - 2) + "]") else 0
    end = max(token.start + before, token.end - after)
    return Argument(token.start + before, end, token.text[before : end - token.start])
