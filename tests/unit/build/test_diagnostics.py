"""Compilers' words, taken from clang 19.1.7, gcc 12 and nvcc 13.0.88, tied to the user's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp2wave.build.diagnostics import first_failure

ROOT = Path("/home/me/ext")

CLANG_OWN_HEADER = """\
a.cu:9:3: warning: unused variable 'x' [-Wunused-variable]
In file included from a.cu:2:
./user.cuh:4:40: error: use of undeclared identifier 'undeclared_name'
    4 | __device__ inline void broken(int x) { undeclared_name(x); }
      |                                        ^
1 error generated when compiling for gfx90a.
"""
CLANG_INSTANTIATION = """\
In file included from a.cu:2:
In file included from ./user.cuh:2:
/opt/lib/lib.h:2:50: error: static assertion failed due to requirement 'sizeof(double) == 4': 4!
    2 | template <typename T> struct Box { static_assert(sizeof(T) == 4, "4!"); T v; };
      |                                                  ^~~~~~~~~~~~~~
./user.cuh:3:55: note: in instantiation of template class 'Box<double>' requested here
    3 | template <typename T> __device__ T open(T x) { Box<T> b; b.v = x; return b.v; }
      |                                                       ^
a.cu:3:39: note: in instantiation of function template specialization 'open<double>' requested here
    3 | __global__ void k(double* p) { p[0] = open(p[1]); }
      |                                       ^
/opt/lib/lib.h:2:60: note: expression evaluates to '8 == 4'
1 error generated when compiling for gfx90a.
"""
CLANG_FOREIGN_INCLUDE = """\
In file included from csrc/a.cu:2:
In file included from gpu_compat/hip/cub/cub.cuh:7:
In file included from /opt/rocm/include/hipcub/hipcub.hpp:36:
/opt/rocm/include/hipcub/config.hpp:41:2: error: wave size unknown
1 error generated when compiling for gfx90a.
"""
NVCC_OWN_HEADER = """\
user.cuh(4): error: identifier "undeclared_name" is undefined
  __attribute__((device)) inline void broken(int x) { undeclared_name(x); }
                                                      ^

1 error detected in the compilation of "n.cu".
"""
NVCC_INSTANTIATION = """\
/opt/lib/lib.h(2): error: static assertion failed with "Box needs 4 bytes"
  template <typename T> struct Box { static_assert(sizeof(T) == 4, "Box needs 4 bytes"); T v; };
                                     ^
          detected during:
            instantiation of class "Box<T> [with T=double]" at line 3 of user.cuh
            instantiation of "T open(T) [with T=double]" at line 3 of n.cu

1 error detected in the compilation of "n.cu".
"""
GCC_MISSING_HEADER = """\
m.cu:1:10: fatal error: nothing.h: No such file or directory
    1 | #include <nothing.h>
      |          ^~~~~~~~~~~
compilation terminated.
"""
GCC_FOREIGN_MISSING = """\
In file included from /opt/torch/ATen/cuda/CUDAContext.h:3,
                 from csrc/b.cuh:4,
                 from csrc/a.cu:2:
/opt/torch/ATen/cuda/CUDAContextLight.h:10:10: fatal error: cusparse.h: No such file or directory
compilation terminated.
"""
CLANG_TOO_MUCH_LDS = """\
big.cu:2:17: error: local memory (90000) exceeds limit (65536) in 'k(char*)'
    2 | __global__ void k(char*p){ __shared__ char s[90000]; }
      |                 ^
1 error generated when compiling for gfx90a.
"""
PTXAS = """\
ptxas /tmp/tmpxft_00006c04_00000000-6_p.ptx, line 21; error   : Not a name of any known instruction
ptxas fatal   : Ptx assembly aborted due to errors
"""
PTXAS_SHARED = (
    "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x1d4c0 bytes, 0xc000 max)"
)


@pytest.mark.parametrize(
    ("said", "path", "line", "column", "message"),
    [
        (CLANG_OWN_HEADER, "user.cuh", 4, 40, "use of undeclared identifier 'undeclared_name'"),
        (
            CLANG_INSTANTIATION,
            "user.cuh",
            3,
            55,
            "static assertion failed due to requirement 'sizeof(double) == 4': 4!"
            " (in /opt/lib/lib.h:2)",
        ),
        (
            CLANG_FOREIGN_INCLUDE,
            "csrc/a.cu",
            2,
            0,
            "wave size unknown (in /opt/rocm/include/hipcub/config.hpp:41)",
        ),
        (NVCC_OWN_HEADER, "user.cuh", 4, 0, 'identifier "undeclared_name" is undefined'),
        (
            NVCC_INSTANTIATION,
            "user.cuh",
            3,
            0,
            'static assertion failed with "Box needs 4 bytes" (in /opt/lib/lib.h:2)',
        ),
        (GCC_MISSING_HEADER, "m.cu", 1, 10, "nothing.h: No such file or directory"),
        (
            GCC_FOREIGN_MISSING,
            "csrc/b.cuh",
            4,
            0,
            "cusparse.h: No such file or directory (in /opt/torch/ATen/cuda/CUDAContextLight.h:10)",
        ),
        (
            CLANG_TOO_MUCH_LDS,
            "big.cu",
            2,
            17,
            "local memory (90000) exceeds limit (65536) in 'k(char*)'",
        ),
        (PTXAS, "x.cu", 0, 0, "Not a name of any known instruction"),
        (
            PTXAS_SHARED,
            "x.cu",
            0,
            0,
            "Entry function '_Z1kPf' uses too much shared data (0x1d4c0 bytes, 0xc000 max)",
        ),
        (
            "clang++: error: unsupported HIP gpu architecture: gfx9999",
            "x.cu",
            0,
            0,
            "unsupported HIP gpu architecture: gfx9999",
        ),
        ("/home/me/ext/c/d.cu:7:1: error: no\n", "c/d.cu", 7, 1, "no"),
        ("größe two.cu:7:1: error: no\n", "größe two.cu", 7, 1, "no"),
        (
            "nvcc fatal   : Unsupported gpu architecture 'sm_5'",
            "x.cu",
            0,
            0,
            "Unsupported gpu architecture 'sm_5'",
        ),
        ("something odd\n", "x.cu", 0, 0, "something odd"),
        ("", "x.cu", 0, 0, "the compiler ended with status 1, saying nothing"),
    ],
)
def test_first_error(said: str, path: str, line: int, column: int, message: str) -> None:
    failure = first_failure(said, ROOT, "x.cu", "/cache/log")
    assert (failure.path, failure.line, failure.column, failure.message, failure.log) == (
        path,
        line,
        column,
        message,
        "/cache/log",
    )


def test_a_killed_compiler_says_by_what() -> None:
    failure = first_failure("", ROOT, "x.cu", "log", status=-9)
    assert "signal 9" in failure.message
