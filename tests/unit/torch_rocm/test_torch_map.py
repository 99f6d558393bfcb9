"""What the API map says of PyTorch's headers."""

from __future__ import annotations

import pytest

from warp2wave.apimap import load
from warp2wave.apimap.lookup import DATA
from warp2wave.apimap.tables import read_table, read_toml
from warp2wave.port.platform import TORCH_PREFIXES


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("ATen/cuda/CUDAContext.h", "ATen/hip/HIPContext.h"),
        ("ATen/cuda/Atomic.cuh", "ATen/hip/Atomic.cuh"),
        ("ATen/cuda/detail/IndexUtils.cuh", "ATen/hip/detail/IndexUtils.cuh"),
        ("ATen/cuda/CUDAConfig.h", "ATen/hip/HIPConfig.h"),
        ("ATen/native/cuda/KernelUtils.cuh", "ATen/native/hip/KernelUtils.cuh"),
        ("c10/cuda/CUDAStream.h", "c10/hip/HIPStream.h"),
        ("c10/cuda/CUDAGuard.h", "c10/hip/HIPGuard.h"),
        # hipify leaves an include of this one alone, though it writes the HIP file.
        ("c10/cuda/driver_api.h", "c10/hip/driver_api.h"),
    ],
)
def test_cuda_named_header_has_its_hip_name(cuda: str, hip: str) -> None:
    entry = load().header(cuda)
    assert entry is not None
    assert (entry.hip, entry.status, entry.library) == (hip, "same", "torch")
    assert "torch 2.13.0" in entry.source


@pytest.mark.parametrize("name", ["ATen/cudnn/Handle.h", "ATen/cudnn/Descriptors.h"])
def test_cudnn_header_has_none(name: str) -> None:
    entry = load().header(name)
    assert entry is not None
    assert entry.hip is None
    assert entry.status == "missing"
    assert "MIOpen" in entry.note


@pytest.mark.parametrize(
    "name", ["torch/extension.h", "c10/util/Half.h", "torch/csrc/cuda/Stream.h"]
)
def test_header_of_both_platforms_has_no_entry_but_is_known_as_torchs(name: str) -> None:
    assert load().header(name) is None
    assert name.startswith(TORCH_PREFIXES)


def test_every_row_is_a_torch_header_with_another_name() -> None:
    rows = read_table(DATA / "torch.toml").rows
    assert rows
    assert all(row.cuda.startswith(TORCH_PREFIXES) and row.cuda != row.hip for row in rows)
    assert tuple(read_toml(DATA / "torch.toml")["prefixes"]) == TORCH_PREFIXES
