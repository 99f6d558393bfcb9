"""Tell other people's code in a project's tree from the project's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from warp2wave.model import SkippedFile
from warp2wave.tree import Tree, read_bytes

FOLDER_NAMES = frozenset(
    {
        "third_party", "third-party", "thirdparty", "3rdparty", "3rd_party", "3rd-party",
        "external", "externals", "extern", "vendor", "vendored", "submodules", "deps",
    }
)  # fmt: skip
_LICENSES = ("license", "licence", "copying")
# A header that only one library has, and how many of its last parts lie inside its folder.
_TELL_TALES = (
    (("include", "cutlass", "cutlass.h"), 3),
    (("include", "ck", "ck.hpp"), 3),
    (("include", "pybind11", "pybind11.h"), 3),
    (("include", "gtest", "gtest.h"), 3),
    (("include", "cuda", "std", "version"), 4),
    (("cub", "cub.cuh"), 1),
    (("thrust", "version.h"), 1),
    (("Eigen", "Core"), 1),
)


@dataclass(frozen=True, slots=True)
class ThirdParty:
    """The outermost folders of other people's code in one tree."""

    roots: frozenset[PurePosixPath]

    def root_of(self, path: PurePosixPath) -> PurePosixPath | None:
        """Return the folder of other people's code that a path lies in, None for the project's."""
        return next((parent for parent in path.parents if parent in self.roots), None)


def find_third_party(tree: Tree) -> ThirdParty:
    """Find the folders of other people's code.

    These are folders with a customary name (`third_party`), those of libraries known by a header
    (CUTLASS), and those with a licence of their own that is not the project's, as a submodule or a
    vendored library has. The licence counts only where the project has one at its root: else each
    package of a collection may have its own.
    """
    found: set[PurePosixPath] = set()
    licences: list[PurePosixPath] = []
    for path in (*tree.sources, *tree.others):
        for depth, part in enumerate(path.parts[:-1], start=1):
            if part.lower() in FOLDER_NAMES:
                found.add(PurePosixPath(*path.parts[:depth]))
                break
        for tail, inside in _TELL_TALES:
            if path.parts[-len(tail) :] == tail and len(path.parts) > inside:
                found.add(PurePosixPath(*path.parts[:-inside]))
        if path.name.lower().startswith(_LICENSES):
            licences.append(path)
    own = {_text(tree, path) for path in licences if len(path.parts) == 1}
    if own:
        found |= {
            path.parent for path in licences if len(path.parts) > 1 and _text(tree, path) not in own
        }
    outermost = {path for path in found if found.isdisjoint(path.parents)}
    return ThirdParty(frozenset(outermost))


def _text(tree: Tree, path: PurePosixPath) -> bytes:
    """Return a licence's words; its layout and who holds it (years) may differ between copies."""
    data = read_bytes(tree.root, path)
    return b"" if isinstance(data, SkippedFile) else b" ".join(data.split())
