"""Carry out one step: look in the cache, precompile what is worth it, compile, keep the result."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from warp2wave.build import pch
from warp2wave.build.cache import FileHashes, key_of, look_up, read_depfile, store
from warp2wave.build.diagnostics import first_failure
from warp2wave.build.processes import Finished, Runner
from warp2wave.build.steps import Step
from warp2wave.model import CompileFailure


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a step: its output in the cache, or its failure; `said` is the compiler's."""

    output: Path | None
    said: str
    seconds: float
    cached: bool
    failure: CompileFailure | None


class Precompiler:
    """The precompiled headers of one build; each is made once, by the first step that needs it."""

    def __init__(self, root: Path, cache: Path, runner: Runner) -> None:
        self._root, self._cache, self._runner = root, cache, runner
        self._folders: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._lock = threading.Lock()
        self._made: dict[str, tuple[threading.Lock, list[pch.Pch | None]]] = {}

    def find(self, step: Step) -> pch.Pch | None:
        """A precompiled header that provably changes nothing for this step, else None."""
        text = pch.preprocess(step, self._root, self._runner)
        if text is None:
            return None  # the compiler itself shall say what is wrong
        wanted = pch.plan(step, text, self._search_dirs(step))
        if wanted is None or not pch.pays(wanted, self._cache):
            return None
        with self._lock:
            lock, made = self._made.setdefault(wanted.key, (threading.Lock(), []))
        with lock:
            if not made:
                made.append(pch.obtain(wanted, self._cache, self._runner))
        found = made[0]
        if found is None:
            return None
        same = pch.changes_nothing(step, text, found, self._root, self._runner)
        return found if same else None

    def _search_dirs(self, step: Step) -> tuple[str, ...]:
        with self._lock:
            known = self._folders.get(step.shared)
        if known is None:
            known = pch.search_dirs(step, self._runner)
            with self._lock:
                self._folders[step.shared] = known
        return known


def run_step(
    step: Step,
    root: Path,
    cache: Path,
    header_names: Sequence[str],
    hashes: FileHashes,
    runner: Runner,
    precompiler: Precompiler | None,
) -> Outcome:
    """Give the step's stored result, or run the compiler and store what it made.

    A failure is not stored: what a later run needs may be put right outside the tree. Its log is
    kept under `cache`. Raises OSError where the compiler cannot be started, Cancelled when stopped.
    """
    key = key_of(step, header_names)
    found = look_up(cache, key, hashes)
    if found is not None:
        return Outcome(found.output, found.said, 0.0, True, None)
    started, started_ns = time.monotonic(), time.time_ns()
    header = None
    if precompiler is not None and step.dialect == "clang":
        header = precompiler.find(step)
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".compiling-", dir=cache) as work:
        output, depfile = Path(work) / f"unit{step.suffix}", Path(work) / "unit.d"
        done = runner.run(step.compile_argv(output, depfile, header.flags if header else ()), root)
        if header is not None and done.status != 0 and _blames_header(done, header):
            pch.forget(header)
            header = None
            done = runner.run(step.compile_argv(output, depfile), root)
        seconds = time.monotonic() - started
        if done.status != 0 or not output.is_file():
            log = _write_log(cache, key, step, done.output)
            source = str(step.source)
            failure = first_failure(done.output, root, source, str(log), done.status)
            return Outcome(None, done.output, seconds, False, failure)
        text = depfile.read_bytes().decode("utf-8", "surrogateescape")
        # What was precompiled is listed header by header; its own two files come and go.
        made = (str(header.source), str(header.file)) if header is not None else ()
        read = [name for name in read_depfile(text) if name not in made]
        kept = store(cache, key, read, hashes, output, done.output, started_ns)
        return Outcome(kept.output, kept.said, seconds, False, None)


def _blames_header(done: Finished, header: pch.Pch) -> bool:
    """True if the compiler refused the precompiled header itself, after an update for example."""
    return header.file.name in done.output or "PCH" in done.output


def _write_log(cache: Path, key: str, step: Step, said: str) -> Path:
    folder = cache / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{step.source.stem}-{step.kind}-{step.arch}-{key[:12]}.log"
    argv = " ".join(step.compile_argv(Path("OUTPUT"), Path("DEPFILE")))
    log.write_text(f"{argv}\n\n{said}", encoding="utf-8", errors="surrogateescape")
    return log
