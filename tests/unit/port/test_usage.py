"""What a tree uses of CUDA on the HIP side, read from small sources."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from warp2wave.model import SourceFile
from warp2wave.port.usage import Usage, collect_usage

PATTERN = r"cuda[A-Z]\w*|__shfl\w*|__launch_bounds__|warpSize|(?:thread|block)Idx|(?:block|grid)Dim"
CUB = frozenset({"BlockReduce", "WarpReduce"})


def usage_of(text: str, name: str = "k.cu") -> Usage:
    return collect_usage([SourceFile(PurePosixPath(name), text)], PATTERN, CUB)


def test_a_name_counts_at_each_of_its_places() -> None:
    used = usage_of("void f() {\n  cudaMalloc(p, n); cudaMalloc(q, n);\n}\n")
    assert [str(place) for place in used.names["cudaMalloc"]] == ["k.cu:2:3", "k.cu:2:21"]


@pytest.mark.parametrize(
    "text",
    [
        "// calls cudaMalloc\n",
        "/* cudaMalloc */\n",
        'const char *s = "cudaMalloc failed";\n',
        'const char *s = R"(cudaMalloc)";\n',
        "#error cudaMalloc is needed\n",
        '#include "cudaMalloc.h"\n',
        "#include <cudaMalloc.h>\n",
        "#if defined(cudaMalloc)\n#endif\n",
        "#undef cudaMalloc\n",
        "#ifndef USE_ROCM\nint x = cudaMalloc(p, n);\n#endif\n",
        "#ifdef __HIP_PLATFORM_AMD__\n#else\nint x = cudaMalloc(p, n);\n#endif\n",
        "#if CUDA_VERSION >= 11000\nint x = cudaMalloc(p, n);\n#endif\n",
    ],
)
def test_f11_text_files_and_cuda_only_code_are_no_uses(text: str) -> None:
    assert not usage_of(text).names


@pytest.mark.parametrize(
    "text",
    [
        "#define ALLOC(p, n) cudaMalloc(p, n)\n",
        "#ifdef WITH_CUDA\nint x = cudaMalloc(p, n);\n#endif\n",
        "#ifdef USE_ROCM\nint x = cudaMalloc(p, n);\n#endif\n",
        "int x = cuda\\\nMalloc(p, n);\n",
        "x = cudaMalloc",
    ],
)
def test_what_a_hip_build_may_compile_is_a_use(text: str) -> None:
    assert list(usage_of(text).names) == ["cudaMalloc"]


def test_macros_that_the_tree_defines_are_known() -> None:
    used = usage_of(
        "#define __shfl_sync(m, v, l) __shfl(v, l)\n#ifndef USE_ROCM\n#define N 1\n#endif\n"
    )
    assert used.defined == {"__shfl_sync"}
    assert list(used.names) == ["__shfl"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cub::BlockReduce<float, 256> r;", ["BlockReduce"]),
        ("::cub::BlockReduce<float, 256> r;", ["BlockReduce"]),
        ("using namespace cub;\nBlockReduce<float, 256> r; Other x;", ["BlockReduce"]),
        ("namespace c = cub;\nc::WarpReduce<float> w; c::Max m;", ["Max", "WarpReduce"]),
        ("namespace c = ::cub;\nc::WarpReduce<float> w;", ["WarpReduce"]),
        ("int cub = 3; x = cub;", []),
        ("namespace mine { int cub; }", []),
    ],
)
def test_f47_every_way_to_name_something_of_cub(text: str, names: list[str]) -> None:
    assert sorted(usage_of(text).cub) == names


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("auto p = thrust::cuda::par.on(s);", [1]),
        ("auto p = ::thrust::cuda::par;", [1]),
        ("thrust::system::cuda::vector<int> v;", [1]),
        ("namespace th = thrust;\nauto p = th::cuda::par;", [1]),
        ("using namespace thrust;\nauto p = cuda::par;", [1]),
        ("using thrust::cuda::par;", [1]),
        ("thrust::device_vector<int> v;\nauto s = at::cuda::getCurrentCUDAStream();", []),
        ("namespace th = thrust;\nth::sort(a, b);\nauto s = at::cuda::getCurrentCUDAStream();", []),
    ],
)
def test_every_way_to_name_thrusts_cuda_backend(text: str, lines: list[int]) -> None:
    assert [place.line for place in usage_of(text).thrust_cuda] == lines


def test_coordinates_used_whole_are_told_from_components() -> None:
    text = "uint3 t = threadIdx; int i = blockIdx . x + blockDim.x; f(gridDim);"
    assert usage_of(text).whole_coordinates == {"threadIdx", "gridDim"}


def test_names_that_the_preprocessor_pastes_are_seen() -> None:
    text = (
        "#define A(what) cuda##what\n"
        "#define B(what) __shfl_ ## what\n"
        "#define C(op) run_##op(cudaMalloc)\n"
        "int x = 1; // cuda##Malloc\n"
    )
    pasted = usage_of(text).pasted
    assert {name: [place.line for place in places] for name, places in pasted.items()} == {
        "cuda##what": [1],
        "__shfl_##what": [2],
    }


def test_launch_bounds_with_two_arguments_are_wide() -> None:
    text = (
        "__global__ void __launch_bounds__(256) a();\n"
        "__global__ void __launch_bounds__(N * 32, MIN(2, 4)) b();\n"
        "#define BOUNDS __launch_bounds__(256, 2)\n"
    )
    assert [place.line for place in usage_of(text).wide_launch_bounds] == [2, 3]


def test_assembly_counts_in_device_code_only() -> None:
    device = '__device__ int f() { int r; asm("mov.u32 %0, %laneid;" : "=r"(r)); return r; }\n'
    assert [place.column for place in usage_of(device).assembly] == [29]
    assert not usage_of('int f() { asm("cpuid"); return 0; }\n', "f.h").assembly


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("#ifdef USE_ROCM\n#define WARP_SIZE 64\n#else\n#define WARP_SIZE 32\n#endif\n", [2]),
        ("#ifdef USE_ROCM\nconstexpr int kWarp = 64;\n#endif\n", [2]),
        ("#ifdef USE_ROCM\nint tile = 64;\n#endif\n", []),
        ("#ifdef USE_ROCM\n// 64 lanes a warp\n#endif\n", []),
        ("constexpr int kWarpTile = 64;\n", []),
        ("#ifndef USE_ROCM\nconstexpr int kWarp = 64;\n#endif\n", []),
    ],
)
def test_hip_code_written_for_64_lanes_is_seen(text: str, lines: list[int]) -> None:
    assert [place.line for place in usage_of(text).native_waves] == lines


def test_includes_of_cuda_only_branches_are_left_out() -> None:
    used = usage_of(
        "#include <a.h>\n#ifdef USE_ROCM\n#include <b.h>\n#else\n#include <c.h>\n#endif\n"
    )
    assert [use.include.name for use in used.includes] == ["a.h", "b.h"]


def test_a_test_of_cudacc_is_seen() -> None:
    assert usage_of("#if defined(__CUDACC__)\n#endif\n").asks_cudacc
    assert not usage_of("// __CUDACC__\n").asks_cudacc
