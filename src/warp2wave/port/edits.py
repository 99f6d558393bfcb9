"""Change text by edits, and show the change as a patch. The only code that changes user text.

An edit names a span of characters of one text and what stands there instead. Edits are sorted,
equal ones merged, overlapping ones refused, so the result never depends on the order in which
rules ran. The patch is byte-faithful: lines end at "\\n" only, so carriage returns, form feeds and
bytes that are not UTF-8 (kept as lone surrogates) come through, and `git apply` takes it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from warp2wave.model import Edit

CONTEXT_LINES = 3
# SequenceMatcher is quadratic in the worst case; larger gaps are shown as replaced whole.
LARGEST_GAP = 4_000_000

_Block = tuple[int, int, int]


class EditConflictError(ValueError):
    """Edits that overlap, lie outside the text, or insert different things at one place."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with every edit applied; what no edit covers is untouched.

    An insertion (start == end) next to a replacement is no overlap: it lands outside of it. Raises
    EditConflictError when the edits cannot all hold.
    """
    ordered = sorted(set(edits), key=lambda edit: (edit.start, edit.end))
    before: Edit | None = None
    for edit in ordered:
        if not 0 <= edit.start <= edit.end <= len(text):
            raise EditConflictError(
                f"an edit of [{edit.start}, {edit.end}) lies outside a text of {len(text)}"
            )
        if before is not None and (
            edit.start < before.end or (edit.start, edit.end) == (before.start, before.end)
        ):
            raise EditConflictError(
                f"edits of [{before.start}, {before.end}) and [{edit.start}, {edit.end}) conflict"
            )
        before = edit
    pieces: list[str] = []
    rest = len(text)
    for edit in reversed(ordered):
        pieces += (text[edit.end : rest], edit.text)
        rest = edit.start
    pieces.append(text[:rest])
    return "".join(reversed(pieces))


def changed_lines(old: str, new: str) -> tuple[int, int]:
    """Count the lines that `new` takes from `old` and adds to it: (removed, added)."""
    first, second = _lines(old), _lines(new)
    kept = sum(size for _, _, size in _matching_blocks(first, second))
    return len(first) - kept, len(second) - kept


def source_line(old: str, new: str, line: int) -> int:
    """Return the line of `old` that a line of `new` comes from, or the one it replaced; from 1."""
    if old == new:
        return line
    for a0, a1, b0, b1, _ in _opcodes(_lines(old), _lines(new)):
        if line - 1 < b1:
            return min(a0 + line - b0, max(a1, 1))
    return max(len(_lines(old)), 1)


def unified_diff(path: str | PurePosixPath, old: str | None, new: str | None) -> str:
    """Return the change of one file as a patch in git's form ("" when nothing changes).

    None stands for no file: `old` None for a new file, `new` None for a removed one. `path` is
    relative, with "/". Encode the result as UTF-8 with surrogateescape to get its bytes.
    """
    if old == new:
        return ""
    name = str(path)
    left, right = _quoted("a/" + name), _quoted("b/" + name)
    head = [f"diff --git {left} {right}\n"]
    if old is None:
        head.append("new file mode 100644\n")
    if new is None:
        head.append("deleted file mode 100644\n")
    first, second = _lines(old or ""), _lines(new or "")
    hunks = [line for hunk in _hunks(first, second) for line in hunk]
    if hunks:
        # git ends a name that has a space with a tab, so that the name's end is known.
        end = "\t\n" if " " in name else "\n"
        head.append("--- /dev/null\n" if old is None else f"--- {left}{end}")
        head.append("+++ /dev/null\n" if new is None else f"+++ {right}{end}")
    return "".join(head + hunks)


def _lines(text: str) -> list[str]:
    """Split after each "\\n" and nowhere else."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _quoted(name: str) -> str:
    """Spell a path as git does: in C quotes when a byte of it is not printable ASCII."""
    data = name.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in data):
        return name
    named = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
    return '"' + "".join(_c_escape(byte, named) for byte in data) + '"'


def _c_escape(byte: int, named: dict[int, str]) -> str:
    if byte in named:
        return "\\" + named[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _hunks(first: Sequence[str], second: Sequence[str]) -> Iterator[list[str]]:
    """Yield each hunk as its lines, header first."""
    for group in _grouped(_opcodes(first, second)):
        i0, i1, j0, j1 = group[0][0], group[-1][1], group[0][2], group[-1][3]
        lines = [f"@@ -{_range(i0, i1)} +{_range(j0, j1)} @@\n"]
        for a0, a1, b0, b1, same in group:
            if same:
                lines += (_patch_line(" ", line) for line in first[a0:a1])
            else:
                lines += (_patch_line("-", line) for line in first[a0:a1])
                lines += (_patch_line("+", line) for line in second[b0:b1])
        yield lines


def _patch_line(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> str:
    length = stop - start
    # A range of no lines is named by the line before it.
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


_Opcode = tuple[int, int, int, int, bool]


def _opcodes(first: Sequence[str], second: Sequence[str]) -> list[_Opcode]:
    """Cover both texts by spans (a0, a1, b0, b1, same), in order."""
    codes: list[_Opcode] = []
    i = j = 0
    for a, b, size in [*_matching_blocks(first, second), (len(first), len(second), 0)]:
        if i < a or j < b:
            codes.append((i, a, j, b, False))
        if size:
            codes.append((a, a + size, b, b + size, True))
        i, j = a + size, b + size
    return codes


def _grouped(codes: Sequence[_Opcode]) -> Iterator[list[_Opcode]]:
    """Join changes that share context lines into one group, context cut to CONTEXT_LINES."""
    group: list[_Opcode] = []
    for index, (a0, a1, b0, b1, same) in enumerate(codes):
        if not same:
            group.append((a0, a1, b0, b1, False))
            continue
        last = index == len(codes) - 1
        if index == 0:
            start = max(0, a1 - a0 - CONTEXT_LINES)
            group.append((a0 + start, a1, b0 + start, b1, True))
        elif last or a1 - a0 > 2 * CONTEXT_LINES:
            stop = min(CONTEXT_LINES, a1 - a0)
            yield [*group, (a0, a0 + stop, b0, b0 + stop, True)]
            group = [] if last else [(a1 - CONTEXT_LINES, a1, b1 - CONTEXT_LINES, b1, True)]
        else:
            group.append((a0, a1, b0, b1, True))
    if any(not code[4] for code in group):
        yield group


def _matching_blocks(first: Sequence[str], second: Sequence[str]) -> list[_Block]:
    """Find the runs of equal lines (start in first, start in second, length), in order.

    Lines that occur once in both texts anchor the match (a patience diff), which keeps a large
    file with many small changes near linear; only the gaps between anchors go to difflib.
    """
    blocks: list[_Block] = []
    todo = [(0, len(first), 0, len(second))]
    while todo:
        a0, a1, b0, b1 = todo.pop()
        size = 0
        while a0 + size < a1 and b0 + size < b1 and first[a0 + size] == second[b0 + size]:
            size += 1
        if size:
            blocks.append((a0, b0, size))
        a0, b0 = a0 + size, b0 + size
        size = 0
        while a0 < a1 - size and b0 < b1 - size and first[a1 - 1 - size] == second[b1 - 1 - size]:
            size += 1
        if size:
            blocks.append((a1 - size, b1 - size, size))
        a1, b1 = a1 - size, b1 - size
        if a0 == a1 or b0 == b1:
            continue
        anchors = _anchors(first, second, (a0, a1, b0, b1))
        if anchors:
            i, j = a0, b0
            for a, b in anchors:
                todo.append((i, a, j, b))
                blocks.append((a, b, 1))
                i, j = a + 1, b + 1
            todo.append((i, a1, j, b1))
        elif (a1 - a0) * (b1 - b0) <= LARGEST_GAP:
            matcher = SequenceMatcher(None, first[a0:a1], second[b0:b1], autojunk=False)
            blocks += ((a0 + a, b0 + b, n) for a, b, n in matcher.get_matching_blocks() if n)
    return _merged(sorted(block for block in blocks if block[2]))


def _merged(blocks: Sequence[_Block]) -> list[_Block]:
    """Join blocks that follow one another without a gap in both texts."""
    merged: list[_Block] = []
    for a, b, size in blocks:
        if merged and merged[-1][0] + merged[-1][2] == a and merged[-1][1] + merged[-1][2] == b:
            merged[-1] = (merged[-1][0], merged[-1][1], merged[-1][2] + size)
        else:
            merged.append((a, b, size))
    return merged


def _anchors(
    first: Sequence[str], second: Sequence[str], bounds: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Pair the lines that occur once on each side, keeping the longest run of rising pairs."""
    a0, a1, b0, b1 = bounds
    left, right = _once(first, a0, a1), _once(second, b0, b1)
    pairs = [(a, right[line]) for line, a in left.items() if line in right]
    # Longest increasing subsequence: `tails[k]` ends the best run of length k + 1.
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, b) in enumerate(pairs):
        at = bisect_left(tails, b)
        before.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(b)
            ends.append(index)
        else:
            tails[at], ends[at] = b, index
    run: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _once(lines: Sequence[str], start: int, stop: int) -> dict[str, int]:
    """Map each line that occurs exactly once in [start, stop) to its index, in order."""
    seen: dict[str, int] = {}
    for index in range(start, stop):
        line = lines[index]
        seen[line] = -1 if line in seen else index
    return {line: index for line, index in seen.items() if index >= 0}
