from pathlib import Path

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

here = Path(__file__).resolve().parent

setup(
    name="headers_elsewhere",
    ext_modules=[
        CUDAExtension(
            name="headers_elsewhere._C",
            sources=["csrc/cuda/kernel.cu"],
            include_dirs=[str(here / "include"), str(here / "third")],
            define_macros=[("WITH_CUDA", None), ("TILE", "32")],
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
