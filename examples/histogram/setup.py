import os

import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension

use_cuda = torch.cuda.is_available() or os.getenv("FORCE_CUDA", "0") == "1"

sources = ["csrc/ops.cpp"]
if use_cuda:
    sources.append("csrc/stream_ops.cu")

setup(
    name="stream_ops",
    version="0.1.0",
    packages=["stream_ops"],
    package_data={"stream_ops": ["*.so"]},
    ext_modules=[
        (CUDAExtension if use_cuda else CppExtension)(
            name="stream_ops._C",
            sources=sources,
            extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    install_requires=["torch>=2.6"],
)
