"""Names spelled alike: pairs of neighbouring letters first, then difflib on the best few."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

# difflib on every name takes half a second for the whole map; on this many it is not felt.
SHORTLIST = 60
WORTH_SHOWING = 0.6


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}


def nearest(name: str, names: Iterable[str], count: int) -> tuple[str, ...]:
    """The `count` of `names` most like `name`, best first, letter case counting little."""
    wanted = name.lower()
    pairs = _pairs(wanted)
    size = len(pairs)
    scored = []
    for candidate in names:
        if abs(len(candidate) - len(name)) > max(3, len(name) // 2):
            continue
        others = _pairs(candidate.lower())
        common = len(pairs & others)
        if common:
            scored.append((2 * common / (size + len(others)), candidate))
    scored.sort(key=lambda item: (-item[0], item[1]))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    ranked = []
    for _, candidate in scored[:SHORTLIST]:
        matcher.set_seq1(candidate.lower())
        ratio = matcher.ratio()
        if ratio >= WORTH_SHOWING:
            ranked.append((-ratio, candidate != name, candidate))
    ranked.sort()
    return tuple(candidate for _, _, candidate in ranked[:count])
