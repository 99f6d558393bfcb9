# ruff: noqa: E501 -- a table, and wrapped rows are harder to compare
"""What is read for each library of the map: which headers, which names, by which naming rules."""

from __future__ import annotations

import re
from dataclasses import dataclass

Rule = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Library:
    """One library.

    `cuda` pairs a package family (`cuda-runtime` is `cuda-runtime-11.8`, `-12.0` …) with header names
    (fnmatch patterns); `names` and `skip` choose among the names found there. `hip` are header patterns
    in the HIP packages, `tables` the name tables of newer versions. `rules` give the HIP spellings to
    try, in order: regular expressions that must match the whole name. `device`: functions are device code.
    `unread` is the HIP header of a library whose headers could not be read: what the rules give for it
    is unverified.
    """

    name: str
    cuda: tuple[tuple[str, tuple[str, ...]], ...]
    names: str
    hip: tuple[str, ...]
    rules: tuple[Rule, ...]
    tables: tuple[str, ...] = ()
    skip: str = r"(?!)"
    device: bool = False
    absent: str = "no counterpart in the headers read"
    unread: str = ""


HIP_API = (
    "hip/hip_runtime_api.h", "hip/driver_types.h", "hip/texture_types.h", "hip/surface_types.h",
    "hip/channel_descriptor.h", "hip/library_types.h", "hip/linker_types.h", "hip/hip_runtime.h",
    "hip/amd_detail/amd_hip_runtime.h", "hip/amd_detail/amd_channel_descriptor.h",
    "hip/amd_detail/host_defines.h", "hip/amd_detail/amd_hip_gl_interop.h", "hip/hip_deprecated.h",
    "hip/hip_ext.h", "hip/hiprtc.h",
)  # fmt: skip
HIP_DEVICE = (
    "hip/amd_detail/hip_ldg.h", "hip/amd_detail/amd_device_functions.h", "hip/amd_detail/amd_warp*.h",
    "hip/amd_detail/amd_*.h", "hip/amd_detail/hip_fp16*.h", "hip/amd_detail/texture_*.h",
    "hip/amd_detail/math_fwd.h", "hip/amd_detail/hip_ldg.h", "hip/amd_detail/host_defines.h",
    "hip/hip_vector_types.h", "__clang_hip_*.h", "hip/hip_math_constants.h", "hip/amd_detail/hip_assert.h",
    "hip/hip_runtime_api.h",
)  # fmt: skip

SAME: Rule = (r"(.+)", r"\1")

LIBRARIES: tuple[Library, ...] = (
    Library(
        name="runtime",
        cuda=(("cuda-runtime", (
            "cuda_runtime_api.h", "driver_types.h", "texture_types.h", "surface_types.h",
            "channel_descriptor.h", "library_types.h", "cuda_runtime.h", "driver_functions.h",
            "cuda_egl_interop.h", "cuda_vdpau_interop.h", "cuda_device_runtime_api.h",
            "cuda_texture_types.h", "cuda_surface_types.h", "cuda_gl_interop.h", "cuda_profiler_api.h",
        )), ("cuda-crt", ("crt/host_defines.h",))),
        names=r"cuda[A-Z]\w*|make_cuda\w+|CUDA_[RC]_\w+|CUDA_IPC_HANDLE_SIZE|CUDART_\w+|textureReference"
        r"|surfaceReference|libraryPropertyType\w*|__(global|device|host|shared|constant|managed|"
        r"grid_constant|forceinline|noinline)__|__align__|__launch_bounds__",
        skip=r"CUDART_(CB|DEVICE|[A-Z_]*_H_*|\w*INF\w*)|cudaLaunchKernel_helper|\w*_ptsz|\w*_st",
        hip=HIP_API,
        tables=("hip",),
        rules=(
            (r"cudaDevAttr(\w+)", r"hipDeviceAttribute\1"),
            (r"cuda(\w+?)(?:_v\d+)?", r"hip\1"),
            (r"cuda(\w+?)(?:_enum|_t)?", r"hip\1_t"),
            (r"make_cuda(\w+)", r"make_hip\1"),
            (r"CUDA_([RC]_\w+)", r"HIP_\1"),
            (r"CUDA_(IPC_HANDLE_SIZE)", r"HIP_\1"),
            (r"((?:texture|surface)Reference|__\w+__)", r"\1"),
        ),
        absent="no counterpart in HIP up to 7.1",
    ),
    Library(
        name="driver",
        cuda=(
            ("cuda-runtime", ("cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h")),
            ("cuda-profiler", ("cudaProfiler.h",)),
        ),
        names=r"cu[A-Z]\w*|CU[A-Za-z_]\w*",
        skip=r"CUDAAPI|CUDA_CB|CU\w*_H_*|\w+_(st|ptds|ptsz)|CUDA_API_PER_\w+",
        hip=HIP_API,
        tables=("hip",),
        rules=(
            (r"cu([A-Z]\w*?)(?:_v\d+)?", r"hipDrv\1"),
            (r"cu((?:Occupancy|Launch)\w+)", r"hipModule\1"),
            (r"cu([A-Z]\w*?)(?:_v\d+)?", r"hip\1"),
            (r"cuMemAlloc(\w*)", r"hipMalloc\1"),
            (r"cuMemFree(\w*)", r"hipFree\1"),
            (r"cuMemHost(\w+)", r"hipHost\1"),
            (r"CU([a-z]\w*?)(?:_enum|_v\d+)*", r"hip\1_t"),
            (r"CU([a-z]\w*?)(?:_enum|_v\d+)*", r"hip\1"),
            (r"CUDA_((?!ERROR_|SUCCESS)\w+?)(?:_v\d+)?", r"HIP_\1"),
            (r"CUDA_(ERROR_\w+|SUCCESS)", r"hip\1"),
            (r"CUDA_(\w+?)(?:_v\d+)?", r"hip\1"),
            (r"CU_((?:AD_FORMAT|TR_|RES_VIEW|TRSF|TRSA|FUNC_ATTRIBUTE|POINTER_ATTRIBUTE)\w+)", r"HIP_\1"),
            (r"CU_(\w+)", r"hip\1"),
            (r"CU_JIT_(\w+)", r"hipJitOption\1"),
            (r"CU_JIT_(\w+)", r"HIPRTC_JIT_\1"),
            (r"CU_(\w+)", r"HIP_\1"),
        ),
        absent="no counterpart in HIP up to 7.1",
    ),
    Library(
        name="device",
        cuda=(
            ("cuda-crt", ("crt/device_functions.h", "crt/device_double_functions.h", "crt/sm_*_rt.h")),
            ("cuda-runtime", (
                "sm_*_intrinsics.h", "sm_*_atomic_functions.h", "device_atomic_functions.h",
                "vector_types.h", "vector_functions.h", "texture_indirect_functions.h",
                "surface_indirect_functions.h", "texture_fetch_functions.h", "surface_functions.h",
                "device_launch_parameters.h", "device_types.h",
            )),
        ),
        names=r"__\w+|atomic\w+|tex\w+|surf\w+|make_\w+|u?(char|short|int|long|longlong)[1-4](_\w+)?"
        r"|(float|double)[1-4](_\w+)?|dim3|fdivide|threadIdx|blockIdx|blockDim|gridDim|warpSize",
        skip=r"__hadd|__(nv(?!_isClosureType)|NV_|cuda|builtin|internal|DEVICE|SM_|DEF_IF|device_builtin|prof|pm\d|"
        r"attribute|align|VECTOR|TEXTURE|SURFACE|pragma|CUDA|BUILTIN|STATIC|cuda_builtin|nvvm|mma|"
        r"(i|u|ull|ill|ll|f|d|u128)Atomic|val$|dp_|wmma|imma|bmma|dmma|hmma|fmt|xmma)\w*|__\w*(DECL|H)__|__(global|device|host|shared|"
        r"constant|managed|grid_constant|forceinline|noinline|location|specialization_static|"
        r"inline_hint|no_return|tile_global|tile|no_alias|maxnreg|block_size|cluster_dims)__|"
        r"textureReference|surfaceReference",
        hip=HIP_DEVICE,
        tables=("hip",),
        rules=(SAME,),
        device=True,
        absent="no device function of this name in HIP up to 7.1",
    ),
    Library(
        name="half",
        cuda=(("cuda-runtime", ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h")),),
        names=r"__\w+|half2?|nv_\w+|h2?[a-z]\w+|make_half2|atomicAdd|CUDART_(INF|NAN|ZERO|ONE|MAX|MIN|"
        r"NEG|DEN)\w*_(FP|BF)16",
        skip=r"__(CUDA|HALF|BFLOAT|NV_STRONG|FP8|half2?_raw_)\w*|__\w+DECL\w*|___\w+|half_\w+|__nv_(half|fp6|fp4)\w*"
        r"|nv_half2?|__internal\w*",
        hip=(
            "hip/amd_detail/amd_hip_fp16.h", "hip/amd_detail/amd_hip_bf16.h", "hip/amd_detail/amd_hip_fp8.h",
            "hip/amd_detail/hip_fp16*.h", "hip/amd_detail/amd_warp*_functions.h", "hip/amd_detail/hip_ldg.h",
            "hip/amd_detail/amd_hip_atomic.h", "hip/hip_fp8.h", "hip/amd_detail/amd_hip_unsafe_atomics.h",
        ),
        tables=("hip",),
        rules=(
            (r"__nv_(bfloat16\w*|fp8\w*)", r"__hip_\1"),
            (r"nv_(bfloat16\w*)", r"__hip_\1"),
            (r"__nv_cvt_(\w+)", r"__hip_cvt_\1"),
            (r"CUDART_(\w+_(?:FP|BF)16)", r"HIPRT_\1"),
            (r"__NV_(\w+)", r"__HIP_\1"),
            SAME,
        ),
        device=True,
        absent="no such half, bf16 or fp8 name in the HIP headers read",
    ),
    Library(
        name="math",
        cuda=(("cuda-crt", ("crt/math_functions.h",)), ("cuda-runtime", ("math_constants.h",))),
        names=r"[a-z]\w*|CUDART_\w+",
        skip=r"(std|min|max|u?ll?(min|max)|umin|umax|__\w+|operator|acc\w*|namespace|isinf\w*|_\w+|"
        r"finite\w*|signbit\w*|isnan\w*|isfinite\w*|long|int|x|y|clock_t|f|l|d|[a-z])",
        hip=("__clang_hip_*.h", "hip/hip_math_constants.h", "hip/amd_detail/amd_hip_math_constants.h",
             "hip/amd_detail/amd_math_functions.h", "hip/amd_detail/math_fwd.h"),
        rules=((r"CUDART_(\w+)", r"HIP_\1"), SAME),
        tables=("hip",),
        device=True,
        absent="no device function of this name in HIP's headers",
    ),
    Library(
        name="complex",
        cuda=(("cuda-runtime", ("cuComplex.h",)),),
        names=r"cu(?!Complex_h)\w+|make_cu\w+",
        hip=("hip/amd_detail/amd_hip_complex.h", "hip/hip_complex.h"),
        tables=("hip",),
        rules=((r"cu(\w+)", r"hip\1"), (r"make_cu(\w+)", r"make_hip\1")),
    ),
    Library(
        name="blas",
        cuda=(("cuda-cublas", ("cublas_v2.h", "cublas_api.h", "cublasXt.h")),),
        names=r"cublas\w+|CUBLAS_\w+",
        skip=r"CUBLAS_(API|\w*_H_*|VER_\w+|V2_H)|cublasXtContext",
        hip=("hipblas/hipblas.h", "hipblas-common/*.h"),
        tables=("hipblas", "hipblas-common"),
        rules=(
            (r"cublas(\w+?)(?:_v2)?(_64)?", r"hipblas\1\2"),
            (r"cublas(\w+)", r"hipblas\1_t"),
            (r"CUBLAS_(\w+)", r"HIPBLAS_\1"),
        ),
        absent="no counterpart in hipBLAS",
    ),
    Library(
        name="blaslt",
        cuda=(("cuda-cublas", ("cublasLt.h",)),),
        names=r"cublasLt\w+|CUBLASLT_\w+",
        hip=("hipblaslt/hipblaslt.h", "hipblaslt/hipblaslt-*.h*"),
        tables=("hipblaslt",),
        rules=((r"cublasLt(\w+)", r"hipblasLt\1"), (r"CUBLASLT_(\w+)", r"HIPBLASLT_\1")),
        absent="no counterpart in hipBLASLt",
    ),
    Library(
        name="sparse",
        cuda=(("cuda-cusparse", ("cusparse.h",)),),
        names=r"cusparse\w+|CUSPARSE_\w+",
        skip=r"CUSPARSE_(API|\w*_H_*|VER_\w+|DEPRECATED\w*|CPP\w*)",
        hip=("hipsparse/hipsparse.h",),
        tables=("hipsparse",),
        rules=((r"cusparse(\w+)", r"hipsparse\1"), (r"CUSPARSE_(\w+)", r"HIPSPARSE_\1")),
        absent="no counterpart in hipSPARSE",
    ),
    Library(
        name="sparselt",
        cuda=(("cusparselt", ("cusparseLt.h",)),),
        names=r"cusparseLt\w+|CUSPARSELT_\w+|cusparseComputeType|CUSPARSE_COMPUTE_\w+",
        skip=r"CUSPARSELT_(VER_\w+|VERSION)",
        hip=(),
        rules=(
            (r"cusparse(\w+)", r"hipsparse\1"),
            (r"CUSPARSELT_(\w+)", r"HIPSPARSELT_\1"),
            (r"CUSPARSE_(\w+)", r"HIPSPARSELT_\1"),
        ),
        unread="hipsparselt/hipsparselt.h",
    ),
    Library(
        name="solver",
        cuda=(("cuda-cusolver", ("cusolver_common.h", "cusolverDn.h", "cusolverSp.h", "cusolverRf.h",
                                 "cusolverMg.h")),),
        names=r"cusolver\w+|CUSOLVER\w+",
        skip=r"CUSOLVER\w*_H_*|CUSOLVER_VER\w*|CUSOLVER_(API|DEPRECATED|CPP\w*)",
        hip=("hipsolver/hipsolver.h", "hipsolver/internal/*.h"),
        tables=("hipsolver",),
        rules=((r"cusolver(\w+)", r"hipsolver\1"), (r"CUSOLVER(\w+)", r"HIPSOLVER\1")),
        absent="no counterpart in hipSOLVER",
    ),
    Library(
        name="rand",
        cuda=(("cuda-curand", ("curand.h", "curand_kernel.h", "curand_uniform.h", "curand_normal.h",
                               "curand_lognormal.h", "curand_poisson.h", "curand_discrete*.h",
                               "curand_philox4x32_x.h", "curand_mtgp32*.h", "curand_mrg32k3a.h",
                               "curand_globals.h")),),
        names=r"curand\w*|CURAND_\w+",
        skip=r"CURAND_\w*_H_*|CURAND_VER\w*|curand_mtgp32dc\w*|curand[a-z]\w*",
        hip=("hiprand/*.h",),
        tables=("hiprand",),
        rules=(
            (r"curand(\w*)", r"hiprand\1"),
            (r"curand(\w+)", r"hiprand\1_t"),
            (r"CURAND_(\w+)", r"HIPRAND_\1"),
        ),
        absent="no counterpart in hipRAND",
    ),
    Library(
        name="fft",
        cuda=(("cuda-cufft", ("cufft.h", "cufftXt.h", "cudalibxt.h")),),
        names=r"cufft\w+|CUFFT_\w+|cudaLibXt\w*|cudaXt\w*|CUFFT\w+",
        skip=r"CUFFT(_|)(API|\w*_H_*|VER\w*|DEPRECATED)",
        hip=("hipfft/*.h",),
        tables=("hipfft",),
        rules=(
            (r"cufft(\w+)", r"hipfft\1"), (r"CUFFT(\w+)", r"HIPFFT\1"), (r"cuda(\w+)", r"hip\1"),
        ),
        absent="no counterpart in hipFFT",
    ),
    Library(
        name="rtc",
        cuda=(("cuda-nvrtc", ("nvrtc.h",)),),
        names=r"nvrtc\w+|NVRTC_\w+",
        hip=("hip/hiprtc.h",),
        rules=((r"nvrtc(?:Get)?(\w+)", r"hiprtc\1"), (r"nvrtc(\w+)", r"hiprtc\1"),
               (r"NVRTC_(\w+)", r"HIPRTC_\1")),
        absent="no counterpart in HIPRTC",
    ),
    Library(
        name="nccl",
        cuda=(("nccl", ("nccl.h",)),),
        names=r"p?nccl[A-Z]\w*|NCCL_\w+",
        skip=r"NCCL_H_",
        hip=("rccl/rccl.h",),
        tables=("rccl",),
        rules=(SAME,),
        absent="not in RCCL's header",
    ),
    Library(
        name="dnn",
        cuda=(("cudnn", ("cudnn_version.h", "cudnn_graph.h", "cudnn_ops.h", "cudnn_cnn.h", "cudnn_adv.h")),),
        names=r"cudnn[A-Z]\w*|CUDNN_\w+",
        skip=r"CUDNN\w*_H_*|CUDNN_\w*VERSION_CHECK\w*|CUDNN_DEPRECATED\w*",
        hip=("miopen/miopen.h",),
        rules=((r"cudnn(\w+)", r"miopen\1"), (r"CUDNN_(\w+)", r"miopen\1")),
        absent="no counterpart in MIOpen 6.0: its API differs, see miopen/miopen.h",
    ),
    Library(
        name="nvtx",
        cuda=(("cuda-nvtx", ("nvtx3/nvToolsExt.h",)),),
        names=r"nvtx[A-Z]\w*|NVTX_\w+",
        skip=r"NVTX_(?!VERSION)\w*|nvtx\w*_(impl|fakeimpl)\w*",
        hip=("roctracer/roctx.h", "rocprofiler-sdk-roctx/*.h"),
        rules=((r"nvtx(\w+?)(?:A)?", r"roctx\1"), (r"nvtx(\w+)", r"roctx\1")),
        absent="no counterpart in rocTX",
    ),
    Library(
        name="nvml",
        cuda=(("cuda-nvml", ("nvml.h",)),),
        names=r"nvml[A-Z]\w*|NVML_(SUCCESS|ERROR_\w+|P2P_\w+|CLOCK_\w+|TEMPERATURE_\w+|DEVICE_\w+)",
        skip=r".*_(st|enum)|nvml\w*_v\d+(_t)?",
        hip=(),
        rules=(),
        absent="NVML has no drop-in counterpart: ROCm SMI (rocm_smi/rocm_smi.h) or AMD SMI answer these queries",
    ),
    Library(
        name="cufile",
        cuda=(("cuda-cufile", ("cufile.h",)),),
        names=r"cuFile\w*|CUfile\w*|CU_FILE\w*",
        skip=r".*_st",
        hip=(),
        rules=(),
        absent="hipFile is in none of the headers read: use plain reads into pinned memory",
    ),
)  # fmt: skip

# The public header that brings what an inner one declares; the first pattern that matches wins.
PUBLIC_CUDA: tuple[Rule, ...] = (
    (r"crt/math_functions\.h|math_functions\.h", "cuda_runtime.h"),
    (r"crt/.*|sm_.*|device_.*|vector_.*|texture_(indirect|fetch).*|surface_(indirect|func).*", "cuda_runtime.h"),
    (r"driver_types\.h|texture_types\.h|surface_types\.h|cuda_(texture|surface)_types\.h|channel_descriptor\.h",
     "cuda_runtime_api.h"),
    (r"cublas_api\.h", "cublas_v2.h"),
    (r"curand_(?!kernel).*", "curand_kernel.h"),
    (r"cudnn_.*", "cudnn.h"),
    (r"cub/.*", "cub/cub.cuh"),
)  # fmt: skip
PUBLIC_HIP: tuple[Rule, ...] = (
    (r".*amd_hip_fp16\.h|.*hip_fp16\w*\.h", "hip/hip_fp16.h"),
    (r".*amd_hip_bf16\.h", "hip/hip_bf16.h"),
    (r".*amd_hip_fp8\.h", "hip/hip_fp8.h"),
    (r".*amd_hip_complex\.h", "hip/hip_complex.h"),
    (r".*hip_math_constants\.h", "hip/hip_math_constants.h"),
    (r".*amd_hip_cooperative_groups\.h|.*cooperative_groups_helper\.h", "hip/hip_cooperative_groups.h"),
    (r".*amd_hip_gl_interop\.h", "hip/hip_gl_interop.h"),
    (r"hip/driver_types\.h|hip/texture_types\.h|hip/surface_types\.h|hip/channel_descriptor\.h|.*linker_types\.h",
     "hip/hip_runtime_api.h"),
    (r".*hip_prof_str\.h", "hip/hip_runtime_api.h"),
    (r"(.*/)?hip/amd_detail/.*|__clang_hip_.*", "hip/hip_runtime.h"),
    (r"(.*/)?hipblas/.*|.*/hipblas\.h|.*hipblas-common.*", "hipblas/hipblas.h"),
    (r"(.*/)?hipblaslt.*", "hipblaslt/hipblaslt.h"),
    (r"(.*/)?hipsparse\.h", "hipsparse/hipsparse.h"),
    (r"(.*/)?hipsolver.*", "hipsolver/hipsolver.h"),
    (r"(.*/)?hiprand/(hiprand_mtgp32_host\.h)", r"hiprand/\2"),
    (r"(.*/)?hiprand_kernel.*", "hiprand/hiprand_kernel.h"),
    (r"(.*/)?hiprand/hiprand\w*\.h|library/.*hiprand\.h", "hiprand/hiprand.h"),
    (r"(.*/)?(hipfft/hipfft\w*\.h)", r"\2"),
    (r"(.*/)?hiplibxt\.h", "hipfft/hipfftXt.h"),
    (r".*nccl\.h\.in", "rccl/rccl.h"),
    (r"(.*/)?hipcub/.*", "hipcub/hipcub.hpp"),
    (r"rocprofiler-sdk-roctx/.*", "rocprofiler-sdk-roctx/roctx.h"),
)  # fmt: skip


def public(header: str, rules: tuple[Rule, ...]) -> str:
    """The header that a user includes for what `header` declares."""
    for pattern, name in rules:
        match = re.fullmatch(pattern, header)
        if match is not None:
            return match.expand(name)
    return header


def candidates(rules: tuple[Rule, ...], name: str) -> list[str]:
    """The HIP spellings that the rules give, in the order to try them."""
    found = []
    for pattern, spelling in rules:
        match = re.fullmatch(pattern, name)
        if match is not None:
            found.append(match.expand(spelling))
    return found


def fold(name: str) -> str:
    """A spelling for comparing names whose words are joined in another way."""
    return name.replace("_", "").lower()
