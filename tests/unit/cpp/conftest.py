"""Compiles the C++ test programs once a session, by g++ and, where there is one, by clang++."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[2] / "cpp"
COMPAT = Path(__file__).resolve().parents[3] / "src/warp2wave/include/warp2wave/compat"
WARNINGS = ("-Wall", "-Wextra", "-Werror")
MODEL = ("-O0", "-fno-omit-frame-pointer", '-DW2W_WAVE_MODEL="wave_model.h"')

Compile = Callable[..., Path]


def host_compilers() -> list[str]:
    """The C++ compilers of this machine; empty where there is none."""
    found = [name for name in ("g++", "clang++", "clang++-19") if shutil.which(name)]
    return [n for n in found if n != "clang++-19" or "clang++" not in found]


def compile_program(source: Path, output: Path, *flags: str, compiler: str = "g++") -> Path:
    """Compile `source` to the program `output`; raises AssertionError with what was said."""
    command = [compiler, "-std=c++17", *WARNINGS, *flags, f"-I{CPP}", f"-I{COMPAT}"]
    done = subprocess.run(
        [*command, str(source), "-o", str(output)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="session", params=host_compilers() or ["g++"])
def host_compiler(request: pytest.FixtureRequest) -> str:
    """Each C++ compiler of this machine; skips where there is none."""
    name = str(request.param)
    if shutil.which(name) is None:
        pytest.skip("no C++ compiler")
    return name


@pytest.fixture(scope="session")
def warp32_program(host_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """tests/cpp/warp32_cases.cpp, compiled."""
    output = tmp_path_factory.mktemp("cpp") / "warp32_cases"
    return compile_program(CPP / "warp32_cases.cpp", output, *MODEL, compiler=host_compiler)
