"""The map that comes with the package: known facts, look-up, near misses, the pattern."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warp2wave.apimap import ApiMap, load
from warp2wave.apimap.lookup import load_from


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaMalloc", "hipMalloc"),
        ("cudaStream_t", "hipStream_t"),
        ("cudaDeviceProp", "hipDeviceProp_t"),
        ("cudaFreeHost", "hipHostFree"),
        ("cudaErrorMemoryAllocation", "hipErrorMemoryAllocation"),
        ("cudaDevAttrMaxSharedMemoryPerBlockOptin", "hipDeviceAttributeSharedMemPerBlockOptin"),
        ("CUdeviceptr", "hipDeviceptr_t"),
        ("CUDA_SUCCESS", "hipSuccess"),
        ("cuLaunchKernel", "hipModuleLaunchKernel"),
        ("cuMemAlloc", "hipMalloc"),
        ("cuMemAlloc_v2", "hipMalloc"),
        ("cuMemcpy3D", "hipDrvMemcpy3D"),
        ("cublasSgemm", "hipblasSgemm"),
        ("cublasSgemm_v2", "hipblasSgemm"),
        ("CUBLAS_OP_T", "HIPBLAS_OP_T"),
        ("CUDA_R_16F", "HIP_R_16F"),
        ("cublasLtMatmul", "hipblasLtMatmul"),
        ("cusparseSpMM", "hipsparseSpMM"),
        ("cusolverDnSgetrf", "hipsolverDnSgetrf"),
        ("cufftExecC2C", "hipfftExecC2C"),
        ("curand_init", "hiprand_init"),
        ("curandState", "hiprandStateXORWOW_t"),
        ("ncclAllReduce", "ncclAllReduce"),
        ("nvrtcGetPTX", "hiprtcGetCode"),
        ("nvtxRangePushA", "roctxRangePushA"),
        ("cuComplex", "hipComplex"),
        ("make_cuComplex", "make_hipComplex"),
        ("make_cudaExtent", "make_hipExtent"),
        ("__nv_bfloat16", "__hip_bfloat16"),
        ("__half2float", "__half2float"),
        ("__syncthreads", "__syncthreads"),
        ("rsqrtf", "rsqrtf"),
        ("make_float4", "make_float4"),
        ("threadIdx", "threadIdx"),
        ("cub", "hipcub"),
        ("cub::BlockReduce", "hipcub::BlockReduce"),
        ("cub::DeviceRadixSort::SortPairs", "hipcub::DeviceRadixSort::SortPairs"),
    ],
)
def test_names_have_the_counterpart_that_hip_declares(cuda: str, hip: str) -> None:
    entry = load().find(cuda)
    assert entry is not None
    assert entry.hip == hip


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cuda_runtime.h", "hip/hip_runtime.h"),
        ("cuda.h", "hip/hip_runtime_api.h"),
        ("cuda_fp16.h", "hip/hip_fp16.h"),
        ("cublas_v2.h", "hipblas/hipblas.h"),
        ("curand_kernel.h", "hiprand/hiprand_kernel.h"),
        ("cub/block/block_reduce.cuh", "hipcub/hipcub.hpp"),
        ("thrust/sort.h", "thrust/sort.h"),
        ("nccl.h", "rccl/rccl.h"),
        ("mma.h", "rocwmma/rocwmma.hpp"),
    ],
)
def test_headers(cuda: str, hip: str) -> None:
    entry = load().header(cuda)
    assert entry is not None
    assert (entry.hip, entry.header, entry.hip_header) == (hip, cuda, hip)


def test_f49_the_bf16_header_has_a_counterpart() -> None:
    entry = load().header("cuda_bf16.h")
    assert entry is not None
    assert entry.hip == "hip/hip_bf16.h"


def test_f01_warp_functions_with_wider_masks_are_changed_not_same() -> None:
    for name in ("__shfl_down_sync", "__ballot_sync", "__activemask", "__syncwarp", "warpSize"):
        entry = load().find(name)
        assert entry is not None
        assert entry.status == "changed"
        assert "64" in entry.note


def test_f24_warp_reductions_exist_only_in_newer_hip() -> None:
    entry = load().find("__reduce_add_sync")
    assert entry is not None
    assert (entry.hip, entry.since_hip) == ("__reduce_add_sync", "7.1")


def test_f05_warp_wide_cub_templates_are_changed() -> None:
    entry = load().find("cub::WarpReduce")
    assert entry is not None
    assert entry.status == "changed"


def test_f37_names_that_are_hip_already_have_no_entry() -> None:
    for name in ("hipMalloc", "hip/device_functions.h", "hipLaunchKernelGGL"):
        assert load().find(name) is None


def test_f46_warp_size_keeps_its_name() -> None:
    entry = load().find("warpSize")
    assert entry is not None
    assert entry.hip == "warpSize"


def test_f52_calls_that_need_a_cast_or_a_wrapped_symbol_are_changed() -> None:
    for name in ("cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "cudaMemcpyToSymbol"):
        entry = load().find(name)
        assert entry is not None
        assert entry.status == "changed"
        assert entry.note


def test_f58_a_name_in_no_header_that_was_read_is_unverified() -> None:
    entry = load().find("__float2bfloat162_rn")
    assert entry is not None
    assert entry.status == "unverified"


def test_f76_and_libcudacxx_say_what_to_use() -> None:
    entry = load().header("cuda/std/array")
    assert entry is not None
    assert (entry.hip, entry.status) == (None, "missing")
    assert entry.note


def test_removed_names_carry_the_version_that_removed_them() -> None:
    texture, thread = load().find("cudaBindTexture"), load().find("cudaThreadSynchronize")
    assert texture is not None
    assert thread is not None
    assert (texture.since_cuda, texture.until_cuda) == ("11.8", "12.0")
    assert (thread.until_cuda, thread.hip) == ("13.0", "hipDeviceSynchronize")


def test_predefined_macros_have_an_answer_for_rewriters_only() -> None:
    default, text = load().find("__CUDA_ARCH__"), load().find("__CUDA_ARCH__", variant="text")
    assert default is not None
    assert text is not None
    assert (default.hip, text.hip) == (None, "__HIP_DEVICE_COMPILE__")


def test_an_unknown_variant_falls_back_to_the_default() -> None:
    assert load().find("cudaMalloc", variant="text") == load().find("cudaMalloc")


def test_unknown_names_are_not_found() -> None:
    assert load().find("cudaNoSuchThing") is None
    assert load().find("") is None
    assert load().header("cudaMalloc") is None


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("cudaMaloc", "cudaMalloc"),
        ("cudaDeviceSynchronise", "cudaDeviceSynchronize"),
        ("__shfl_xor_snyc", "__shfl_xor_sync"),
        ("cub::BlokReduce", "cub::BlockReduce"),
        ("cublassgemm", "cublasSgemm"),
    ],
)
def test_near_puts_the_name_that_was_meant_first(typo: str, meant: str) -> None:
    near = load().near(typo, 3)
    assert near[0].cuda == meant
    assert len(near) <= 3


def test_near_finds_nothing_for_noise() -> None:
    assert load().near("qqqqqqqqqqqqqqqq") == ()


def test_entries_can_be_limited_to_a_library() -> None:
    entries = list(load().entries("complex"))
    assert {entry.library for entry in entries} == {"complex"}
    assert "cuComplex" in {entry.cuda for entry in entries}


def test_the_pattern_matches_every_name_that_needs_work_and_whole_words_only() -> None:
    pattern = re.compile(load().name_pattern())
    for entry in load().entries():
        plain = entry.cuda.isidentifier() and (entry.hip != entry.cuda or entry.status != "same")
        if plain:
            assert pattern.fullmatch(entry.cuda), entry.cuda
    assert [match[0] for match in pattern.finditer("xcudaMalloc(cudaMalloc, cudaNew1)")] == [
        "cudaMalloc",
        "cudaNew1",
    ]


def test_the_pattern_leaves_ordinary_words_alone() -> None:
    pattern = re.compile(load().name_pattern())
    text = "custom cut cube half sinf float4 __attribute__ __clang__ CUTLASS CURRENT x"
    assert [match[0] for match in pattern.finditer(text)] == []


DATA = """
library = "toy"

[source.here]
package = "toy-headers"
version = "1.2"
title = "Toy 1"

[[group]]
kind = "function"
status = "same"
source = "here"
header = "toy.h"
hip_header = "hip/toy.h"
since_hip = "6.0"
note = "said of all"
names = '''
cuOne hipOne
cuTwo hipTwo | said of two
cuSame =
'''

[[group]]
variant = "roc"
kind = "function"
status = "changed"
source = "here"
header = "toy.h"
hip_header = "roc/toy.h"
names = '''
cuOne roc_one | another library
'''

[[group]]
kind = "header"
status = "missing"
source = "here"
names = '''
toy.h - | nothing
'''
"""


@pytest.fixture
def toy(tmp_path: Path) -> ApiMap:
    (tmp_path / "toy.toml").write_text(DATA)
    return load_from(tmp_path)


def test_every_file_of_a_folder_is_picked_up_with_its_own_sources(toy: ApiMap) -> None:
    one, two, same = (toy.find(name) for name in ("cuOne", "cuTwo", "cuSame"))
    assert one is not None
    assert two is not None
    assert same is not None
    assert one.source == "hip/toy.h, toy-headers 1.2 (Toy 1)"
    assert (one.note, two.note) == ("said of all", "said of two")
    assert same.hip == "cuSame"
    assert [entry.cuda for entry in toy.entries("toy")] == ["cuOne", "cuTwo", "cuSame", "toy.h"]


def test_a_variant_is_asked_for_by_name(toy: ApiMap) -> None:
    default, roc = toy.find("cuOne"), toy.find("cuOne", variant="roc")
    assert default is not None
    assert roc is not None
    assert (default.hip, roc.hip) == ("hipOne", "roc_one")
    assert [entry.hip for entry in toy.entries(variant="roc")] == ["roc_one"]


def test_a_missing_header_is_its_own_header(toy: ApiMap) -> None:
    entry = toy.header("toy.h")
    assert entry is not None
    assert (entry.header, entry.hip_header, entry.source) == (
        "toy.h",
        "",
        "toy.h, toy-headers 1.2 (Toy 1)",
    )
