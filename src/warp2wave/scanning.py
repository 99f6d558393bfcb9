"""Scan a tree for hazards: read it, run the rules, count. Nothing of it is executed or changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from warp2wave.config import Config, load_config
from warp2wave.errors import UsageError
from warp2wave.estimate import Estimate, estimate
from warp2wave.inventory import Inventory, take_inventory
from warp2wave.model import Finding, SkippedFile, SourceFile
from warp2wave.project import ProjectReading, read_project
from warp2wave.rules.context import Context
from warp2wave.rules.registry import all_rules
from warp2wave.rules.rule import FileKind, Rule
from warp2wave.rules.suppression import read_suppressions
from warp2wave.rules.view import View
from warp2wave.scan_workers import Progress, check_everything
from warp2wave.targets import DEFAULT_TARGETS, Target, find_target
from warp2wave.third_party import find_third_party
from warp2wave.tree import decode, is_source, matcher, read_bytes, read_source, walk

_LARGEST_BUILD_FILE = 1024 * 1024
# A Python file that is no build script can only matter where it compiles an extension itself.
_COMPILES = ("cpp_extension", "load_inline", "CUDAExtension")


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan found. `root` is the folder, or the folder of the one file that was asked for.

    `findings` leave out what comments, the configuration or the selection silence; `silenced`
    counts those. `files` and `lines` are what was read, `views` its texts. `rules` are those that
    looked.
    """

    root: Path
    files: tuple[PurePosixPath, ...]
    lines: int
    characters: int
    targets: tuple[Target, ...]
    findings: tuple[Finding, ...]
    silenced: int
    skipped: tuple[SkippedFile, ...]
    warnings: tuple[str, ...]
    rules: tuple[Rule, ...] = field(default=(), repr=False)
    inventory: Inventory = field(default=Inventory(), repr=False)
    views: tuple[View, ...] = field(default=(), repr=False, compare=False)

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The findings that the compat layer does not handle."""
        return tuple(finding for finding in self.findings if not finding.handled)

    @property
    def estimate(self) -> Estimate:
        """What the open findings may cost."""
        return estimate(self.findings)

    @property
    def texts(self) -> Mapping[PurePosixPath, str]:
        """The text of each file that was read."""
        return {view.path: view.text for view in self.views}


def scan(
    path: str | Path,
    *,
    targets: Sequence[str] = (),
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    jobs: int = 1,
    on_progress: Progress | None = None,
) -> Scan:
    """Scan a folder or one file.

    `targets` are names such as "hip:gfx90a"; none: what the configuration says, else gfx90a and
    gfx942. `select` and `ignore` are codes or their beginnings (`W2W2`), or names of rules.
    `jobs` are processes for a large tree; a script that passes more than one needs the usual
    `if __name__ == "__main__":`. Raises UsageError for a path, a target or a code that is none.
    """
    place = Path(path)
    alone = place.is_file()
    root = place.parent if alone else place
    config = load_config(root)
    rules = chosen_rules(select or config.select, (*ignore, *config.ignore))
    cards = scanned_targets(config, targets)
    if alone:
        views, skipped, warnings = _one_file(place, config)
    else:
        reading = read_project(root, config)
        views, skipped = project_views(root, reading, config)
        warnings = reading.warnings
    context = Context(views, cards)
    everything = check_everything(views, rules, context, jobs=jobs, on_progress=on_progress)
    findings = tuple(kept_findings(everything, views, config))
    return Scan(
        root=root,
        files=tuple(view.path for view in views),
        lines=sum(view.text.count("\n") for view in views),
        characters=sum(len(view.text) for view in views),
        targets=cards,
        findings=findings,
        silenced=len(everything) - len(findings),
        skipped=skipped,
        warnings=warnings,
        rules=rules,
        inventory=_inventory(views),
        views=tuple(views),
    )


def _inventory(views: Sequence[View]) -> Inventory:
    sources = [view for view in views if view.kind == "source"]
    return take_inventory(
        (SourceFile(view.path, view.text) for view in sources),
        {view.path: view.document for view in sources},
    )


def scanned_targets(config: Config, targets: Sequence[str] = ()) -> tuple[Target, ...]:
    """Return the cards to scan for: those asked for, else the configuration's, else the usual."""
    return tuple(find_target(name) for name in targets or config.hip_archs or DEFAULT_TARGETS)


def chosen_rules(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules that are selected (all, if nothing is) and not ignored."""
    wanted, unwanted = _codes(select), _codes(ignore)
    return tuple(
        rule
        for rule in all_rules()
        if (not wanted or rule.code.startswith(wanted))
        and not (unwanted and rule.code.startswith(unwanted))
    )


def _codes(written: Iterable[str]) -> tuple[str, ...]:
    """Turn codes, beginnings of codes and names into beginnings of codes."""
    names = {rule.name: rule.code for rule in all_rules()}
    found: list[str] = []
    for item in (part.strip() for text in written for part in text.split(",")):
        code = names.get(item.lower(), item.upper())
        if not any(rule.code.startswith(code) for rule in all_rules()) or not code:
            raise UsageError(f"{item or 'an empty code'}: no rule has this code or name")
        found.append(code)
    return tuple(found)


def kept_findings(
    findings: Iterable[Finding], views: Sequence[View], config: Config
) -> Iterator[Finding]:
    """Drop what comments and the configuration's per-file table silence."""
    silent = {view.path: read_suppressions(view.text) for view in views}
    tables = [(matcher([glob]), _codes(codes)) for glob, codes in config.per_file_ignores]
    for finding in findings:
        if silent[finding.path].silences(finding.code, finding.line):
            continue
        if any(
            finding.code.startswith(codes) for matches, codes in tables if matches(finding.path)
        ):
            continue
        yield finding


def _one_file(
    place: Path, config: Config
) -> tuple[list[View], tuple[SkippedFile, ...], tuple[str, ...]]:
    path = PurePosixPath(place.name)
    kind: FileKind | None = "source" if is_source(path) else build_file_kind(path)
    if kind is None:
        raise UsageError(f"{place}: neither a C++, CUDA or HIP source nor a build file")
    read = read_source(place.parent, path)
    if isinstance(read, SkippedFile):
        raise UsageError(f"{place}: {read.reason}")
    return [_view(path, read.text, kind, config)], (), ()


def project_views(
    root: Path, reading: ProjectReading, config: Config
) -> tuple[list[View], tuple[SkippedFile, ...]]:
    """Return the views of a project's sources and build files."""
    views = [_view(file.path, file.text, "source", config) for file in reading.project.files]
    tree = walk(root, config.exclude)
    others = find_third_party(tree)
    for path in tree.others:
        kind = build_file_kind(path)
        if kind is None or others.root_of(path) is not None:
            continue
        data = read_bytes(tree.root, path)
        if isinstance(data, SkippedFile) or len(data) > _LARGEST_BUILD_FILE or b"\0" in data:
            continue
        text = decode(data)
        is_script = kind != "python" or path.name == "setup.py"
        if is_script or any(word in text for word in _COMPILES):
            views.append(_view(path, text, kind, config))
    return views, reading.project.skipped


def _view(path: PurePosixPath, text: str, kind: FileKind, config: Config) -> View:
    native = matcher(config.native_waves)(path) or read_suppressions(text).native_waves
    return View(path, text, kind, native=native)


def build_file_kind(path: PurePosixPath) -> FileKind | None:
    """Return the kind of a file that is no source, by its name; None for one no rule reads."""
    name = path.name.lower()
    if name.endswith(".py"):
        return "python"
    if name == "cmakelists.txt" or name.endswith(".cmake"):
        return "cmake"
    if name in ("pyproject.toml", "build.toml"):
        return "toml"
    if name.startswith(("dockerfile", "containerfile")) or name.endswith((".yml", ".yaml")):
        return "text"
    return None
