import my_ops
import pytest
import torch

DEVICES = [
    "cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
    ),
]
SHAPES = [
    (1, 1, 1),
    (128, 128, 32),
    (256, 384, 512),
    (127, 129, 33),  # a ragged edge on each side
    (130, 2, 7),
    (3, 1000, 1),
    (65, 72, 8),  # rows of eight halves: the vectorised loads
    (200, 136, 4096),
]
EPS = torch.finfo(torch.float16).eps


def assert_product(c, a, b):
    """Compare with float64: one rounding to half, and float32 sums over k terms."""
    a, b = a.detach().double().cpu(), b.detach().double().cpu()
    expected = a @ b
    sum_error = (a.abs() @ b.abs()) * a.shape[1] * torch.finfo(torch.float32).eps
    bound = expected.abs() * EPS / 2 + sum_error + 2.0**-24
    assert c.dtype == torch.float16
    assert c.shape == expected.shape
    excess = (c.detach().double().cpu() - expected).abs() - bound
    assert bool((excess <= 0).all()), f"off by {excess.max().item():.3g} more than allowed"


def matrices(m, n, k, device):
    generator = torch.Generator().manual_seed(m * 31 + n * 7 + k)
    a = torch.randn(m, k, generator=generator).half().to(device)
    b = torch.randn(k, n, generator=generator).half().to(device)
    return a, b


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
def test_matches_float64(device, m, n, k):
    a, b = matrices(m, n, k, device)
    assert_product(my_ops.custom_gemm(a, b), a, b)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("k", [1, 2, 31, 32, 64, 65, 1000, 4097])
@pytest.mark.parametrize("m", [1, 3, 4, 5, 129])
def test_matrix_times_vector(device, m, k):
    a, b = matrices(m, 1, k, device)
    assert_product(my_ops.custom_gemm(a, b), a, b)


@pytest.mark.parametrize("device", DEVICES)
def test_every_output_is_written_once(device):
    """With a = identity the product is b itself, exactly."""
    b = torch.arange(200 * 150, device=device).remainder(2048).half().reshape(200, 150)
    assert torch.equal(my_ops.custom_gemm(torch.eye(200, device=device).half(), b), b)


@pytest.mark.parametrize("device", DEVICES)
def test_non_contiguous(device):
    a, b = matrices(70, 90, 50, device)
    c = my_ops.custom_gemm(a.t().contiguous().t(), torch.cat([b, b], 1)[:, ::2][:, :45])
    assert_product(c, a, torch.cat([b, b], 1)[:, ::2][:, :45])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", [1, 64])
def test_storage_that_is_only_two_byte_aligned(device, n):
    a, b = matrices(40, n, 64, device)
    shifted = torch.empty(a.numel() + 1, dtype=a.dtype, device=device)[1:].view_as(a).copy_(a)
    assert_product(my_ops.custom_gemm(shifted, b), a, b)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("m", "n", "k"), [(0, 5, 3), (5, 0, 3), (5, 4, 0)])
def test_empty(device, m, n, k):
    a, b = matrices(m, n, k, device)
    c = my_ops.custom_gemm(a, b)
    assert c.shape == (m, n)
    assert torch.equal(c, torch.zeros_like(c))


@pytest.mark.parametrize("device", DEVICES)
def test_infinity_and_nan_pass_through(device):
    a, b = matrices(3, 4, 5, device)
    a[0, 0], a[1, 1] = float("inf"), float("nan")
    c = my_ops.custom_gemm(a, b)
    assert not torch.isfinite(c[0]).any()
    assert torch.isnan(c[1]).all()
    assert torch.isfinite(c[2]).all()


@pytest.mark.parametrize("device", DEVICES)
def test_accumulates_in_float32(device):
    """4096 products of 1: a sum in half would stick at 2048."""
    ones = torch.ones(4, 4096, device=device).half()
    c = my_ops.custom_gemm(ones, ones.t())
    assert torch.equal(c, torch.full_like(c, 4096.0))


@pytest.mark.parametrize("device", DEVICES)
def test_backward(device):
    a, b = matrices(33, 65, 40, device)
    a.requires_grad_()
    b.requires_grad_()
    grad = torch.randn(33, 65, device=device).half()
    my_ops.custom_gemm(a, b).backward(grad)
    assert_product(a.grad, grad, b.t())
    assert_product(b.grad, a.t(), grad)


@pytest.mark.parametrize("device", DEVICES)
def test_errors(device):
    a, b = matrices(4, 5, 6, device)
    with pytest.raises(RuntimeError, match="inner sizes differ"):
        my_ops.custom_gemm(a, b[1:])
    with pytest.raises(RuntimeError, match="expected half"):
        my_ops.custom_gemm(a.float(), b)
    with pytest.raises(RuntimeError, match="expected two matrices"):
        my_ops.custom_gemm(a[0], b)


@pytest.mark.parametrize("device", DEVICES)
def test_opcheck(device):
    a, b = matrices(17, 9, 20, device)
    torch.library.opcheck(torch.ops.my_ops.custom_gemm.default, (a, b))
    torch.library.opcheck(
        torch.ops.my_ops.custom_gemm.default, (a.requires_grad_(), b.requires_grad_())
    )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_runs_on_the_current_stream():
    a, b = matrices(300, 300, 300, "cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(10_000_000)
        doubled = a * 2
        c = my_ops.custom_gemm(doubled, b)
    torch.cuda.current_stream().wait_stream(stream)
    assert_product(c, doubled, b)
