import numpy as np
import pytest
import stream_ops
import torch

DEVICES = [
    "cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
    ),
]
# Around a warp, a block of 256, a tile of 1024, and 1024 tiles (a second level of the scan).
LENGTHS = [0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 50_001, 1_100_000]
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
ALL_TYPES = [*INTEGERS, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool]


def random_integers(low, high, n, dtype=torch.int64, seed=0):
    generator = torch.Generator().manual_seed(seed + n)
    return torch.randint(low, high, (n,), generator=generator).to(dtype)


def counted(values, bins):
    values = values.cpu().long()
    return torch.bincount(values[(values >= 0) & (values < bins)], minlength=bins)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("bins", [1, 7, 32, 1000])
def test_histogram(device, n, bins):
    values = random_integers(0, bins, n)
    counts = stream_ops.histogram(values.to(device), bins)
    assert counts.dtype == torch.int64
    assert torch.equal(counts.cpu(), counted(values, bins))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_histogram_types(device, dtype):
    values = random_integers(0, 100, 10_000, dtype)
    assert torch.equal(stream_ops.histogram(values.to(device), 100).cpu(), counted(values, 100))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("bins", [12_288, 12_289, 100_000])  # the last that fits, and beyond
def test_histogram_of_many_bins(device, bins):
    values = random_integers(0, bins, 300_000)
    values[:1000] = bins - 1
    assert torch.equal(stream_ops.histogram(values.to(device), bins).cpu(), counted(values, bins))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("bins", [16, 20_000])
def test_histogram_of_equal_values(device, bins):
    """Every lane of every warp wants the same counter, but for a ragged end."""
    counts = stream_ops.histogram(torch.full((1_000_003,), 5, device=device), bins)
    assert counts[5].item() == counts.sum().item() == 1_000_003


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("bins", [10, 20_000])
def test_histogram_ignores_what_is_out_of_range(device, bins):
    values = random_integers(-bins, 2 * bins, 70_001)
    values[0], values[1] = 2**62, -(2**62)
    values[2], values[3] = 2**32, 2**32 + 1  # in range once cut to 32 bits
    assert torch.equal(stream_ops.histogram(values.to(device), bins).cpu(), counted(values, bins))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_scan_of_integers(device, n, dtype):
    values = random_integers(-50, 100, n, dtype)
    result = stream_ops.inclusive_scan(values.to(device))
    assert result.dtype == dtype
    assert torch.equal(result.cpu(), torch.cumsum(values, 0, dtype=dtype))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_scan_of_floats(device, n, dtype):
    values = torch.rand(n, generator=torch.Generator().manual_seed(n), dtype=dtype)
    result = stream_ops.inclusive_scan(values.to(device)).double().cpu()
    # Summed in more digits than float64 has: in order, the reference's own error would show.
    exact = np.cumsum(values.numpy().astype(np.longdouble)).astype(np.float64)
    expected = torch.from_numpy(exact)
    # Positive terms: the relative error of a sum in tree order grows slower than this; that of a
    # sum in order, as on the CPU, may grow with n itself.
    slack = 64 if device == "cuda" else max(n, 1)
    torch.testing.assert_close(result, expected, rtol=slack * torch.finfo(dtype).eps, atol=0.0)


@pytest.mark.parametrize("device", DEVICES)
def test_scan_before_a_large_value_and_an_infinity(device):
    values = torch.full((5000,), 1e-6, device=device)
    values[3] = 1e6
    values[2100] = float("inf")
    result = stream_ops.inclusive_scan(values)
    torch.testing.assert_close(result[:3], torch.tensor([1e-6, 2e-6, 3e-6], device=device))
    assert torch.isfinite(result[:2100]).all()
    assert torch.isposinf(result[2100:]).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
def test_compact(device, n, share):
    values = torch.arange(n, dtype=torch.int32)
    mask = torch.rand(n, generator=torch.Generator().manual_seed(n)) < share
    result = stream_ops.compact(values.to(device), mask.to(device))
    assert torch.equal(result.cpu(), values[mask])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ALL_TYPES, ids=str)
def test_compact_types(device, dtype):
    values = random_integers(0, 100, 3000).to(dtype)
    mask = random_integers(0, 2, 3000, seed=1).bool()
    result = stream_ops.compact(values.to(device), mask.to(device))
    assert result.dtype == dtype
    assert torch.equal(result.cpu(), values[mask])


@pytest.mark.parametrize("device", DEVICES)
def test_non_contiguous(device):
    values = random_integers(0, 64, 6000).to(device)
    mask = (random_integers(0, 2, 4000, seed=2) > 0).to(device)
    every_third = values[::3]
    assert torch.equal(stream_ops.histogram(every_third, 64).cpu(), counted(every_third.cpu(), 64))
    assert torch.equal(stream_ops.inclusive_scan(every_third), torch.cumsum(every_third, 0))
    assert torch.equal(stream_ops.compact(every_third, mask[::2]), every_third[mask[::2]])


@pytest.mark.parametrize("device", DEVICES)
def test_errors(device):
    values = torch.arange(10, device=device)
    with pytest.raises(RuntimeError, match="expected a vector"):
        stream_ops.histogram(values.reshape(2, 5), 4)
    with pytest.raises(RuntimeError, match="expected integers"):
        stream_ops.histogram(values.float(), 4)
    with pytest.raises(RuntimeError, match="bins out of range"):
        stream_ops.histogram(values, 0)
    with pytest.raises(RuntimeError, match="inclusive_scan: expected int32"):
        stream_ops.inclusive_scan(values.half())
    with pytest.raises(RuntimeError, match="vectors of one length"):
        stream_ops.compact(values, values[1:] > 3)
    with pytest.raises(RuntimeError, match="bool mask"):
        stream_ops.compact(values, values)


@pytest.mark.parametrize("device", DEVICES)
def test_opcheck(device):
    values = random_integers(0, 9, 500).to(device)
    torch.library.opcheck(torch.ops.stream_ops.histogram.default, (values, 9))
    torch.library.opcheck(torch.ops.stream_ops.inclusive_scan.default, (values,))
    torch.library.opcheck(torch.ops.stream_ops.compact.default, (values, values > 4))
