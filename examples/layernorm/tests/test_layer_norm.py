import fused_norm
import pytest
import torch
from torch.nn.functional import layer_norm as reference

DEVICES = [
    "cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
    ),
]
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
# Rows below, at and above a warp, the last short row, the first long one, a ragged long one.
COLS = [1, 2, 31, 32, 33, 63, 64, 65, 257, 1023, 1024, 1025, 2048, 5000]


def inputs(rows, cols, dtype, device):
    generator = torch.Generator().manual_seed(rows * 10007 + cols)
    x = torch.randn(rows, cols, generator=generator, dtype=torch.float64) * 3 + 1
    weight = torch.randn(cols, generator=generator, dtype=torch.float64)
    bias = torch.randn(cols, generator=generator, dtype=torch.float64)
    return tuple(t.to(dtype).to(device) for t in (x, weight, bias))


def tolerance(dtype, length):
    """Half a unit in the last place for the result, and the error of a sum of `length` terms."""
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    return torch.finfo(dtype).eps + 16 * length**0.5 * torch.finfo(wide).eps


def assert_near(actual, expected, length, scale=1.0):
    """`scale` is the size of the terms that `expected` is summed from, where they may cancel."""
    scale = max(scale, expected.abs().max().item()) if expected.numel() else scale
    torch.testing.assert_close(
        actual.detach().double().cpu(),
        expected.detach().cpu(),
        rtol=tolerance(actual.dtype, length),
        atol=tolerance(actual.dtype, length) * scale,
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("cols", COLS)
def test_forward(device, dtype, cols):
    x, weight, bias = inputs(7, cols, dtype, device)
    y = fused_norm.layer_norm(x, weight, bias)
    assert y.dtype == dtype
    expected = reference(x.double(), (cols,), weight.double(), bias.double())
    assert_near(y, expected, cols)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("cols", [40, 3000])
@pytest.mark.parametrize("with_weight", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
def test_optional_weight_and_bias(device, cols, with_weight, with_bias):
    x, weight, bias = inputs(5, cols, torch.float32, device)
    weight, bias = weight if with_weight else None, bias if with_bias else None
    expected = reference(
        x.double(),
        (cols,),
        weight.double() if with_weight else None,
        bias.double() if with_bias else None,
    )
    assert_near(fused_norm.layer_norm(x, weight, bias), expected, cols)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("cols", COLS)
def test_backward(device, dtype, cols):
    rows = 9
    leaves = [t.requires_grad_() for t in inputs(rows, cols, dtype, device)]
    grad = torch.linspace(-1, 1, rows * cols, device=device).reshape(rows, cols).to(dtype)
    fused_norm.layer_norm(*leaves).backward(grad)
    wide = [t.detach().double().requires_grad_() for t in leaves]
    reference(wide[0], (cols,), wide[1], wide[2]).backward(grad.double())
    # dx = rstd * (g - mean(g) - xhat * mean(g * xhat)), which is 0 for rows of one element and
    # nearly so for two; xhat = (x - mean) * rstd cancels too. The size of the terms counts.
    x, weight = wide[0].detach(), wide[1].detach()
    rstd = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
    terms = (rstd * (grad.double() * weight).abs()).max().item()
    assert_near(leaves[0].grad, wide[0].grad, cols, max(1.0, 4 * terms))
    terms = (rstd * x.abs() * grad.double().abs()).max().item()
    assert_near(leaves[1].grad, wide[1].grad, rows, max(1.0, terms))
    assert_near(leaves[2].grad, wide[2].grad, rows)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rows", [1, 3, 4, 5, 31, 32, 33, 255, 256, 257, 20000])
@pytest.mark.parametrize("cols", [1, 33])
def test_gradients_of_weight_and_bias_over_many_rows(device, rows, cols):
    leaves = [t.requires_grad_() for t in inputs(rows, cols, torch.float32, device)]
    fused_norm.layer_norm(*leaves).sum().backward()
    assert torch.equal(leaves[2].grad, torch.full((cols,), float(rows), device=device))
    wide = [t.detach().double().requires_grad_() for t in leaves]
    reference(wide[0], (cols,), wide[1], wide[2]).sum().backward()
    torch.testing.assert_close(
        leaves[1].grad.double(), wide[1].grad, rtol=1e-5, atol=rows**0.5 * 1e-5
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(6,), (2, 3, 40), (2, 1, 5, 1100)])
def test_leading_dimensions(device, shape):
    x = torch.randn(shape, device=device)
    y = fused_norm.layer_norm(x)
    assert y.shape == x.shape
    assert_near(y, reference(x.double(), shape[-1:]), shape[-1])


@pytest.mark.parametrize("device", DEVICES)
def test_non_contiguous(device):
    x, weight, bias = inputs(50, 70, torch.float32, device)
    y = fused_norm.layer_norm(x.t(), weight[:50].flip(0), torch.cat([bias, bias])[::2][:50])
    expected = reference(
        x.t().double(),
        (50,),
        weight[:50].flip(0).double(),
        torch.cat([bias, bias])[::2][:50].double(),
    )
    assert_near(y, expected, 50)


@pytest.mark.parametrize("device", DEVICES)
def test_no_rows(device):
    x = torch.empty(0, 12, device=device, requires_grad=True)
    weight = torch.ones(12, device=device, requires_grad=True)
    y = fused_norm.layer_norm(x, weight)
    assert y.shape == (0, 12)
    y.sum().backward()
    assert x.grad.shape == (0, 12)
    assert torch.equal(weight.grad, torch.zeros_like(weight))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("cols", [100, 4000])
def test_large_mean_does_not_cancel(device, cols):
    """sum(x^2) - mean^2 would lose everything here; the second pass over the row does not."""
    x = 1.0e4 + torch.arange(cols, device=device).remainder(2).float().reshape(1, -1)
    y = fused_norm.layer_norm(x, eps=0.0)
    assert_near(y, torch.where(x > 1.0e4, 1.0, -1.0).double(), 10 * cols)


@pytest.mark.parametrize("device", DEVICES)
def test_nan_stays_in_its_row(device):
    x = torch.randn(6, 300, device=device)
    x[2, 299] = float("nan")
    bad = torch.isnan(fused_norm.layer_norm(x))
    assert bad[2].all()
    assert not bad[[0, 1, 3, 4, 5]].any()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("cols", [5, 1030])
def test_gradcheck(device, cols):
    x, weight, bias = (t.requires_grad_() for t in inputs(3, cols, torch.float64, device))
    assert torch.autograd.gradcheck(
        fused_norm.layer_norm, (x, weight, bias), fast_mode=True, nondet_tol=0.0
    )


@pytest.mark.parametrize("device", DEVICES)
def test_errors(device):
    x, weight, bias = inputs(4, 8, torch.float32, device)
    with pytest.raises(RuntimeError, match="weight has shape"):
        fused_norm.layer_norm(x, weight[1:], bias)
    with pytest.raises(RuntimeError, match="bias is"):
        fused_norm.layer_norm(x, weight, bias.double())
    with pytest.raises(RuntimeError, match="floating type"):
        fused_norm.layer_norm(x.int())
    with pytest.raises(RuntimeError, match="no last dimension"):
        fused_norm.layer_norm(x[:, :0])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_opcheck(device, dtype):
    x, weight, bias = inputs(5, 48, dtype, device)
    op = torch.ops.fused_norm.layer_norm.default
    y, mean, rstd = op(x, weight, bias, 1e-5)
    torch.library.opcheck(op, (x, weight, None, 1e-5))
    torch.library.opcheck(
        torch.ops.fused_norm.layer_norm_backward.default,
        (torch.ones_like(y), x, mean, rstd, weight),
    )
    leaves = [t.requires_grad_() for t in (x, weight, bias)]
    torch.library.opcheck(op, (*leaves, 1e-5))
