"""A project is read as its compiler would see it, whatever its layout."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from warp2wave.config import Config
from warp2wave.errors import UsageError
from warp2wave.model import Project
from warp2wave.project import ProjectReading, read_project


def lay(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8", "surrogateescape"))


def read(root: Path, files: dict[str, str], config: Config | None = None) -> ProjectReading:
    lay(root, files)
    return read_project(root, config)


def strings(paths: tuple[PurePosixPath, ...]) -> list[str]:
    return [str(path) for path in paths]


def texts(project: Project) -> list[str]:
    return [str(file.path) for file in project.files]


def skips(project: Project) -> dict[str, str]:
    return {str(skip.path): skip.reason for skip in project.skipped}


SCATTER_LIKE = {
    "setup.py": """
import glob, os, os.path as osp, sys
from itertools import product
import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

suffices = ['cpu', 'cuda'] if torch.cuda.is_available() else ['cpu']

def get_extensions():
    extensions = []
    extensions_dir = osp.join('csrc')
    main_files = [p for p in glob.glob(osp.join(extensions_dir, '*.cpp')) if 'hip' not in p]
    for main, suffix in product(main_files, suffices):
        define_macros = [('WITH_PYTHON', None)]
        if sys.platform == 'win32':
            define_macros += [('demo_EXPORTS', None)]
        nvcc_flags = os.getenv('NVCC_FLAGS', '')
        nvcc_flags = [] if nvcc_flags == '' else nvcc_flags.split(' ')
        if torch.version.hip:
            define_macros += [('USE_ROCM', None)]
        name = main.split(os.sep)[-1][:-4]
        sources = [main]
        path = osp.join(extensions_dir, 'cuda', f'{name}_cuda.cu')
        if suffix == 'cuda' and osp.exists(path):
            sources += [path]
            define_macros += [('WITH_CUDA', None)]
        phmap = osp.abspath("third_party/hashmap")
        Extension = CppExtension if suffix == 'cpu' else CUDAExtension
        extensions += [Extension(f'demo._{name}_{suffix}', sources,
                                 include_dirs=[extensions_dir, phmap],
                                 define_macros=define_macros,
                                 extra_compile_args={'cxx': ['-O2'], 'nvcc': nvcc_flags})]
    return extensions

setup(name='demo', ext_modules=get_extensions())
""",
    "csrc/scatter.cpp": '#include "cuda/scatter_cuda.h"\n',
    "csrc/version.cpp": "",
    "csrc/extensions.h": "",
    "csrc/cuda/scatter_cuda.h": '#include "../extensions.h"\n',
    "csrc/cuda/scatter_cuda.cu": '#include "scatter_cuda.h"\n#include "reducer.cuh"\n'
    "#include <map/map.h>\n#include <ATen/cuda/CUDAContext.h>\n",
    "csrc/cuda/reducer.cuh": "",
    "third_party/hashmap/map/map.h": '#include "base.h"\n',
    "third_party/hashmap/map/base.h": "",
    "third_party/hashmap/map/unused.h": "",
    "third_party/hashmap/examples/bench.cu": "",
}


def test_a_real_kind_of_setup_script(tmp_path: Path) -> None:
    """Globs, products of lists, f-strings and conditions, as pytorch_scatter has them."""
    found = read(tmp_path, SCATTER_LIKE)
    project = found.project
    assert project.name == "demo"
    assert strings(project.sources) == ["csrc/cuda/scatter_cuda.cu"]
    assert strings(project.include_dirs) == ["csrc", "third_party/hashmap"]
    assert project.defines == ("WITH_PYTHON", "WITH_CUDA")
    assert texts(project) == sorted(
        name
        for name in SCATTER_LIKE
        if name != "setup.py" and "unused" not in name and "bench" not in name
    )
    assert found.warnings == ()
    assert skips(project) == {
        "third_party": "other people's code: 2 files that the project does not include"
    }


def test_without_any_build_file_everything_is_inferred(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {
            "kernels/a.cu": '#include "util.cuh"\n#include "ops/shapes.h"\n#include <cuda.h>\n',
            "kernels/b.cu": "",
            "shared/util.cuh": "",
            "lib/include/ops/shapes.h": "",
        },
    )
    assert found.project.name == tmp_path.name
    assert strings(found.project.sources) == ["kernels/a.cu", "kernels/b.cu"]
    assert strings(found.project.include_dirs) == ["shared", "lib/include"]
    assert found.warnings == ()


def test_a_cu_file_that_another_includes_is_no_unit_of_its_own(tmp_path: Path) -> None:
    files = {"a.cu": '#include "impl.cu"\n', "impl.cu": "", "c.cu": ""}
    assert strings(read(tmp_path, files).project.sources) == ["a.cu", "c.cu"]


def test_other_files_that_are_included_are_read(tmp_path: Path) -> None:
    project = read(tmp_path, {"a.cu": '#include "table.def"\n', "table.def": "X(1)\n"}).project
    assert texts(project) == ["a.cu", "table.def"]


def test_f12_files_of_one_stem_are_all_there(tmp_path: Path) -> None:
    names = ["axpy.cpp", "axpy.cu", "axpy.cuh", "axpy.h"]
    project = read(tmp_path, dict.fromkeys(names, "")).project
    assert texts(project) == names
    assert strings(project.sources) == ["axpy.cu"]


def test_f14_include_folders_are_searched_in_the_compiler_s_order(tmp_path: Path) -> None:
    script = """CUDAExtension("x", ["src/a.cu"], include_dirs=["second", "first"])"""
    found = read(
        tmp_path,
        {
            "setup.py": script,
            "src/a.cu": '#include "u.h"\n#include <only.h>\n',
            "first/u.h": "#include <from_first.h>\n",
            "second/u.h": "#include <from_second.h>\n",
            "first/only.h": "",
        },
    )
    assert strings(found.project.include_dirs) == ["second", "first"]
    assert found.warnings == (
        'src/a.cu:1: "u.h" is taken to be second/u.h, but could be first/u.h: '
        "order them by include-dirs",
    )


def test_f14_a_name_in_two_folders_is_said_to_be_ambiguous(tmp_path: Path) -> None:
    files = {"k/src/a.cu": '#include "u.h"\n', "k/inc/u.h": "1", "far/away/inc/u.h": "2"}
    found = read(tmp_path, files)
    assert strings(found.project.include_dirs) == ["k/inc"]  # the nearest
    assert len(found.warnings) == 1
    assert "could be far/away/inc/u.h" in found.warnings[0]
    config = Config(include_dirs=("far/away/inc",))
    found = read_project(tmp_path, config)
    assert strings(found.project.include_dirs) == ["far/away/inc"]
    assert found.warnings == ()


def test_equal_copies_are_no_ambiguity(tmp_path: Path) -> None:
    files = {"a/x.cu": '#include "u.h"\n', "b/u.h": "same", "c/u.h": "same"}
    assert read(tmp_path, files).warnings == ()


def test_the_project_s_own_header_goes_before_other_people_s(tmp_path: Path) -> None:
    files = {"a/x.cu": '#include "u.h"\n', "b/c/d/u.h": "own", "a/third_party/u.h": "theirs"}
    found = read(tmp_path, files)
    assert strings(found.project.include_dirs) == ["b/c/d"]
    assert found.warnings == ()


def test_beside_the_includer_comes_first_for_quotes_only(tmp_path: Path) -> None:
    files = {
        "setup.py": "CUDAExtension('x', ['src/a.cu'], include_dirs=['inc'])",
        "src/a.cu": '#include "u.h"\n#include <v.h>\n',
        "src/u.h": "",
        "src/v.h": "own",
        "inc/v.h": '#include "w.h"',
        "inc/w.h": "",
    }
    found = read(tmp_path, files)
    assert strings(found.project.include_dirs) == ["inc"]
    assert found.warnings == ()


@pytest.mark.parametrize("header", ["math.h", "cuda_fp16.h", "cub/cub.cuh", "ATen/ATen.h"])
def test_a_vendored_copy_does_not_take_the_place_of_the_real_header(
    tmp_path: Path, header: str
) -> None:
    files = {"a.cu": f"#include <{header}>\n", f"third_party/x/{header}": "", f"mine/{header}": ""}
    assert strings(read(tmp_path, files).project.include_dirs) == []


def test_f48_a_header_that_is_nowhere_is_said(tmp_path: Path) -> None:
    files = {"csrc/a.cu": '\n#include "helper.cuh"\n#include "cuda_runtime.h"\n#include <vector>\n'}
    assert read(tmp_path, files).warnings == (
        'csrc/a.cu:2: "helper.cuh" is in no folder of the tree',
    )


def test_f38_a_folder_named_only_as_extra_include_is_visited(tmp_path: Path) -> None:
    files = {
        "setup.py": """load(name="x", sources=["a.cu"], extra_include_paths=["deps/inc"])""",
        "a.cu": "#include <deep.cuh>\n",
        "deps/inc/deep.cuh": "__device__ int x;",
    }
    project = read(tmp_path, files).project
    assert texts(project) == ["a.cu", "deps/inc/deep.cuh"]
    assert strings(project.include_dirs) == ["deps/inc"]


def test_f15_several_extensions_from_one_folder(tmp_path: Path) -> None:
    files = {
        "setup.py": "for n in ('a', 'b'):\n"
        "    CUDAExtension('x.' + n, [f'csrc/{n}.cu'], include_dirs=['csrc'])\n",
        "csrc/a.cu": '#include "u.h"',
        "csrc/b.cu": '#include "u.h"',
        "csrc/u.h": "",
    }
    before = None
    for _ in range(2):
        project = read(tmp_path, files).project
        assert strings(project.sources) == ["csrc/a.cu", "csrc/b.cu"]
        assert strings(project.include_dirs) == ["csrc"]
        assert before in (None, project)
        before = project
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")) == sorted(
        files
    )


def test_f44_f50_generated_files_stay_out(tmp_path: Path) -> None:
    mark = "// !!! This is a file automatically generated by hipify!!!\n"
    files = {
        "csrc/adam.cu": '#include "adam.h"\n',
        "csrc/adam.h": "",
        "csrc/adam_hip.h": mark,
        "csrc/adam.hip": mark + '#include "adam_hip.h"\n',
        "csrc/hip/adam.cu": mark,
    }
    project = read(tmp_path, files).project
    assert texts(project) == ["csrc/adam.cu", "csrc/adam.h"]
    assert strings(project.sources) == ["csrc/adam.cu"]
    reason = "generated by hipify from another file of this tree"
    assert skips(project) == {name: reason for name, text in files.items() if mark in text}


def test_a_unit_that_no_extension_lists_is_left_out_and_named(tmp_path: Path) -> None:
    files = {
        "setup.py": "CUDAExtension('x', sources=['a.cu', 'b.cu'])",
        "a.cu": '#include "b.cu"\n',
        "b.cu": "",
        "bench.cu": "",
    }
    found = read(tmp_path, files)
    assert strings(found.project.sources) == ["a.cu", "b.cu"]
    assert found.warnings == ("bench.cu: no extension lists it, so it is not compiled",)


def test_a_list_that_could_not_be_read_whole_leaves_nothing_out(tmp_path: Path) -> None:
    files = {"setup.py": "CUDAExtension('x', sources=['a.cu', *more()])", "a.cu": "", "b.cu": ""}
    found = read(tmp_path, files)
    assert strings(found.project.sources) == ["a.cu", "b.cu"]
    assert found.warnings == ("setup.py: some sources: could not be told",)


def test_projects_side_by_side_each_have_their_own_script(tmp_path: Path) -> None:
    files = {
        "one/setup.py": "setup(name='one')\nCUDAExtension('one', ['c/a.cu'], include_dirs=['inc'])",
        "one/c/a.cu": "#include <x.h>\n",
        "one/inc/x.h": "",
        "one/c/left.cu": "",
        "two/c/a.cu": "",
    }
    found = read(tmp_path, files)
    assert strings(found.project.sources) == ["one/c/a.cu", "two/c/a.cu"]
    assert strings(found.project.include_dirs) == ["one/inc"]
    assert found.project.name == tmp_path.name


def test_a_vendored_library_is_known_by_its_licence_or_a_header(tmp_path: Path) -> None:
    files = {
        "LICENSE": "mine",
        "csrc/a.cu": '#include "gemm.h"\n#include "lib.h"\n',
        "csrc/cutlass/include/cutlass/cutlass.h": "",
        "csrc/cutlass/include/gemm.h": "",
        "csrc/cutlass/test/t.cu": "",
        "csrc/lib/COPYING": "theirs",
        "csrc/lib/lib.h": "",
        "csrc/lib/bench.cu": "",
        "csrc/part/LICENSE": " mine\n",
        "csrc/part/b.cu": "",
    }
    project = read(tmp_path, files).project
    assert strings(project.sources) == ["csrc/a.cu", "csrc/part/b.cu"]
    assert "csrc/cutlass/include/gemm.h" in texts(project)
    assert set(skips(project)) == {"csrc/cutlass", "csrc/lib"}


def test_without_a_licence_at_the_root_each_package_may_have_its_own(tmp_path: Path) -> None:
    files = {"one/LICENSE": "1", "one/a.cu": "", "two/LICENSE": "2", "two/b.cu": ""}
    assert strings(read(tmp_path, files).project.sources) == ["one/a.cu", "two/b.cu"]


def test_a_script_may_list_sources_among_other_people_s_code(tmp_path: Path) -> None:
    files = {
        "setup.py": "CUDAExtension('x', ['a.cu', 'third_party/k/k.cu'])",
        "a.cu": "",
        "third_party/k/k.cu": '#include "k.h"',
        "third_party/k/k.h": "",
        "third_party/k/other.cu": "",
    }
    project = read(tmp_path, files).project
    assert strings(project.sources) == ["a.cu", "third_party/k/k.cu"]
    assert "third_party/k/k.h" in texts(project)


def test_the_configuration_overrides(tmp_path: Path) -> None:
    files = {
        "setup.py": "CUDAExtension('x', ['a.cu'], define_macros=[('N', 1), ('M', None)])",
        "pyproject.toml": "[project]\nname = 'declared'\n",
        "a.cu": "",
        "vendor/b.cu": "",
        "old/c.cu": "",
        "inc/x.h": "",
    }
    lay(tmp_path, files)
    config = Config(
        sources=("vendor/*.cu", "old/*.cu"),
        exclude=("old",),
        include_dirs=("inc", "gone"),
        defines=("N=2",),
    )
    found = read_project(tmp_path, config)
    assert found.project.name == "declared"
    assert strings(found.project.sources) == ["vendor/b.cu"]
    assert "vendor/b.cu" in texts(found.project)
    assert strings(found.project.include_dirs) == ["inc"]
    assert found.project.defines == ("N=2", "M")
    assert set(found.warnings) == {
        "defined twice: N=2 is used, not N=1",
        "include-dirs: there is no folder gone with files in it",
    }
    assert skips(found.project)["old"] == "excluded by the configuration"
    assert read_project(tmp_path, Config(name="mine")).project.name == "mine"


def test_sources_that_match_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, {"a.cu": ""}, Config(sources=("b.cu",)))
    assert found.project.sources == ()
    assert found.warnings == ("sources: no file matches b.cu",)


def test_links_to_folders_resolve_to_the_real_files(tmp_path: Path) -> None:
    lay(tmp_path, {"src/a.cu": '#include "common/u.h"\n', "shared/u.h": ""})
    (tmp_path / "src/common").symlink_to("../shared")
    found = read_project(tmp_path)
    assert texts(found.project) == ["shared/u.h", "src/a.cu"]
    assert found.warnings == ()


def test_includes_in_a_circle_come_to_an_end(tmp_path: Path) -> None:
    files = {"a.cu": '#include "a.cu"\n#include "b.h"', "b.h": '#include "a.cu"\n#include "b.h"'}
    assert texts(read(tmp_path, files).project) == ["a.cu", "b.h"]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "a\x00b", "..", ".", "x" * 5000, "\udcff.h", " "]
)
def test_include_names_made_to_harm(tmp_path: Path, name: str) -> None:
    project = read(tmp_path / "tree", {"a.cu": f'#include "{name}"\n'}).project
    assert [path for path in texts(project) if path != "a.cu"] == []


def test_a_tree_with_nothing_to_port(tmp_path: Path) -> None:
    found = read(tmp_path, {"README.md": "no code"})
    assert found.project.files == found.project.sources == ()


def test_a_root_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        read_project(tmp_path / "gone")


def test_the_examples_have_their_units(tmp_path: Path) -> None:
    examples = Path(__file__).parents[3] / "examples"
    folders = sorted(path.parent for path in examples.glob("*/setup.py"))
    assert folders
    for folder in folders:
        found = read_project(folder)
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.cu")}
        assert set(strings(found.project.sources)) == there
        assert found.warnings == ()
