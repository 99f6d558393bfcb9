"""The command line: parse, call, print, exit code. The only module that prints."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from warp2wave import __version__
from warp2wave.errors import BuildFailedError, MissingToolError, UsageError, Warp2waveError
from warp2wave.options import FailOn, FixLevel, OutputFormat, ScanFormat

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    name="warp2wave",
    help="Move a PyTorch CUDA extension to AMD ROCm/HIP with one source tree for both.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    # Plain help and usage errors: no boxes in a pipe, and half the time to start.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


FormatOption = Annotated[
    OutputFormat, typer.Option("--format", help="Plain text, or JSON on standard output.")
]


def _out() -> Console:
    """Standard output: colour and tables on a terminal, plain text in a pipe."""
    from rich.console import Console

    return Console(soft_wrap=True, highlight=False)


def _err() -> Console:
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True, highlight=False)


def _print_json(data: dict[str, Any]) -> None:
    json.dump(data, sys.stdout, indent=2, ensure_ascii=True, sort_keys=False)
    sys.stdout.write("\n")
    sys.stdout.flush()  # a disk that is full shall be told of here, not at the interpreter's end


def _write_text(text: str) -> None:
    """Write text that may hold surrogate escapes byte for byte, whatever the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    if version:
        print(f"warp2wave {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(2)


@app.command()
def scan(
    path: Annotated[str, typer.Argument(help="A folder, a file, or pypi:NAME==VERSION.")],
    output_format: Annotated[
        ScanFormat, typer.Option("--format", help="Text, JSON, or SARIF 2.1.0.")
    ] = ScanFormat.TEXT,
    target: Annotated[
        list[str] | None, typer.Option("--target", help="hip:gfx90a …; repeat for more.")
    ] = None,
    select: Annotated[
        list[str] | None, typer.Option("--select", help="Only these: W2W2, W2W203 or a name.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Without these codes or names.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Tell only what this file does not know.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option("--write-baseline", help="Keep the open findings here.")
    ] = None,
    show_handled: Annotated[
        bool, typer.Option("--show-handled", help="List what the port keeps right, too.")
    ] = False,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="Exit 1 from this severity on.")
    ] = FailOn.WARNING,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Processes for a large tree.")
    ] = os.cpu_count() or 1,
) -> None:
    """Find what is wrong, slow or missing on AMD: where, why, and what to do.

    Nothing of the tree is executed or changed.
    """
    from warp2wave import sarif, scan_record, scan_view
    from warp2wave.asked_scan import run_scan

    with scan_view.scan_progress(_err()) as progress:
        asked = run_scan(
            path,
            targets=target or (),
            select=select or (),
            ignore=ignore or (),
            baseline=baseline,
            new_baseline=write_baseline,
            jobs=jobs,
            on_progress=progress,
        )
    found, compared = asked.scan, asked.compared
    if output_format is ScanFormat.SARIF:
        _print_json(sarif.sarif_log(found, root=asked.root))
    elif output_format is ScanFormat.JSON:
        _print_json(scan_record.scan_record(found, compared) | {"root": path})
    else:
        _print_text(scan_view.scan_text(found, path, show_handled=show_handled, compared=compared))
    if asked.fails(fail_on.value):
        raise typer.Exit(1)


@app.command()
def explain(
    code: Annotated[str, typer.Argument(help="A code or a name: W2W203.")] = "",
    every: Annotated[bool, typer.Option("--all", help="One line for each rule.")] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> None:
    """Show the page of one hazard: what it is, why it is bad, what to write instead."""
    from warp2wave import scan_record, scan_view
    from warp2wave.asked_scan import rule_asked_for
    from warp2wave.rules.registry import all_rules

    if every and code:
        raise UsageError("--all lists every rule: leave the code out")
    if every:
        rules = all_rules()
        _report(scan_view.rules_text(rules), scan_record.rules_record(rules), output_format)
        return
    rule = rule_asked_for(code)
    page = scan_view.rule_page(rule, markdown=_out().is_terminal)
    _report(page, scan_record.page_record(rule), output_format)


@app.command()
def port(
    path: Annotated[str, typer.Argument(help="A folder, or pypi:NAME==VERSION.")],
    output: Annotated[
        Path | None, typer.Option("--output", help="Copy the tree here and port the copy.")
    ] = None,
    fix: Annotated[
        FixLevel, typer.Option("--fix", help="Which hazard fixes may change your lines.")
    ] = FixLevel.SAFE,
    diff: Annotated[bool, typer.Option("--diff", help="Show the diff, write nothing.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 if the port is absent or out of date.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Give the original tree back.")] = False,
    allow_dirty: Annotated[
        bool, typer.Option("--allow-dirty", help="Port a tree with uncommitted changes.")
    ] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> None:
    """Make the tree dual-platform: your sources stay, gpu_compat/ is added.

    Nothing of the tree is executed. Everything written can be taken back by --undo.
    """
    from warp2wave import records, views
    from warp2wave.port import single_source
    from warp2wave.sources import opened_tree

    if sum((diff, check, undo)) > 1:
        raise UsageError("--diff, --check and --undo exclude one another")
    if undo:
        if output is not None or path.startswith("pypi:"):
            raise UsageError("--undo takes the ported folder itself")
        restored = single_source.undo_port(Path(path))
        _report(views.undo_text(restored), records.undo_record(restored), output_format)
        return
    read_only = diff or check
    if read_only and output is not None:
        raise UsageError("--diff and --check write nothing: leave --output out")
    with opened_tree(path, output, read_only=read_only, allow_dirty=allow_dirty) as root:
        ported = single_source.plan_port(root, fix=fix.value)
        record = records.port_record(ported)
        now = {"root": str(root), "up_to_date": not ported.changes_anything}
        if diff:
            text = single_source.diff_text(ported)
            if output_format is OutputFormat.JSON:
                _print_json(record | now | {"diff": text})
            else:
                _write_text(text)
            return
        if not check:
            single_source.write_port(ported, record)
        _report(views.port_text(ported, check=check), record | now, output_format)
        if check and ported.changes_anything:
            raise typer.Exit(1)


@app.command()
def build(
    path: Annotated[Path, typer.Argument(help="A project folder, ported or not.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", help="hip:gfx90a, hip:gfx942, cuda:sm_90 …; repeat for more."),
    ] = None,
    compile_only: Annotated[
        bool,
        typer.Option("--compile-only", help="Compile every device source; do not link."),
    ] = False,
    hip_headers: Annotated[
        list[str] | None,
        typer.Option("--hip-headers", help="HIP header sets to compile with: 6.0, 7.1; repeat."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Compilers at a time.")
    ] = os.cpu_count() or 1,
    output_format: FormatOption = OutputFormat.TEXT,
) -> None:
    """Compile the device sources for each target; no GPU is needed.

    Runs the compilers over the tree; nothing else of the tree is executed.
    """
    from warp2wave import records, views
    from warp2wave.build.session import build_project

    if not compile_only:
        raise UsageError("linking is not there yet: pass --compile-only")
    with views.build_progress(_err()) as progress:
        result = build_project(
            path, target or (), headers=hip_headers or None, jobs=jobs, on_progress=progress
        )
    record = records.build_record(result)
    _keep_record(path, "build", record)
    text = views.build_text(result, table=_out().is_terminal)
    _report(text, record, output_format)
    if not result.ok:
        raise typer.Exit(BuildFailedError.exit_code)


def _keep_record(root: Path, stage: str, record: dict[str, Any]) -> None:
    """Write `.warp2wave/STAGE.json` for later stages; a read-only tree goes without."""
    from warp2wave.writes import Write, write_files

    content = (json.dumps(record, indent=1) + "\n").encode("ascii")
    try:
        write_files(root, [Write(PurePosixPath(f".warp2wave/{stage}.json"), content, "")])
    except UsageError as error:
        _err().print(f"the result was not kept in the tree: {error}", markup=False)


@app.command("map")
def map_names(
    name: Annotated[list[str], typer.Argument(help="CUDA names or headers.")],
    output_format: FormatOption = OutputFormat.TEXT,
) -> None:
    """Show what a CUDA name is on HIP, and which header or test says so."""
    from warp2wave import records, views
    from warp2wave.apimap import load

    api = load()
    answers = [(query, api.find(query), api.near(query)) for query in name]
    _report(views.map_text(answers), records.map_record(answers), output_format)
    if any(entry is None for _, entry, _ in answers):
        raise typer.Exit(1)


@app.command()
def doctor(
    require: Annotated[
        list[str] | None,
        typer.Option("--require", help="Exit 3 unless this target can be built; repeat."),
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Download what can be had without being root.")
    ] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> None:
    """Show which compilers, headers and PyTorch are here, and the line that installs the rest."""
    from warp2wave import records, views
    from warp2wave.doctor import examine, install_missing

    if install:
        with views.install_progress(_err()) as progress:
            install_missing(progress)
    diagnosis = examine(tuple(require or ()))
    _report(views.doctor_text(diagnosis), records.doctor_record(diagnosis), output_format)
    if diagnosis.missing_required:
        raise typer.Exit(MissingToolError.exit_code)


def _report(text: Any, data: dict[str, Any], output_format: OutputFormat) -> None:
    if output_format is OutputFormat.JSON:
        _print_json(data)
    else:
        _print_text(text)


def _print_text(text: Any) -> None:
    out = _out()
    for part in text:
        out.print(_printable(part) if isinstance(part, str) else part, markup=False)


# All control characters but tab and newline. A file's name shall not drive the terminal.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# What the machine refuses is no bug of ours: a full disk, a quota, a read-only or broken device.
_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE)


def _printable(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def main() -> NoReturn:
    """Run the command line and turn every error into one clear message and its exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        # A file name or a quoted source line may hold any byte; LANG=C must not end the run.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    try:
        app()
    except Warp2waveError as error:
        raise SystemExit(_explain(error)) from None
    except OSError as error:
        if error.errno in _MACHINE:
            raise SystemExit(_explain(UsageError(_refusal(error)))) from None
        raise SystemExit(_internal_error()) from None
    except Exception:  # a bug of ours: say so, keep the trace for the report
        raise SystemExit(_internal_error()) from None
    raise SystemExit(0)


def _refusal(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{(error.strerror or str(error)).lower()}"


def _explain(error: Warp2waveError) -> int:
    console = _err()
    console.print(_printable(f"warp2wave: {error}"), markup=False)
    if isinstance(error, MissingToolError):
        console.print(f"  install: {error.install}", markup=False)
    if isinstance(error, BuildFailedError):
        if error.first_error:
            console.print(_printable(f"  {error.first_error}"), markup=False)
        if error.log is not None:
            console.print(f"  full log: {error.log}", markup=False)
    return error.exit_code


def _internal_error() -> int:
    import tempfile
    import traceback

    trace = traceback.format_exc()
    console = _err()
    console.print(f"warp2wave: a bug of ours: {sys.exc_info()[1]!r}", markup=False)
    try:
        handle, name = tempfile.mkstemp(prefix="warp2wave-bug-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(trace)
        console.print(f"  please report it with {name}", markup=False)
    except OSError:  # a full disk may be the very cause
        console.print(trace, markup=False)
    return 70


if __name__ == "__main__":
    main()
