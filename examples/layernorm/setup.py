import os

import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension

use_cuda = torch.cuda.is_available() or os.getenv("FORCE_CUDA", "0") == "1"

sources = ["csrc/ops.cpp"]
if use_cuda:
    sources.append("csrc/norm.cu")

setup(
    name="fused_norm",
    version="0.1.0",
    packages=["fused_norm"],
    package_data={"fused_norm": ["*.so"]},
    ext_modules=[
        (CUDAExtension if use_cuda else CppExtension)(
            name="fused_norm._C",
            sources=sources,
            extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    install_requires=["torch>=2.6"],
)
