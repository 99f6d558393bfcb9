from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

HALF = [
    "-U__CUDA_NO_HALF_OPERATORS__",
    "-U__CUDA_NO_HALF_CONVERSIONS__",
    "-U__CUDA_NO_HALF2_OPERATORS__",
    "-U__CUDA_NO_BFLOAT16_CONVERSIONS__",
]

setup(
    name="undefines",
    ext_modules=[
        CUDAExtension(
            "undefines",
            ["casts.cu"],
            undef_macros=["SLOW_PATH"],
            extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "--use_fast_math", *HALF]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
