"""torch-scatter's composite functions on a GPU: softmax, log-softmax, log-sum-exp, deviation."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU that PyTorch can use", allow_module_level=True)
torch_scatter = pytest.importorskip("torch_scatter", reason="set W2W_TORCH_SCATTER to its folder")

from scatter_reference import (  # noqa: E402
    FLOATS,
    assert_within,
    expected_count,
    generator,
    unit_roundoff,
    wide,
)

pytestmark = pytest.mark.gpu
GPU = "cuda"
DEVICES = ("cpu", GPU)
SHAPES = [((40,), 0), ((50, 6), 0), ((4, 60), -1), ((3, 30, 5), 1)]
SEGMENTS = 11


def case(name, shape, dim, dtype):
    """Data, an index of the same shape that leaves the last segment empty, and the positive dim."""
    g = generator(name, shape, dim, dtype)
    src = torch.randn(shape, generator=g, dtype=torch.float64).clamp(-3, 3).to(dtype)
    return src, torch.randint(0, SEGMENTS - 1, shape, generator=g), dim % len(shape)


def sums(x, index, dim):
    shape = list(x.shape)
    shape[dim] = SEGMENTS
    return torch.zeros(shape, dtype=x.dtype).scatter_add(dim, index, x)


def exact_softmax(src, index, dim):
    weight = wide(src).exp()
    return weight / sums(weight, index, dim).gather(dim, index)


def terms(index, dim):
    return expected_count(index, dim, SEGMENTS).double()


@pytest.mark.parametrize(("shape", "dim"), SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_softmax(dtype, shape, dim):
    src, index, axis = case("softmax", shape, dim, dtype)
    exact = exact_softmax(src, index, axis)
    u = unit_roundoff(dtype)
    # Scores differ by up to 6, and rounding one by u * 6 scales its exponential by as much; the sum
    # of n exponentials adds n u, exponential, division and shift a few u more.
    relative = (2 * 6 + terms(index, axis).gather(axis, index) + 8) * u
    floor = torch.finfo(dtype).smallest_normal
    for device in DEVICES:
        out = torch_scatter.scatter_softmax(
            src.to(device), index.to(device), dim, dim_size=SEGMENTS
        )
        assert_within(out, exact, exact * relative * (1 + relative) + floor, f"on {device}")


@pytest.mark.parametrize(("shape", "dim"), SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_log_softmax(dtype, shape, dim):
    src, index, axis = case("log_softmax", shape, dim, dtype)
    exact = exact_softmax(src, index, axis).log()
    u = unit_roundoff(dtype)
    bound = (2 * 6 + terms(index, axis).gather(axis, index) + 8 + 2 * exact.abs()) * u
    for device in DEVICES:
        out = torch_scatter.scatter_log_softmax(
            src.to(device), index.to(device), dim, dim_size=SEGMENTS
        )
        assert_within(out, exact, bound * (1 + bound) + 2e-12, f"on {device}")


@pytest.mark.parametrize(("shape", "dim"), SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_logsumexp(dtype, shape, dim):
    src, index, axis = case("logsumexp", shape, dim, dtype)
    total = sums(wide(src).exp(), index, axis)
    exact = torch.where(total > 0, total.log(), torch.zeros_like(total))
    u = unit_roundoff(dtype)
    bound = (2 * 6 + terms(index, axis) + 8 + 2 * (exact.abs() + 3)) * u
    for device in DEVICES:
        out = torch_scatter.scatter_logsumexp(
            src.to(device), index.to(device), dim, dim_size=SEGMENTS
        )
        assert_within(out, exact, bound * (1 + bound) + 2e-12, f"on {device}")


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize(("shape", "dim"), SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_std(dtype, shape, dim, unbiased):
    src, index, axis = case("std", shape, dim, dtype)
    x, n = wide(src), terms(index, axis)
    u = unit_roundoff(dtype)
    mean = sums(x, index, axis) / n.clamp(min=1)
    mean_error = (n + 2) * u * sums(x.abs(), index, axis) / n.clamp(min=1)
    delta = x - mean.gather(axis, index)
    delta_error = u * delta.abs() + mean_error.gather(axis, index) * (1 + u)
    square = sums(delta.square(), index, axis)
    square_error = sums(2 * delta.abs() * delta_error + delta_error.square(), index, axis)
    square_error = square_error + (n + 4) * u * (square + square_error)
    divisor = (n - 1).clamp(min=1) if unbiased else n.clamp(min=1)
    exact = (square / (divisor + 1e-6)).sqrt()
    low = ((square - square_error).clamp(min=0) / (divisor + 1e-6)).sqrt()
    high = ((square + square_error) / (divisor + 1e-6)).sqrt()
    # The 1e-6 vanishes, or does not, in the types that are coarser than it.
    bound = torch.maximum(high - exact, exact - low) + (4 * u + 2e-6) * exact
    floor = torch.finfo(dtype).smallest_normal ** 0.5
    for device in DEVICES:
        out = torch_scatter.scatter_std(
            src.to(device), index.to(device), dim, dim_size=SEGMENTS, unbiased=unbiased
        )
        assert_within(out, exact, bound + floor, f"on {device}")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "std"])
def test_gradient(name, dtype):
    """Against the gradient of the same formula in float64 on the CPU, which has 11 bits to spare
    over float32; for float64 itself this compares the two devices."""
    src, index, axis = case(name, (30, 7), 0, dtype)
    function = getattr(torch_scatter, f"scatter_{name}")
    reference = src.double().clone().requires_grad_()
    out = function(reference, index, axis, dim_size=SEGMENTS)
    grad = torch.randn(out.shape, generator=generator(name), dtype=torch.float64)
    out.backward(grad)
    leaf = src.detach().to(GPU).requires_grad_()
    function(leaf, index.to(GPU), axis, dim_size=SEGMENTS).backward(grad.to(GPU, dtype))
    longest = terms(index, axis).max().item()
    exact = reference.grad
    finite = torch.isfinite(exact)  # the deviation of a single element has no derivative
    bound = 200 * longest * unit_roundoff(dtype) * (1 + exact[finite].abs())
    assert torch.equal(torch.isfinite(leaf.grad).cpu(), finite)
    assert_within(leaf.grad.cpu()[finite], exact[finite], bound, f"gradient of scatter_{name}")
