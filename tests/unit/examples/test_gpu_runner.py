"""The parts of the GPU test runner that need no GPU: machine code comparison and test counts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

GPU_TESTS = Path(__file__).resolve().parents[2] / "gpu"


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A script of tests/gpu as a module, under a name that clashes with nothing."""
    monkeypatch.syspath_prepend(str(GPU_TESTS))
    spec = importlib.util.spec_from_file_location(f"w2w_gpu_{name}", GPU_TESTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def dump(*functions: tuple[str, str], arch: str = "sm_90") -> str:
    """A text in the form of `cuobjdump --dump-sass`."""
    head = f"\nFatbin elf code:\n================\narch = {arch}\ncode version = [1,8]\n"
    bodies = "".join(
        f'\n\t\tFunction : {name}\n\t.headerflags @"EF_CUDA_SM90"\n'
        f"        /*0000*/   {code} ;   /* 0x00000a00ff017b82 */\n\t\t..........\n"
        for name, code in functions
    )
    return head + bodies


def test_equal_dumps_are_identical(monkeypatch: pytest.MonkeyPatch) -> None:
    sass = load("sass", monkeypatch)
    kernels = sass.kernels(dump(("_Z1kPf", "LDC R1, c[0x0][0x28]"), ("_Z1gPf", "EXIT")))
    assert set(kernels) == {"sm_90 _Z1kPf", "sm_90 _Z1gPf"}
    assert sass.compare(kernels, kernels).identical


def test_one_changed_instruction_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sass = load("sass", monkeypatch)
    before = sass.kernels(dump(("_Z1kPf", "FADD R1, R2, R3"), ("_Z1gPf", "EXIT")))
    after = sass.kernels(dump(("_Z1kPf", "FADD R1, R2, R4"), ("_Z1gPf", "EXIT")))
    result = sass.compare(before, after)
    assert not result.identical
    assert result.different == ("sm_90 _Z1kPf",)
    assert result.same == ("sm_90 _Z1gPf",)


def test_kernels_on_one_side_only_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sass = load("sass", monkeypatch)
    one, two = dump(("_Z1kPf", "EXIT")), dump(("_Z1gPf", "EXIT"))
    result = sass.compare(sass.kernels(one), sass.kernels(two))
    assert (result.missing, result.extra) == (("sm_90 _Z1kPf",), ("sm_90 _Z1gPf",))
    assert not result.identical


def test_architectures_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    sass = load("sass", monkeypatch)
    both = dump(("_Z1kPf", "EXIT")) + dump(("_Z1kPf", "RET"), arch="sm_80")
    assert set(sass.kernels(both)) == {"sm_90 _Z1kPf", "sm_80 _Z1kPf"}


def test_the_hash_of_the_path_in_a_name_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    sass = load("sass", monkeypatch)
    names = [f"_ZN44_INTERNAL_{digest}_4_a_cu_1k1kEv" for digest in ("0123abcd", "89ef4567")]
    one, two = (sass.kernels(dump((name, f"CALL {name}"))) for name in names)
    assert sass.compare(one, two).identical


@pytest.mark.parametrize("text", ["", "cuobjdump fatal : no device code\n"])
def test_no_code_is_not_identical_code(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sass = load("sass", monkeypatch)
    assert sass.kernels(text) == {}
    assert not sass.compare({}, {}).identical


def test_counts_of_a_junit_file(monkeypatch: pytest.MonkeyPatch) -> None:
    run = load("run", monkeypatch)
    text = (
        '<testsuites><testsuite tests="7" failures="1" errors="1" skipped="2"/>'
        '<testsuite tests="3" failures="0" errors="0" skipped="0"/></testsuites>'
    )
    assert run.junit_counts(text) == {"passed": 6, "failed": 2, "skipped": 2}


def test_extensions_follow_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = load("run", monkeypatch)
    (tmp_path / "csrc" / "cpu").mkdir(parents=True)
    for name in ("scatter.cpp", "version.cpp", "cpu/scatter_cpu.cpp"):
        (tmp_path / "csrc" / name).touch()
    names = run.scatter_extensions(tmp_path)
    assert names == ["torch_scatter._scatter_cuda", "torch_scatter._version_cuda"]
