"""What a build script says is read off its syntax, for a CUDA build on Linux."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warp2wave.build_files import BuildReading, read_cmake, read_script

FILES = [
    "csrc/a.cpp",
    "csrc/cpu/a_cpu.cpp",
    "csrc/cuda/a_cuda.cu",
    "csrc/cuda/b_cuda.cu",
    "csrc/cuda/old_hip.cu",
    "csrc/deep/er/c.cu",
    "include/a.h",
    "setup.py",
]


def read(script: str) -> BuildReading:
    return read_script(textwrap.dedent(script), "setup.py", FILES)


def test_plain_literals() -> None:
    found = read("""
        from setuptools import setup
        from torch.utils.cpp_extension import CUDAExtension
        setup(
            name="ext",
            ext_modules=[CUDAExtension(
                "ext._C",
                ["csrc/a.cpp", "csrc/cuda/a_cuda.cu"],
                include_dirs=["include", "./csrc/"],
                define_macros=[("WITH_CUDA", None), ("N", "32"), ("M", 4)],
                extra_compile_args={
                    "cxx": ["-O3", "-DONLY_HOST"],
                    "nvcc": ["-O3", "-DFAST=1", "-Icsrc/cuda", "--use_fast_math"],
                },
            )],
        )
    """)
    assert found == BuildReading(
        name="ext",
        extensions=True,
        sources=("csrc/a.cpp", "csrc/cuda/a_cuda.cu"),
        complete=True,
        include_dirs=("include", "csrc", "csrc/cuda"),
        defines=("WITH_CUDA", "N=32", "M=4", "FAST=1"),
    )


def test_f53_what_a_build_takes_back() -> None:
    found = read("""
        HALF = ["-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__"]
        CUDAExtension(
            "ext",
            ["a.cu"],
            undef_macros=["SLOW", "NDEBUG"],
            extra_compile_args={"cxx": ["-UONLY_HOST"], "nvcc": ["-O3", "-UNDEBUG", *HALF]},
        )
    """)
    assert found.undefines == (
        "SLOW",
        "NDEBUG",
        "__CUDA_NO_HALF_OPERATORS__",
        "__CUDA_NO_HALF_CONVERSIONS__",
    )


@pytest.mark.parametrize(
    "expression",
    [
        'os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")',
        'osp.join(here, "include")',
        'str(Path(__file__).resolve().parent / "include")',
        'Path(__file__).parent.joinpath("include").as_posix()',
        'f"{here}/include"',
        'here + "/include"',
        'os.path.join(os.getcwd(), "include")',
        '"/".join([here, "include"])',
        '("include" if torch.cuda.is_available() else "nothing")',
        '"nothing" if os.getenv("NO_CUDA") else "include"',
        'os.environ.get("INC", "include")',
    ],
)
def test_ways_to_write_a_path(expression: str) -> None:
    found = read(f"""
        import os, os.path as osp
        from pathlib import Path
        here = osp.dirname(osp.abspath(__file__)) or "."
        ext = CUDAExtension(name="x", sources=[], include_dirs=[{expression}])
    """)
    assert found.include_dirs == ("include",)


@pytest.mark.parametrize(
    "lines",
    [
        "sources = glob.glob('csrc/cuda/*_cuda.cu')",
        "sources = glob.glob(os.path.join('csrc', 'cuda', '[ab]*.cu'))",
        "sources = [s for s in glob.glob('csrc/cuda/*.cu') if 'hip' not in s]",
        "sources = sorted(str(p) for p in Path('csrc').glob('cuda/?_cuda.cu'))",
        "sources = [f'csrc/cuda/{n}_cuda.cu' for n in ('a', 'b')]",
        "sources = []\nfor n in ['a', 'b']:\n    sources.append('csrc/cuda/' + n + '_cuda.cu')",
        "sources = ['csrc/cuda/a_cuda.cu']\nsources += ['csrc/cuda/b_cuda.cu']",
        "sources = ['csrc/cuda/a_cuda.cu']\nsources.extend(('csrc/cuda/b_cuda.cu',))",
        "sources = [*['csrc/cuda/a_cuda.cu'], 'csrc/cuda/b_cuda.cu']",
        "a, b = 'csrc/cuda/a_cuda.cu', 'csrc/cuda/b_cuda.cu'\nsources = [a, b]",
        "sources = 'csrc/cuda/a_cuda.cu csrc/cuda/b_cuda.cu'.split()",
        "d = {'cu': ['csrc/cuda/a_cuda.cu']}\n"
        "d['cu'] += ['csrc/cuda/b_cuda.cu']\nsources = d['cu']",
    ],
)
def test_ways_to_list_sources(lines: str) -> None:
    found = read_script(
        "import glob, os\nfrom pathlib import Path\n"
        + lines
        + "\nx = CUDAExtension(name='x', sources=sources)\n",
        "setup.py",
        FILES,
    )
    assert sorted(found.sources) == ["csrc/cuda/a_cuda.cu", "csrc/cuda/b_cuda.cu"]
    assert found.complete


def test_a_recursive_glob() -> None:
    found = read("""
        x = CUDAExtension(name="x", sources=glob.glob("csrc/**/*.cu", recursive=True))
    """)
    assert set(found.sources) == {name for name in FILES if name.endswith(".cu")}


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ("sys.platform == 'win32'", False),
        ("sys.platform.startswith('win')", False),
        ("os.name == 'nt'", False),
        ("platform.system() == 'Darwin'", False),
        ("sys.platform != 'darwin'", True),
        ("torch.version.hip", False),
        ("torch.version.hip is not None", False),
        ("torch.version.hip is None", True),
        ("IS_ROCM", False),
        ("is_rocm_pytorch and torch.cuda.is_available()", False),
        ("not IS_HIP_EXTENSION", True),
        ("torch.cuda.is_available() and CUDA_HOME is not None", True),
        ("CUDA_HOME is None", False),
        ("os.getenv('WITH_X', '0') == '1'", False),
        ("os.getenv('WITH_X', '1') == '1'", True),
        ("int(os.environ.get('WITH_X', '0'))", False),
        ("'WITH_X' in os.environ", True),  # cannot be told, so it counts
        ("something()", True),
        ("relationship", True),  # no HIP in it
        ("os.path.exists('csrc/a.cpp')", True),
        ("osp.exists('csrc/none.cpp')", False),
    ],
)
def test_the_branches_of_a_cuda_build_on_linux(condition: str, taken: bool) -> None:
    found = read(f"""
        macros = []
        if {condition}:
            macros += [("TAKEN", None)]
        CUDAExtension(name="x", sources=["csrc/cuda/a_cuda.cu"], define_macros=macros)
    """)
    assert found.defines == (("TAKEN",) if taken else ())


def test_an_extension_without_a_name_of_its_own() -> None:
    found = read("""
        setup(ext_modules=[(CUDAExtension if cuda else CppExtension)(
            name="x", sources=["csrc/cuda/a_cuda.cu"], include_dirs=["include"])])
    """)
    assert found.sources == ("csrc/cuda/a_cuda.cu",)
    assert found.include_dirs == ("include",)


def test_just_in_time_loading() -> None:
    found = read("""
        from torch.utils.cpp_extension import load
        load(name="x", sources=["csrc/cuda/a_cuda.cu"], extra_include_paths=["include"],
             extra_cuda_cflags=["-DX=1"])
        json.load(stream)
    """)
    assert (found.sources, found.include_dirs, found.defines) == (
        ("csrc/cuda/a_cuda.cu",),
        ("include",),
        ("X=1",),
    )


def test_several_extensions_are_read_together() -> None:
    found = read("""
        for name in ("a", "b"):
            exts.append(CUDAExtension(f"p.{name}", [f"csrc/cuda/{name}_cuda.cu"]))
        exts.append(CUDAExtension("c", ["csrc/deep/er/c.cu"], include_dirs=["include"]))
    """)
    assert found.sources == ("csrc/cuda/a_cuda.cu", "csrc/cuda/b_cuda.cu", "csrc/deep/er/c.cu")
    assert found.complete


@pytest.mark.parametrize(
    "sources", ["find_sources()", "['csrc/a.cpp', compute()]", "open('list').read().split()"]
)
def test_what_cannot_be_told_is_said(sources: str) -> None:
    found = read(f"x = CUDAExtension(name='x', sources={sources})")
    assert not found.complete
    assert "some sources" in found.unread


@pytest.mark.parametrize(
    "text", ["def broken(:\n", "\0", "print 'python 2'\n", "x = (" * 500, "# -*- coding: nonsense"]
)
def test_what_is_no_python_is_said(text: str) -> None:
    found = read_script(text, "setup.py", [])
    assert len(found.unread) == 1
    assert found.unread[0].startswith("not read as Python")


def test_nothing_is_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    read(f"""
        open({str(marker)!r}, "w").close()
        x = CUDAExtension(name="x", sources=[open({str(marker)!r}, "w").name])
    """)
    assert not marker.exists()


@pytest.mark.parametrize(
    "script",
    [
        "x = 'a'\n" + "x = x + x\n" * 60 + "CUDAExtension(name='x', sources=[x])\n",
        "x = ['a']\n" + "x = x + x\n" * 60 + "CUDAExtension(name='x', sources=x)\n",
        "x = ['a', 'b']\n"
        + "x += [a + b for a in x for b in x]\n" * 20
        + "CUDAExtension(name='x', sources=x)\n",
        "x = y\ny = x\nx = y + x\nCUDAExtension(name='x', sources=x)\n",
        "x = " + "-" * 3000 + "1\nCUDAExtension(name='x', sources=[x])\n",
        "x = ["
        + ", ".join("x" for _ in range(200))
        + "]\n" * 1
        + "CUDAExtension(name='x', sources=x)\n",
    ],
)
def test_a_script_made_to_explode_comes_to_an_end(script: str) -> None:
    found = read_script(script, "setup.py", FILES)
    assert not found.complete


@settings(deadline=None)
@given(st.text(alphabet="abx=[]()+*.,:'\"\n iforndlsCUDAExtension", max_size=200))
def test_any_text_gives_a_reading(text: str) -> None:
    assert isinstance(read_script(text, "setup.py", FILES), BuildReading)


def test_cmake_include_folders() -> None:
    found = read_cmake("""
        set(VENDORED third_party/x)
        include_directories(SYSTEM ${CMAKE_CURRENT_SOURCE_DIR}/include "csrc")
        # include_directories(commented)
        target_include_directories(ext PRIVATE ${VENDORED}/include ${TORCH_INCLUDE_DIRS}
            PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/gen>)
    """)
    assert found.include_dirs == ("include", "csrc", "third_party/x/include")
