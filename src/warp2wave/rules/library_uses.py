"""Where a file first uses a library of NVIDIA's: an include of its headers, or its namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warp2wave.rules.library_table import HOST_LIBRARIES, LIBCUDACXX, TEMPLATES, Library
from warp2wave.rules.rule import Hit
from warp2wave.rules.view import Site, View
from warp2wave.syntax.includes import Include


@dataclass(frozen=True, slots=True)
class Use:
    """The first use of a library in a file: [start, end) of the text, and how it is named."""

    library: Library
    start: int
    end: int
    name: str


def library_hits(view: View, libraries: Sequence[Library]) -> Iterator[Hit]:
    """Yield a hit for the first use of each library, with what takes its place.

    A file of a vendored library has none: whoever includes it is told.
    """
    if _is_vendored(view):
        return
    for library in libraries:
        use = _first_use(view, library)
        if use is not None:
            text = f"`{use.name}` belongs to {library.title}, which ROCm does not have: "
            yield Hit(use.start, use.end, text + library.replacement, effort=library.effort)


def _first_use(view: View, library: Library) -> Use | None:
    """Return the first include of a library that HIP compiles, else its namespace's first use."""
    for include in view.includes:
        if library.headers.fullmatch(include.name) and _is_compiled(view, include):
            return Use(library, include.name_start, include.name_end, include.name)
    uses = [use for use in _qualified_uses(view, library) if view.on_hip(use.start)]
    return min(uses, key=lambda use: use.start, default=None)


def _is_compiled(view: View, include: Include) -> bool:
    # An include that asks for its header first is left out where ROCm has no such header.
    return view.on_hip(include.start) and "__has_include" not in str(include.condition or "")


def _qualified_uses(view: View, library: Library) -> Iterator[Use]:
    sites = list(view.sites(*library.namespaces))
    if any(_opens_namespace(site) for site in sites):
        return  # a namespace of the project's own, or a part that it adds
    for site in sites:
        name, member = site.next(0), site.next(2)
        if site.next() == "::" and not _is_inner(site):
            if library.members is None or library.members.fullmatch(member):
                yield Use(library, site.start, site.end, f"{name}::{member}")
        elif library.members is None and (site.next(-2), site.next(-1)) == ("using", "namespace"):
            yield Use(library, site.start, site.end, f"namespace {name}")


def _opens_namespace(site: Site) -> bool:
    return site.next(-1) == "namespace" and site.next() in ("{", "::") and site.next(-2) != "using"


def _is_inner(site: Site) -> bool:
    """Say whether a namespace stands in another one: `at::cuda`, but not `::cuda`."""
    before = site.next(-2)
    return site.next(-1) == "::" and re.fullmatch(r"\w+", before) is not None


def _is_vendored(view: View) -> bool:
    """Say whether a file is one of a library's own: `cutlass/include/cutlass/gemm/gemm.h`."""
    parts = view.path.parts
    tails = ["/".join(parts[at + 1 :]) for at, part in enumerate(parts) if part == "include"]
    return any(
        library.headers.fullmatch(tail)
        for library in (*TEMPLATES, *HOST_LIBRARIES, *LIBCUDACXX)
        for tail in (*tails, view.path.name)
    )
