"""Functions with a body: where each stands, what it is called, and on which side it runs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warp2wave.syntax.code import Code, Span
from warp2wave.syntax.keywords import ATTRIBUTES
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.postfix import qualified_start
from warp2wave.syntax.tokens import TokenKind

_CONTROL = frozenset(("if", "while", "for", "switch", "catch", "constexpr"))
_AFTER_PARAMETERS = frozenset(("const", "noexcept", "override", "final", "mutable", "volatile"))
_ENDS_DECLARATION = frozenset((";", "{", "}", "<%", "%>"))
_DEVICE_WORDS = frozenset(("__device__", "__global__"))
# Macros of PyTorch and of much other code that stand for these attributes.
_DEVICE_SUFFIXES = ("_DEVICE", "HOST_DEVICE", "_HD", "DEVICE_INLINE", "_HDINLINE", "_DEV")


@dataclass(frozen=True, slots=True)
class Function:
    """One function or lambda with a body; positions are indices into its `Code`.

    `opening` and `closing` are those of the braces; `parameters` of the parameters' `(` (-1 for a
    lambda without). `name` is "" for a lambda. `first` is where its declaration begins.
    `is_kernel`: `__global__`. `is_device`: may run on the GPU, a `__host__ __device__` one too.
    `is_host`: may run on the CPU. Words that macros of the tree stand for are not followed, but
    names such as `C10_HOST_DEVICE` count.
    """

    name: str
    first: int
    parameters: int
    opening: int
    closing: int
    is_kernel: bool
    is_device: bool
    is_host: bool
    is_lambda: bool

    def body(self, code: Code) -> Span:
        """The characters of the body, braces included."""
        return code.span(self.opening, self.closing)


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions of one piece of code by where their bodies open; lambdas lie inside others."""

    named: tuple[Function, ...]
    lambdas: tuple[Function, ...]

    def at(self, position: int) -> Function | None:
        """Return the named function around a position: those do not nest."""
        return _last_around(self.named, position, 1)

    def innermost(self, position: int) -> Function | None:
        """Return the innermost lambda around a position, else the named function."""
        return _last_around(self.lambdas, position, 16) or self.at(position)


def _last_around(functions: Sequence[Function], position: int, look_back: int) -> Function | None:
    index = bisect_right(functions, position, key=lambda function: function.opening)
    for function in reversed(functions[max(0, index - look_back) : index]):
        if position <= function.closing:
            return function
    return None


def find_functions(code: Code) -> Functions:
    """Return the functions of a piece of code, in order of their opening braces."""
    found = tuple(_functions(code))
    return Functions(
        tuple(function for function in found if not function.is_lambda),
        tuple(function for function in found if function.is_lambda),
    )


def _functions(code: Code) -> Iterator[Function]:
    inside = -1  # the closing brace of the function around, blocks in it are no functions
    for position, lexeme in enumerate(code.lexemes):
        if lexeme not in ("{", "<%"):
            continue
        closing = code.partner(position)
        if closing < 0:
            continue
        parameters = _parameters(code, position)
        if parameters is None:
            continue
        before = _capture_end(code, parameters)
        if code.lexeme(before) in ("]", ":>") or code.lexeme(parameters) in ("]", ":>"):
            yield _lambda(code, parameters, position, closing)
            continue
        if position < inside:
            continue
        function = _named(code, parameters, position, closing)
        if function is not None:
            inside = closing
            yield function


def _capture_end(code: Code, parameters: int) -> int:
    """Return what stands before a parameter list and the attributes of a lambda before it."""
    before = parameters - 1
    while code.lexeme(before) in ("__device__", "__host__", "__forceinline__"):
        before -= 1
    return before


def _parameters(code: Code, brace: int) -> int | None:
    """Return the `(` of the parameters before a body's brace, or a lambda's `]`; None: no body."""
    position = brace - 1
    steps = 0
    while position > 0 and steps < 64:
        steps += 1
        lexeme = code.lexemes[position]
        if lexeme in ("]", ":>"):
            return position if _is_capture(code, position) else None
        if lexeme == ")":
            opening = code.partner(position)
            if opening < 1:
                return None
            before = code.lexemes[opening - 1]
            if before in _CONTROL:
                return None
            if before in ("noexcept", "throw", "requires", "decltype", "__attribute__"):
                position = opening - 2
                continue
            if _initialises(code, opening):
                position = _before_initialisers(code, opening)
                continue
            return opening
        is_type = code.kinds[position] in (TokenKind.NAME, TokenKind.GREATER)
        if lexeme in _AFTER_PARAMETERS or is_type or lexeme in ("->", "::", "*", "&", "&&"):
            if lexeme in ("struct", "class", "enum", "namespace", "union", "else", "do", "try"):
                return None
            if code.kinds[position] == TokenKind.GREATER:
                position = code.angles.partners.get(position, position)
            position -= 1
            continue
        opening = code.partner(position) if lexeme == "}" else -1
        if opening > 0 and _initialises(code, opening):
            # `A() : x{1} {`: the braces of an initialiser.
            position = _before_initialisers(code, opening)
            continue
        return None
    return None


def _initialises(code: Code, opening: int) -> bool:
    """Say whether `name(` or `name{` at `opening` follows `:` or `,` of an initialiser list."""
    name = opening - 1
    if not code.is_name(name):
        return False
    before = code.lexeme(qualified_start(code, name) - 1)
    if before == ":":
        return code.lexeme(qualified_start(code, name) - 2) in (")", "noexcept")
    return (
        before == ","
        and code.brackets.enclosing(name) == code.brackets.enclosing(opening)
        and (code.lexeme(qualified_start(code, name) - 2) in (")", "}"))
    )


def _before_initialisers(code: Code, opening: int) -> int:
    return qualified_start(code, opening - 1) - 2


def _is_capture(code: Code, closing: int) -> bool:
    opening = code.partner(closing)
    if opening < 0:
        return False
    before = code.lexeme(opening - 1)
    return not (
        code.is_name(opening - 1) and before not in ("return", "co_return", "else")
    ) and before not in (")", "]", "[")


def _lambda(code: Code, parameters: int, opening: int, closing: int) -> Function:
    has_list = code.lexemes[parameters] == "("
    capture = _capture_end(code, parameters) if has_list else parameters
    first = max(code.partner(capture), 0)
    words = set(code.lexemes[first:opening])
    device = not _DEVICE_WORDS.isdisjoint(words)
    host = not device or "__host__" in words
    at = parameters if has_list else -1
    return Function("", first, at, opening, closing, False, device, host, True)


def _named(code: Code, parameters: int, opening: int, closing: int) -> Function | None:
    last = parameters - 1
    if not code.is_name(last):
        return None
    name = spelling(code.lexemes[last])
    if name in ATTRIBUTES:
        return None
    first = last
    steps = 0
    while first > 0 and code.lexemes[first - 1] not in _ENDS_DECLARATION and steps < 256:
        steps += 1
        before = first - 1
        if code.lexemes[before] == ":" and code.lexeme(before - 1) in (
            "public",
            "private",
            "protected",
        ):
            break
        partner = code.partner(before) if code.kinds[before] == TokenKind.CLOSE else -1
        first = partner if partner >= 0 else before
    words = {spelling(lexeme) for lexeme in code.lexemes[first:last]}
    kernel = "__global__" in words
    marked = not _DEVICE_WORDS.isdisjoint(words) or any(w.endswith(_DEVICE_SUFFIXES) for w in words)
    both = "__host__" in words or any(
        "HOST" in w or w.endswith("_HD") for w in words if w.isupper()
    )
    host = not marked or (both and not kernel)
    return Function(name, first, parameters, opening, closing, kernel, marked, host, False)
