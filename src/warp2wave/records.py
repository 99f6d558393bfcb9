"""Results as versioned JSON values: what `--format json` prints and `.warp2wave/*.json` holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from warp2wave.model import ApiEntry, BuildResult, KernelResources, UnitResult

if TYPE_CHECKING:  # each command loads what it needs itself, so that `map` is quick
    from warp2wave.doctor import Diagnosis
    from warp2wave.port.plan import OpenItem
    from warp2wave.port.single_source import Port, UndoneFiles

SCHEMA = 1
MapAnswer = tuple[str, ApiEntry | None, Sequence[ApiEntry]]


def port_record(port: Port) -> dict[str, Any]:
    """One port: what was read, mapped, mended and left open."""
    counts = port.counts
    return {
        "schema": SCHEMA,
        "command": "port",
        "name": port.project.name,
        "files": counts.files,
        "lines": counts.lines,
        "device_sources": [str(path) for path in port.project.sources],
        "headers": [{"name": w.name, "real": w.real} for w in port.plan.wrappers],
        "apis": {
            "used": counts.names,
            "same": counts.same,
            "renamed": counts.renamed,
            "shimmed": counts.shimmed,
            "open": counts.open_names,
        },
        "mappings": [
            {"cuda": m.cuda, "replacement": m.replacement, "origin": m.origin}
            for m in (*port.plan.api, *port.plan.device)
        ],
        "warp_sites": counts.warp_sites,
        "lines_changed": sum(edited.lines_changed for edited in port.edited),
        "fixes": [
            {"path": str(edited.path), "line": fix.line, "code": fix.code, "title": fix.title}
            for edited in port.edited
            for fix in edited.fixes
        ],
        "skipped": [{"path": str(s.path), "reason": s.reason} for s in port.project.skipped],
        "warnings": list(port.warnings),
        "open": [_open_item(item) for item in port.plan.open_items],
        "check": [_open_item(item) for item in port.plan.to_check],
        "open_findings": port.open_findings,
    }


def _open_item(item: OpenItem) -> dict[str, Any]:
    return {
        "subject": item.subject,
        "reason": item.reason,
        "places": [{"path": str(p.path), "line": p.line, "column": p.column} for p in item.places],
    }


def undo_record(undone: UndoneFiles) -> dict[str, Any]:
    """What an undo gave back."""
    return {
        "schema": SCHEMA,
        "command": "undo",
        "root": str(undone.root),
        "restored": [str(path) for path in undone.paths],
    }


def map_record(answers: Sequence[MapAnswer]) -> dict[str, Any]:
    """Each asked name with its entry, or what is spelled like it."""
    return {
        "schema": SCHEMA,
        "command": "map",
        "names": [
            {
                "query": query,
                "entry": None if entry is None else entry_record(entry),
                "near": [item.cuda for item in near] if entry is None else [],
            }
            for query, entry, near in answers
        ],
    }


def entry_record(entry: ApiEntry) -> dict[str, Any]:
    """One entry of the API map as data."""
    return {field: getattr(entry, field) for field in ApiEntry.__dataclass_fields__}


def build_record(result: BuildResult) -> dict[str, Any]:
    """Every unit of a build: its object or its failure, and what each kernel needs (compiled)."""
    return {
        "schema": SCHEMA,
        "command": "build",
        "root": result.root,
        "ok": result.ok,
        "units": [_unit(unit) for unit in result.units],
    }


def _unit(unit: UnitResult) -> dict[str, Any]:
    failure = unit.failure
    return {
        "source": str(unit.source),
        "target": unit.target,
        "toolchain": unit.toolchain,
        "seconds": round(unit.seconds, 3),
        "cached": unit.cached,
        "object": unit.object_path,
        "kernels": [_kernel(kernel) for kernel in unit.kernels],
        "failure": None
        if failure is None
        else {
            "message": failure.message,
            "path": failure.path,
            "line": failure.line,
            "column": failure.column,
            "log": failure.log,
        },
    }


def _kernel(kernel: KernelResources) -> dict[str, Any]:
    fields = {name: getattr(kernel, name) for name in KernelResources.__dataclass_fields__}
    return {name: value for name, value in fields.items() if value is not None} | {
        "origin": "compiled"
    }


def doctor_record(diagnosis: Diagnosis) -> dict[str, Any]:
    """What was looked for on this machine."""
    return {
        "schema": SCHEMA,
        "command": "doctor",
        "machine": diagnosis.machine,
        "cache": str(diagnosis.cache),
        "checks": [
            {
                "name": check.name,
                "present": check.present,
                "detail": check.detail,
                "install": check.install,
            }
            for check in diagnosis.checks
        ],
        "required": [
            {"target": item.target, "missing": item.missing, "install": item.install}
            for item in diagnosis.requirements
        ],
    }
