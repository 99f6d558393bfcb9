"""torch_namespaces.h against stand-ins of PyTorch's headers, by the host compiler.

Against PyTorch's real headers of both generations it is compiled in tests/toolchain.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

COMPAT = Path(__file__).resolve().parents[3] / "src/warp2wave/include/warp2wave/compat"

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")

HIPIFY_2 = "#pragma once\n#define C10_CUDA_CHECK(x) (x)\n#define C10_HIP_CHECK C10_CUDA_CHECK\n"
CONTEXT = """#pragma once
namespace c10 { using DeviceIndex = signed char; }
struct hipDeviceProp_t { int warpSize; int multiProcessorCount; };
namespace at::cuda {
inline int current_device() { return 1; }
inline hipDeviceProp_t* getDeviceProperties(c10::DeviceIndex device) {
  static hipDeviceProp_t all[2] = {{64, 104}, {64, 110}};
  return &all[device];
}
inline hipDeviceProp_t* getCurrentDeviceProperties() { return getDeviceProperties(1); }
}
"""


def run(tmp_path: Path, program: str, headers: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Compile and run `program` with `headers` as all that there is of PyTorch."""
    for name, text in headers.items():
        path = tmp_path / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    source = tmp_path / "program.cpp"
    source.write_text(program)
    flags = [
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{tmp_path / 'include'}",
        f"-I{COMPAT}",
    ]
    built = subprocess.run(
        ["g++", *flags, str(source), "-o", str(tmp_path / "program")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, check=False)


def test_nothing_is_defined_on_hipify_2(tmp_path: Path) -> None:
    """Were anything asked for but the header with the macro, the compiler would miss it."""
    program = """#include "torch_namespaces.h"
namespace c10::cuda { struct CUDAStream {}; struct CUDAGuard {}; }
namespace at::cuda { using namespace c10::cuda; }
#ifdef W2W_TORCH_HIPIFY_1
#error "taken for hipify 1"
#endif
int main() { at::cuda::CUDAStream stream; (void)stream; return 0; }
"""
    assert run(tmp_path, program, {"c10/hip/HIPException.h": HIPIFY_2}).returncode == 0


def test_torch_headers_are_read_as_third_party(tmp_path: Path) -> None:
    """A wrapper met from here must only forward; afterwards the macro is as it was."""
    header = HIPIFY_2 + "#ifndef W2W_INSIDE_THIRD_PARTY\n#error\n#endif\n"
    program = """#include "torch_namespaces.h"
#ifdef W2W_INSIDE_THIRD_PARTY
#error "still inside"
#endif
#define W2W_INSIDE_THIRD_PARTY
#include "torch_namespaces.h"
#ifndef W2W_INSIDE_THIRD_PARTY
#error "taken out of the header that includes it"
#endif
int main() { return 0; }
"""
    assert run(tmp_path, program, {"c10/hip/HIPException.h": header}).returncode == 0


def test_device_properties_report_32_lanes_and_all_else_as_it_is(tmp_path: Path) -> None:
    program = """#include "torch_namespaces.h"
#include <ATen/hip/HIPContextLight.h>
#define W2W_DEVICE_PROP
struct w2w_device_prop : hipDeviceProp_t { int w2w_warp_size = 32; };
constexpr int w2w_warp_size = 32;
#include "torch_namespaces.h"
#include "torch_namespaces.h"
#include <cstdio>
using namespace at::cuda;  // must not make the constant ambiguous
int main() {
  w2w_device_prop* first = at::cuda::w2w_device_properties(0);
  w2w_device_prop* current = at::cuda::w2w_current_device_properties();
  bool stable = first == at::cuda::w2w_device_properties(0);
  std::printf("%d %d %d %d %d %d", first->w2w_warp_size, first->multiProcessorCount,
              current->multiProcessorCount, stable, w2w_warp_size, w2w_logical_warp_size());
}
"""
    headers = {"c10/hip/HIPException.h": HIPIFY_2, "ATen/hip/HIPContextLight.h": CONTEXT}
    assert run(tmp_path, program, headers).stdout == "32 104 110 1 32 32"
