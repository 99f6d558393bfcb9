"""Ask git whether a tree holds work that is not committed, without running anything of the tree."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath

from warp2wave import journal as journals
from warp2wave.tree import COMPAT_FOLDER, STATE_FOLDER, digest, open_root, walk

SECONDS = 60


def uncommitted_changes(root: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the files under `root`, relative to it, that git has no committed version of.

    These are changed tracked files and untracked sources. What the port itself wrote does not
    count, so that porting again needs no commit in between. Empty when git is missing, when `root`
    is in no repository, or when git refuses the repository. Hooks, monitors, submodules and the
    repository's own filter programs are kept from running.
    """
    top = open_root(root)
    prefix = _git(top, {}, "rev-parse", "--show-prefix")
    if prefix is None:
        return ()
    below = prefix.removesuffix(b"\n")
    status = _git(
        top,
        _without_filters(top),
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=all",
        "--no-renames",
        "--",
        ".",
    )
    if not status:
        return ()
    written = _written(top)
    sources: set[PurePosixPath] | None = None
    changed: list[str] = []
    for record in status.split(b"\0"):
        mark, name = record[:2], record[3:]
        if not name or not name.startswith(below):
            continue
        path = PurePosixPath(os.fsdecode(name[len(below) :]))
        if path.parts[:1] in ((COMPAT_FOLDER,), (STATE_FOLDER,)):
            continue
        if mark == b"??":
            if sources is None:
                sources = set(walk(top).sources)
            if path not in sources:
                continue
        if path in written and _digest(top / path) == written[path]:
            continue
        changed.append(str(path))
    return tuple(sorted(changed))


def _written(top: Path) -> dict[PurePosixPath, str | None]:
    journal = journals.load(top)
    return {entry.path: entry.written for entry in journal.entries} if journal else {}


def _digest(place: Path) -> str | None:
    try:
        return digest(place.read_bytes())
    except OSError:
        return None


def _without_filters(top: Path) -> dict[str, str]:
    """Return an environment that switches off filter programs set by the repository itself.

    `git status` runs them over changed files. Those that the user set for all repositories stay.
    """
    listed = _git(top, {}, "config", "--show-scope", "-z", "--get-regexp", r"^filter\..*\.")
    settings: list[tuple[str, str]] = []
    fields = (listed or b"").split(b"\0")
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        key = os.fsdecode(setting.split(b"\n", 1)[0])
        if scope in (b"local", b"worktree"):
            settings.append((key, "false" if key.endswith(".required") else ""))
    environment = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


def _git(top: Path, extra: dict[str, str], *arguments: str) -> bytes | None:
    """Run git in `top`; its output, or None when it is missing, refuses or takes too long."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", **extra}
    command = [
        "git",
        "--no-optional-locks",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        *arguments,
    ]
    try:
        done = subprocess.run(
            command,
            cwd=top,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
