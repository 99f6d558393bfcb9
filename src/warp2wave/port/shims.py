"""CUDA names that a rename cannot serve: the compat headers define a replacement for each.

The port looks here before it asks the API map. `#define NAME replacement` goes into the maps of
a tree that uses NAME, and `header` (a file of include/warp2wave/compat/) into its gpu_compat/.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Shim(NamedTuple):
    """A replacement identifier and the compat header that defines it."""

    replacement: str
    header: str


def _from(header: str, names: Mapping[str, str]) -> dict[str, Shim]:
    return {cuda: Shim(replacement, header) for cuda, replacement in names.items()}


_WARP = {
    "warpSize": "w2w_warp_size",
    "__shfl": "w2w_shfl",
    "__shfl_up": "w2w_shfl_up",
    "__shfl_down": "w2w_shfl_down",
    "__shfl_xor": "w2w_shfl_xor",
    "__shfl_sync": "w2w_shfl_sync",
    "__shfl_up_sync": "w2w_shfl_up_sync",
    "__shfl_down_sync": "w2w_shfl_down_sync",
    "__shfl_xor_sync": "w2w_shfl_xor_sync",
    "__any": "w2w_any",
    "__all": "w2w_all",
    "__ballot": "w2w_ballot",
    "__any_sync": "w2w_any_sync",
    "__all_sync": "w2w_all_sync",
    "__uni_sync": "w2w_uni_sync",
    "__ballot_sync": "w2w_ballot_sync",
    "__activemask": "w2w_activemask",
    "__syncwarp": "w2w_syncwarp",
    "__match_any_sync": "w2w_match_any_sync",
    "__match_all_sync": "w2w_match_all_sync",
    "__reduce_add_sync": "w2w_reduce_add_sync",
    "__reduce_min_sync": "w2w_reduce_min_sync",
    "__reduce_max_sync": "w2w_reduce_max_sync",
    "__reduce_and_sync": "w2w_reduce_and_sync",
    "__reduce_or_sync": "w2w_reduce_or_sync",
    "__reduce_xor_sync": "w2w_reduce_xor_sync",
    # HIP's own names, found in the USE_ROCM branches of trees that were ported by hand.
    "__lane_id": "w2w_lane_id",
    "__lanemask_eq": "w2w_lanemask_eq",
    "__lanemask_lt": "w2w_lanemask_lt",
    "__lanemask_gt": "w2w_lanemask_gt",
}

_TORCH_WARP = {
    "WARP_SHFL": "w2w_torch_shfl",
    "WARP_SHFL_UP": "w2w_torch_shfl_up",
    "WARP_SHFL_DOWN": "w2w_torch_shfl_down",
    "WARP_SHFL_XOR": "w2w_torch_shfl_xor",
    "WARP_BALLOT": "w2w_torch_ballot",
    "WARP_ACTIVE": "w2w_torch_active",
    "WARP_SYNC": "w2w_torch_sync",
}

_RUNTIME = {
    "cudaDeviceProp": "w2w_device_prop",
    "cudaGetDeviceProperties": "w2w_get_device_properties",
    "cudaDeviceGetAttribute": "w2w_device_get_attribute",
    "cudaFuncSetAttribute": "w2w_func_set_attribute",
    "cuFuncSetAttribute": "w2w_module_func_set_attribute",
    "cudaFuncSetCacheConfig": "w2w_func_set_cache_config",
    "cudaFuncSetSharedMemConfig": "w2w_func_set_shared_mem_config",
    "cudaFuncGetAttributes": "w2w_func_get_attributes",
    "cudaHostAlloc": "w2w_host_alloc",
    "cudaMallocHost": "w2w_host_alloc",
    "cudaMallocPitch": "w2w_malloc_pitch",
    "cudaHostGetDevicePointer": "w2w_host_get_device_pointer",
    "cudaLaunchKernel": "w2w_launch_kernel",
    "cudaLaunchCooperativeKernel": "w2w_launch_cooperative_kernel",
    "cudaStreamWaitEvent": "w2w_stream_wait_event",
    "cudaEventCreate": "w2w_event_create",
    "CUDART_CB": "w2w_calling_convention",
    "CUDARTAPI": "w2w_calling_convention",
    "cudaGraphInstantiate": "w2w_graph_instantiate",
    "cudaGraphExecUpdate": "w2w_graph_exec_update",
    "cudaGraphExecUpdateResultInfo": "w2w_graph_exec_update_result_info",
    "cudaStreamGetCaptureInfo": "w2w_stream_get_capture_info",
    "cudaStreamGetCaptureInfo_v2": "w2w_stream_get_capture_info",
}

# Members of namespace cooperative_groups.
_GROUPS = {
    "tiled_partition": "w2w_tiled_partition",
    "thread_block_tile": "w2w_thread_block_tile",
    "coalesced_group": "w2w_coalesced_group",
    "coalesced_threads": "w2w_coalesced_threads",
    "labeled_partition": "w2w_labeled_partition",
    "binary_partition": "w2w_binary_partition",
}

# fmt: off
_SIMD_BASES = (
    "vadd", "vaddss", "vaddus", "vsub", "vsubss", "vsubus", "vmins", "vminu", "vmaxs", "vmaxu",
    "vavgs", "vavgu", "vhaddu", "vabsdiffs", "vabsdiffu", "vcmpeq", "vcmpne", "vcmplts",
    "vcmpltu", "vcmples", "vcmpleu", "vcmpgts", "vcmpgtu", "vcmpges", "vcmpgeu", "vseteq",
    "vsetne", "vsetlts", "vsetltu", "vsetles", "vsetleu", "vsetgts", "vsetgtu", "vsetges",
    "vsetgeu", "vneg", "vnegss", "vabs", "vabsss", "vsads", "vsadu",
)
# fmt: on
_SIMD = {f"__{base}{width}": f"w2w_{base}{width}" for base in _SIMD_BASES for width in (2, 4)} | {
    "__dp4a": "w2w_dp4a",
    "__dp2a_lo": "w2w_dp2a_lo",
    "__dp2a_hi": "w2w_dp2a_hi",
}

_INTRINSICS = {
    "__fns": "w2w_fns",
    "umin": "w2w_umin",
    "umax": "w2w_umax",
    "llmin": "w2w_llmin",
    "llmax": "w2w_llmax",
    "ullmin": "w2w_ullmin",
    "ullmax": "w2w_ullmax",
    "__ldca": "w2w_ldca",
    "__ldcg": "w2w_ldcg",
    "__ldcs": "w2w_ldcs",
    "__ldlu": "w2w_ldlu",
    "__ldcv": "w2w_ldcv",
    "__stwb": "w2w_stwb",
    "__stcg": "w2w_stcg",
    "__stcs": "w2w_stcs",
    "__stwt": "w2w_stwt",
    "__grid_constant__": "w2w_grid_constant",
    "__nanosleep": "w2w_nanosleep",
    "__trap": "w2w_trap",
    "__brkpt": "w2w_brkpt",
    "__isShared": "w2w_is_shared",
    "__isLocal": "w2w_is_local",
    "__isGlobal": "w2w_is_global",
    **{
        f"atomic{name}_block": f"w2w_atomic_{name.lower()}_block"
        for name in ("Add", "Sub", "And", "Or", "Xor", "Min", "Max", "Exch", "CAS")
    },
}

SHIMS: Mapping[str, Shim] = MappingProxyType(
    {
        **_from("warp32.h", _WARP),
        **_from("torch_warp.h", _TORCH_WARP),
        **_from("runtime_shims.h", _RUNTIME),
        **_from("launch_bounds.h", {"__launch_bounds__": "w2w_launch_bounds"}),
        **_from("cooperative_groups_partition.h", _GROUPS),
        **_from("simd_intrinsics.h", _SIMD),
        **_from("device_intrinsics.h", _INTRINSICS),
    }
)

COORDINATES: Mapping[str, Shim] = MappingProxyType(
    _from(
        "coordinates.h",
        {
            "threadIdx": "w2w_thread_idx",
            "blockIdx": "w2w_block_idx",
            "blockDim": "w2w_block_dim",
            "gridDim": "w2w_grid_dim",
        },
    )
)
"""Replaced only in trees that use one whole, as a uint3 or dim3."""

HEADER_SHIMS: Mapping[str, str] = MappingProxyType(
    {"cooperative_groups/reduce.h": "cooperative_groups_reduce.h"}
)
"""CUDA headers that HIP has no counterpart of, and the compat header that stands for each."""

# fmt: off
_HALF_TYPES = (
    "half", "half2", "__half", "__half2", "__half_raw", "__half2_raw", "nv_bfloat16",
    "nv_bfloat162", "__nv_bfloat16", "__nv_bfloat162",
)
_MATH_MODES = (
    "cublasMath_t", "cublasSetMathMode", "cublasGetMathMode", "CUBLAS_DEFAULT_MATH",
    "CUBLAS_PEDANTIC_MATH", "CUBLAS_TENSOR_OP_MATH", "CUBLAS_TF32_TENSOR_OP_MATH",
    "CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION",
)
# fmt: on

ADDITIONS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(_HALF_TYPES, "half_shims.h") | dict.fromkeys(_MATH_MODES, "blas_math_mode.h")
)
"""CUDA names whose users need a compat header besides the API map's rename.

half_shims.h adds what HIP's half and bfloat16 types lack (operators under PyTorch's flags,
conversions, atomicAdd, ...) under CUDA's own names, and gives way where HIP has them. Including
`cuda_fp16.h` or `cuda_bf16.h` is a use too (see HEADER_ADDITIONS).
"""

PROVIDED: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (
            *(f"__float2bfloat16_{way}" for way in ("rn", "rz", "rd", "ru")),
            *(f"__{n}2bfloat16_rn" for n in ("short", "ushort", "int", "uint", "ll", "ull")),
            *(
                f"__bfloat162{number}_{way}"
                for number in ("int", "uint", "ll", "ull")
                for way in ("rn", "rz", "rd", "ru")
            ),
            *(f"__h{op}{pair}_rn" for op in ("add", "sub", "mul") for pair in ("", "2")),
            *("__float2bfloat162_rn", "__floats2bfloat162_rn", "make_bfloat162"),
            *(
                f"CUDART_{constant}_{kind}"
                for constant in (
                    *("INF", "NAN", "MIN_DENORM", "MAX_NORMAL", "NEG_ZERO", "ZERO", "ONE"),
                )
                for kind in ("FP16", "BF16")
            ),
            *("__double2half", "__hmax2", "__hmin2", "htanh", "h2tanh"),
        ),
        "half_shims.h",
    )
)
"""CUDA names that a compat header defines as they are, where HIP's own headers do not.

They keep their spelling; whatever the API map says about HIP's headers, they are served.
"""

HEADER_ADDITIONS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("cuda_fp16.h", "cuda_fp16.hpp", "cuda_bf16.h", "cuda_bf16.hpp"), "half_shims.h")
)
"""CUDA headers that bring a compat header with them, besides the HIP header of the API map."""
