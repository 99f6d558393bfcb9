"""Figures read from text that clang 19.1.7 and ptxas 13.0.88 printed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warp2wave.build.processes import Runner
from warp2wave.build.resources import amd_resources, demangled, nvidia_resources
from warp2wave.model import KernelResources

AMD = """\
lds.cu:3:1: remark: Function Name: _Z6stagedPf [-Rpass-analysis=kernel-resource-usage]
    3 | __global__ void staged(float* p) {
      | ^
lds.cu:3:1: remark:     SGPRs: 10 [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     VGPRs: 3 [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     AGPRs: 1 [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     ScratchSize [bytes/lane]: 272 [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     Dynamic Stack: False [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     Occupancy [waves/SIMD]: 8 [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     SGPRs Spill: 2 [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     VGPRs Spill: 5 [-Rpass-analysis=kernel-resource-usage]
lds.cu:3:1: remark:     LDS Size [bytes/block]: 4096 [-Rpass-analysis=kernel-resource-usage]
lds.cu:7:1: warning: unused variable 'remark: VGPRs: 9' [-Wunused-variable]
lds.cu:9:1: remark: Function Name: _Z5callsIfEvPT_i [-Rpass-analysis=kernel-resource-usage]
lds.cu:9:1: remark:     SGPRs: 39 [-Rpass-analysis=kernel-resource-usage]
"""
NVIDIA = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kIdEvPT_' for 'sm_90'
ptxas info    : Function properties for _Z1kIdEvPT_
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 8192 bytes smem
ptxas info    : Compile time = 55.293 ms
ptxas info    : Compiling entry function '_Z1kIfEvPT_' for 'sm_90'
ptxas info    : Function properties for _Z1kIfEvPT_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers
"""


def test_clang_remarks() -> None:
    staged, calls = amd_resources(AMD, "gfx90a")
    assert staged == KernelResources(
        kernel="_Z6stagedPf",
        arch="gfx90a",
        vector_registers=3,
        accumulation_registers=1,
        scalar_registers=10,
        scratch_bytes=272,
        vector_spills=5,
        scalar_spills=2,
        shared_bytes=4096,
        occupancy=8,
    )
    assert calls == KernelResources("_Z5callsIfEvPT_i", "gfx90a", scalar_registers=39)


def test_ptxas_report() -> None:
    first, second = nvidia_resources(NVIDIA, "sm_90")
    assert first == KernelResources(
        kernel="_Z1kIdEvPT_",
        arch="sm_90",
        vector_registers=12,
        scratch_bytes=16,
        vector_spills=2,
        shared_bytes=8192,
    )
    assert (second.vector_registers, second.shared_bytes, second.vector_spills) == (10, 0, 0)


def test_silence_is_no_kernel() -> None:
    assert amd_resources("", "gfx90a") == ()
    assert nvidia_resources("", "sm_90") == ()


@pytest.mark.skipif(shutil.which("c++filt") is None, reason="needs binutils")
def test_names_become_readable() -> None:
    program = Path(shutil.which("c++filt") or "")
    mangled = ["_Z6stagedPf", "_Z5callsIfEvPT_i", "plain", "_ZN2ns1kIPFviEEEvT_"]
    kernels = [KernelResources(name, "gfx90a") for name in mangled]
    names = [kernel.kernel for kernel in demangled(kernels, program, Runner())]
    assert names == ["staged", "calls<float>", "plain", "ns::k<void (*)(int)>"]
