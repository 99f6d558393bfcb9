"""Run the rules over many files on several cores; the findings are the same as on one."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import PurePosixPath

from warp2wave.model import Finding
from warp2wave.rules.check import check_view
from warp2wave.rules.context import Context
from warp2wave.rules.registry import all_rules
from warp2wave.rules.rule import FileKind, Rule
from warp2wave.rules.view import View
from warp2wave.targets import Target

Progress = Callable[[int, int], None]
"""Called with the files done and their number."""
WORTH_PROCESSES = 4_000_000
"""Characters from which starting processes (a quarter of a second each) pays."""
_Plain = tuple[PurePosixPath, str, FileKind, bool]


def check_everything(
    views: Sequence[View],
    rules: Sequence[Rule],
    context: Context,
    *,
    jobs: int = 1,
    on_progress: Progress | None = None,
) -> tuple[Finding, ...]:
    """Return the findings of all files in their order, silenced ones too."""
    if jobs > 1 and len(views) > 1 and sum(len(v.text) for v in views) >= WORTH_PROCESSES:
        try:
            return _counted(_spread(views, rules, context, jobs), len(views), on_progress)
        except (BrokenProcessPool, OSError):
            pass  # no processes to be had here: one core does it
    alone = (check_view(view, rules, context, suppressed=True) for view in views)
    return _counted(alone, len(views), on_progress)


def _counted(
    results: Iterator[tuple[Finding, ...]], total: int, on_progress: Progress | None
) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for done, findings in enumerate(results, 1):
        found += findings
        if on_progress is not None:
            on_progress(done, total)
    return tuple(found)


def _spread(
    views: Sequence[View], rules: Sequence[Rule], context: Context, jobs: int
) -> Iterator[tuple[Finding, ...]]:
    plain = tuple((view.path, view.text, view.kind, view.native) for view in views)
    codes = frozenset(rule.code for rule in rules)
    with ProcessPoolExecutor(
        min(jobs, len(views)),
        # A fork would copy the threads of a progress bar or of the caller in mid-step.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(plain, codes, context.targets),
    ) as pool:
        yield from pool.map(_check, range(len(views)), chunksize=4)


class _Work:
    """What one worker process holds."""

    views: tuple[View, ...] = ()
    rules: tuple[Rule, ...] = ()
    context: Context


def _start(plain: tuple[_Plain, ...], codes: frozenset[str], targets: tuple[Target, ...]) -> None:
    _Work.views = tuple(View(path, text, kind, native=native) for path, text, kind, native in plain)
    _Work.rules = tuple(rule for rule in all_rules() if rule.code in codes)
    _Work.context = Context(_Work.views, targets)


def _check(index: int) -> tuple[Finding, ...]:
    return check_view(_Work.views[index], _Work.rules, _Work.context, suppressed=True)
