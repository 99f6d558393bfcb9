"""Kernel launches: `kernel<<<grid, block, shared, stream>>>(arguments)`."""

from __future__ import annotations

from dataclasses import dataclass

from warp2wave.syntax.angles import LaunchBrackets
from warp2wave.syntax.code import Code, Span
from warp2wave.syntax.conditions import Condition
from warp2wave.syntax.document import Document
from warp2wave.syntax.macros import Macro
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.postfix import postfix_start, qualified_start, template_opening
from warp2wave.syntax.tokens import TokenKind


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch; all spans are characters of the document's text.

    `kernel` is the launched expression with its template arguments, `name` its last identifier
    ("" where it ends in none, as `(*f)` does) and `template_arguments` those of that name.
    `opening` covers `<<<` and `closing` `>>>`; where `is_spaced`, there are blanks in one of them.
    `configuration` holds what stands between them, split: grid, block, shared memory, stream.
    `arguments` are the call's, `call` spans them with their parentheses; None where a macro's
    body leaves them to its arguments. `macro` is the macro in whose body the launch stands.
    """

    start: int
    end: int
    kernel: Span
    name: str
    template_arguments: tuple[Span, ...]
    opening: Span
    closing: Span
    configuration: tuple[Span, ...]
    call: Span | None
    arguments: tuple[Span, ...]
    condition: Condition | None
    macro: Macro | None

    @property
    def is_spaced(self) -> bool:
        """True for `<< <` or `>> >`, which nvcc accepts and clang does not."""
        lengths = (self.opening.end - self.opening.start, self.closing.end - self.closing.start)
        return lengths != (3, 3)

    def _configured(self, index: int) -> Span | None:
        return self.configuration[index] if index < len(self.configuration) else None

    @property
    def grid(self) -> Span | None:
        """The grid's dimensions."""
        return self._configured(0)

    @property
    def block(self) -> Span | None:
        """The block's dimensions."""
        return self._configured(1)

    @property
    def shared(self) -> Span | None:
        """The bytes of dynamic shared memory, None where not given."""
        return self._configured(2)

    @property
    def stream(self) -> Span | None:
        """The stream, None where not given."""
        return self._configured(3)


def _read_launch(
    document: Document, code: Code, macro: Macro | None, marks: LaunchBrackets
) -> Launch:
    last = marks.open_first - 1
    first = postfix_start(code, last)
    opening = code.span(marks.open_first, marks.open_last)
    kernel = code.span(first, last) if first <= last else Span(opening.start, opening.start)
    name = ""
    template_arguments: tuple[Span, ...] = ()
    name_at = last
    if first <= last and (angle := template_opening(code, last)) > 0:
        name_at = angle - 1
        template_arguments = code.split(angle, last)
    if first <= name_at and code.is_name(name_at):
        pasted = code.lexeme(name_at - 1) == "##"
        start = qualified_start(code, name_at) if pasted else name_at
        name = spelling("".join(code.lexemes[start : name_at + 1]))
    call: Span | None = None
    arguments: tuple[Span, ...] = ()
    end = code.ends[marks.close_last]
    parenthesis = marks.close_last + 1
    if (closing := code.partner(parenthesis)) > parenthesis:
        call = code.span(parenthesis, closing)
        arguments = code.split(parenthesis, closing)
        end = call.end
    return Launch(
        start=kernel.start,
        end=end,
        kernel=kernel,
        name=name,
        template_arguments=template_arguments,
        opening=opening,
        closing=code.span(marks.close_first, marks.close_last),
        configuration=code.split(marks.open_last, marks.close_first),
        call=call,
        arguments=arguments,
        condition=document.conditions.at(kernel.start),
        macro=macro,
    )


def find_launches(document: Document) -> tuple[Launch, ...]:
    """Return the launches of a document by where they start, those in macro bodies included.

    `<<<` in comments, strings and `#error` texts is none, nor is one that no `>>>` closes in the
    same statement.
    """
    if document.text.count("<") < 3 or TokenKind.LESS not in document.tokens.kinds:
        return ()
    found = [
        _read_launch(document, code, macro, marks)
        for code, macro in document.pieces
        if TokenKind.LESS in code.kinds and TokenKind.GREATER in code.kinds
        for marks in code.angles.launches
    ]
    return tuple(sorted(found, key=lambda launch: (launch.start, launch.opening.start)))
