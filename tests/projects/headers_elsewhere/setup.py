import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

here = os.path.dirname(os.path.abspath(__file__))

setup(
    name="headers_elsewhere",
    ext_modules=[
        CUDAExtension(
            name="headers_elsewhere._C",
            sources=["csrc/cuda/kernel.cu"],
            include_dirs=[os.path.join(here, "include"), os.path.join(here, "third")],
            define_macros=[("WITH_CUDA", None), ("TILE", "32")],
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
