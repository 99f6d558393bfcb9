"""The example extensions without a compiler: build files, registrations, Python parts."""

from __future__ import annotations

import re
import runpy
import sys
import types
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/setup.py"))


def package_of(name: str) -> Path:
    return next((EXAMPLES / name).glob("*/__init__.py")).parent


def source(name: str) -> str:
    """All C++ and CUDA text of an example."""
    files = sorted((EXAMPLES / name / "csrc").iterdir())
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def fake_torch(gpu: bool) -> dict[str, types.ModuleType]:
    """Stand-ins for what the setup.py files and packages import of torch."""
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(is_available=lambda: gpu)  # type: ignore[attr-defined]
    torch.Tensor = object  # type: ignore[attr-defined]
    utils = types.ModuleType("torch.utils")
    extension = types.ModuleType("torch.utils.cpp_extension")
    for kind in ("CppExtension", "CUDAExtension"):
        setattr(extension, kind, lambda _kind=kind, **given: {"kind": _kind, **given})
    extension.BuildExtension = object  # type: ignore[attr-defined]
    return {"torch": torch, "torch.utils": utils, "torch.utils.cpp_extension": extension}


def setup_arguments(
    name: str, monkeypatch: pytest.MonkeyPatch, gpu: bool, force: str | None
) -> dict[str, Any]:
    """What the example's setup.py passes to setup()."""
    passed: dict[str, Any] = {}
    setuptools = types.ModuleType("setuptools")
    setuptools.setup = passed.update  # type: ignore[attr-defined]
    for module, stand_in in {**fake_torch(gpu), "setuptools": setuptools}.items():
        monkeypatch.setitem(sys.modules, module, stand_in)
    if force is None:
        monkeypatch.delenv("FORCE_CUDA", raising=False)
    else:
        monkeypatch.setenv("FORCE_CUDA", force)
    runpy.run_path(str(EXAMPLES / name / "setup.py"))
    return passed


def test_there_are_three_examples() -> None:
    assert NAMES == ["gemm", "histogram", "layernorm"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("gpu", "force", "kind"),
    [
        (False, None, "CppExtension"),
        (False, "0", "CppExtension"),
        (False, "1", "CUDAExtension"),
        (True, None, "CUDAExtension"),
    ],
)
def test_setup(
    name: str, gpu: bool, force: str | None, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = setup_arguments(name, monkeypatch, gpu, force)
    (extension,) = arguments["ext_modules"]
    package = package_of(name).name
    assert arguments["packages"] == [package]
    assert extension["kind"] == kind
    assert extension["name"] == f"{package}._C"
    assert all((EXAMPLES / name / path).is_file() for path in extension["sources"])
    compiled = {Path(path).name for path in extension["sources"]}
    on_disk = {path.name for path in (EXAMPLES / name / "csrc").iterdir()}
    wanted = (".cpp", ".cu") if kind == "CUDAExtension" else (".cpp",)
    assert compiled == {file for file in on_disk if file.endswith(wanted)}


@pytest.mark.parametrize("name", NAMES)
def test_each_operator_has_a_cpu_a_cuda_and_a_fake_kernel(name: str) -> None:
    text, package = source(name), package_of(name)
    python = (package / "__init__.py").read_text(encoding="utf-8")
    assert re.findall(r"TORCH_LIBRARY\((\w+),", text) == [package.name]
    operators = set(re.findall(r'm\.def\(\s*"(\w+)\(', text))
    assert operators
    for key in ("CPU", "CUDA"):
        (body,) = re.findall(
            rf"TORCH_LIBRARY_IMPL\({package.name}, {key}, m\) \{{(.*?)\n\}}", text, re.DOTALL
        )
        assert set(re.findall(r'm\.impl\("(\w+)"', body)) == operators
    fakes = re.findall(rf'register_fake\("{package.name}::(\w+)"\)', python)
    assert set(fakes) == operators
    called = set(re.findall(rf"torch\.ops\.{package.name}\.(\w+)", python))
    assert called <= operators


@pytest.mark.parametrize("name", NAMES)
def test_sources_are_unported_cuda(name: str) -> None:
    """What `port` starts from: no HIP names, and the 32-lane idioms that it must keep right."""
    text = source(name)
    assert not re.search(r"\bhip[A-Z_]|USE_ROCM|__HIP", text)
    assert "asm" not in re.findall(r"\w+", text)
    assert "<<<" in text
    assert re.search(r"__(shfl|ballot|match)\w*_sync\(\w+", text)
    assert "0xffffffff" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_package_that_is_not_built_says_how_to_build_it(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    init = tmp_path / package_of(name).name / "__init__.py"
    init.parent.mkdir()
    init.write_bytes((package_of(name) / "__init__.py").read_bytes())
    monkeypatch.setitem(sys.modules, "torch", fake_torch(gpu=False)["torch"])
    with pytest.raises(ImportError, match=r"setup\.py build_ext --inplace"):
        runpy.run_path(str(init))


@pytest.mark.parametrize("name", NAMES)
def test_readme_names_the_package(name: str) -> None:
    readme = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"# {package_of(name).name}:")
