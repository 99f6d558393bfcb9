"""Runs a setup.py for one of its extensions, with ninja: `build_one.py EXTENSION [ARGUMENTS]`.

torch-scatter builds its extensions one after another and without ninja, which takes longer than a
borrowed GPU is at hand. One process an extension does the same compilations side by side. Compiler
flags and sources stay those of the setup.py in the current directory.
"""

from __future__ import annotations

import runpy
import sys
from typing import Any

import setuptools
from torch.utils.cpp_extension import BuildExtension


def main(extension: str, arguments: list[str]) -> None:
    real_setup = setuptools.setup
    real_options = BuildExtension.with_options.__func__

    def setup(**keywords: Any) -> Any:
        chosen = [e for e in keywords.get("ext_modules") or [] if e.name == extension]
        if not chosen:
            raise SystemExit(f"setup.py has no extension {extension}")
        return real_setup(**{**keywords, "ext_modules": chosen})

    def with_options(cls: type, **options: Any) -> Any:
        return real_options(cls, **{**options, "use_ninja": True})

    setuptools.setup = setup
    BuildExtension.with_options = classmethod(with_options)
    sys.argv = ["setup.py", "build_ext", "--inplace", *arguments]
    sys.path.insert(0, ".")
    runpy.run_path("setup.py", run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
