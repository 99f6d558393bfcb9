"""torch-scatter's scatter operators on a GPU against its CPU operators and a float64 reference.

Both devices run the same package (its build for the GPU holds the CPU operators too): each must
be within the rounding error of its own summation, so together they agree within twice that.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU that PyTorch can use", allow_module_level=True)
torch_scatter = pytest.importorskip("torch_scatter", reason="set W2W_TORCH_SCATTER to its folder")

from scatter_reference import (  # noqa: E402
    FLOATS,
    INTEGERS,
    REDUCTIONS,
    assert_arg,
    assert_same,
    assert_within,
    expected,
    expected_grad,
    generator,
    values,
)

pytestmark = pytest.mark.gpu
GPU = "cuda"
DEVICES = ("cpu", GPU)
# (shape of src, dim): lengths around a warp and a block, each position of dim, negative ones.
SHAPES = [
    ((1,), 0),
    ((31,), 0),
    ((33,), -1),
    ((2000,), 0),
    ((5, 70), 1),
    ((70, 5), 0),
    ((300, 64), -2),
    ((3, 41, 7), 1),
    ((4, 3, 50), -1),
    ((2, 3, 20, 5), 2),
]


def operator(name):
    return getattr(torch.ops.torch_scatter, name)


def index_for(shape, dim, kind, g):
    """An unsorted index that leaves segment 1 and the last two empty, and how many there are."""
    dim %= len(shape)
    size = max(2, shape[dim] // 6) + 3
    index_shape = shape if kind == "full" else (shape[dim],)
    index = torch.randint(0, size - 3, index_shape, generator=g)
    return torch.where(index > 0, index + 1, index), size


def expanded(index, shape, dim):
    """The index in the shape of src, as torch-scatter broadcasts it."""
    if index.dim() == 1:
        dim %= len(shape)
        index = index.reshape([-1 if d == dim else 1 for d in range(len(shape))])
    return index.expand(shape)


def run(reduce, src, index, dim, size, out=None):
    """(result, arg or None) of the operator of that name."""
    result = operator(f"scatter_{reduce}")(src, index, dim, out, size)
    return result if reduce in ("min", "max") else (result, None)


def check(reduce, src, index, dim, size, backward):
    """Run forward, and backward where asked, on both devices against the reference."""
    full = expanded(index, src.shape, dim).contiguous()
    axis = dim % src.dim()
    result = expected(src, full, axis, size, reduce)
    grad = torch.randn(result.out.shape, generator=generator(result.out.shape)).to(src.dtype)
    for device in DEVICES:
        what = f"scatter_{reduce} on {device}"
        leaf = src.to(device).detach().requires_grad_(backward)
        out, arg = run(reduce, leaf, index.to(device), dim, size)
        assert out.dtype == src.dtype
        assert out.device.type == device
        assert_same(out, result, reduce, device, what)
        if arg is not None:
            assert_arg(arg, out, src, full, axis, what)
        if backward:
            out.backward(grad.to(device))
            exact, bound = expected_grad(src, full, axis, grad, reduce, result, arg)
            assert_within(leaf.grad, exact, bound, f"gradient of {what}")


@pytest.mark.parametrize("kind", ["vector", "full"])
@pytest.mark.parametrize(("shape", "dim"), SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_scatter(reduce, dtype, shape, dim, kind):
    g = generator(reduce, dtype, shape, dim, kind)
    index, size = index_for(shape, dim, kind, g)
    src = values(shape, dtype, reduce, g)
    check(reduce, src, index, dim, size, backward=dtype.is_floating_point)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int64], ids=str)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_non_contiguous(reduce, dtype):
    g = generator("strided", reduce, dtype)
    src = values((60, 2, 90), dtype, reduce, g).transpose(0, 2)[::3, 1, 5:]  # (30, 55)
    index = torch.randint(0, 9, (110, 30), generator=g).t()[:, ::2]
    assert not src.is_contiguous()
    assert not index.is_contiguous()
    check(reduce, src, index, 1, 9, backward=dtype.is_floating_point)


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize(("shape", "dim"), [((0,), 0), ((0, 3), 0), ((3, 0), 1), ((3, 0, 2), 1)])
@pytest.mark.parametrize("size", [0, 4])
def test_no_elements(reduce, shape, dim, size):
    index = torch.empty(shape[dim], dtype=torch.int64)
    results = [run(reduce, torch.empty(shape, device=d), index.to(d), dim, size) for d in DEVICES]
    (cpu, cpu_arg), (gpu, gpu_arg) = results
    assert torch.equal(gpu.cpu(), cpu)
    if cpu_arg is not None:
        assert torch.equal(gpu_arg.cpu(), cpu_arg)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32], ids=str)
@pytest.mark.parametrize("reduce", ["sum", "mul", "min", "max"])
def test_reduces_into_a_given_tensor(reduce, dtype):
    """The tensor's own values take part: the same as one more term for each segment."""
    g = generator("out", reduce, dtype)
    src, start = values((80, 6), dtype, reduce, g), values((12, 6), dtype, reduce, g)
    index = torch.randint(0, 12, (80, 6), generator=g)
    own = torch.arange(12).reshape(-1, 1).expand(12, 6)
    result = expected(torch.cat([start, src]), torch.cat([own, index]), 0, 12, reduce)
    for device in DEVICES:
        out = start.to(device).clone()
        returned, _ = run(reduce, src.to(device), index.to(device), 0, None, out)
        assert_within(out, result.out, result.bound, f"out of scatter_{reduce} on {device}")
        assert torch.equal(returned, out)


# One segment of a million rows where the GPU adds natively. The other types go through a
# compare-and-swap loop on one word, whose time grows with the square of the rows.
NATIVE_ADD = [torch.float32, torch.float64, torch.int32]
# How many ones and minus ones any order of summation adds exactly in the type.
EXACT_TERMS = {
    torch.float16: 2048,
    torch.bfloat16: 256,
    torch.uint8: 200,
    torch.int8: 100,
    torch.int16: 20_000,
}


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("reduce", ["sum", "mul", "min", "max"])
def test_huge_segment(reduce, dtype):
    """Data whose result is exact in any order, so that a single lost or doubled term shows."""
    g = generator("huge", reduce, dtype)
    native = reduce in ("min", "max") or (reduce == "sum" and dtype in NATIVE_ADD)
    rows = 1_000_000 if native else 20_000
    where = torch.randperm(rows, generator=g)
    if reduce in ("min", "max"):
        src = values((rows,), dtype, reduce, g)
    else:
        # Terms that count are spread over neutral ones.
        terms = min(rows, EXACT_TERMS.get(dtype, rows)) if reduce == "sum" else 6
        term = 1 if reduce == "sum" else 2
        src = torch.full((rows,), 1 - (reduce == "sum"), dtype=torch.int64)
        src[where[:terms]] = term
        if dtype in (torch.float16, torch.bfloat16, *NATIVE_ADD, torch.int64):
            src[where[: terms // 3]] *= -1
        src = src.to(dtype)
    index = torch.full((rows,), 2)
    wide_src = src.double() if dtype.is_floating_point else src.long()
    exact = {"sum": torch.sum, "mul": torch.prod, "min": torch.amin, "max": torch.amax}[reduce](
        wide_src
    )
    for device in DEVICES:
        out, arg = run(reduce, src.to(device), index.to(device), 0, 4)
        neutral = 1 if reduce == "mul" else 0
        assert out.cpu().tolist() == [neutral, neutral, exact.item(), neutral]
        if arg is not None:
            assert arg.cpu()[[0, 1, 3]].tolist() == [rows] * 3
            assert src[arg.cpu()[2]].item() == exact.item()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32], ids=str)
def test_huge_segment_mean(dtype):
    """Only types that can count to a million: torch-scatter counts in the type of the data."""
    rows = 1_000_000
    src = torch.arange(rows).remainder(7).to(dtype)
    index = torch.zeros(rows, dtype=torch.int64)
    total = int(src.long().sum())
    exact = total / rows if dtype.is_floating_point else total // rows
    for device in DEVICES:
        out, _ = run("mean", src.to(device), index.to(device), 0, 2)
        # The sum is below 2**24, so exact in any order; the division rounds once.
        tolerance = torch.finfo(dtype).eps if dtype.is_floating_point else 0
        assert out[0].item() == pytest.approx(exact, rel=tolerance, abs=0)
        assert out[1].item() == 0


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_python_functions(reduce):
    """The public functions, which take sum and mean to PyTorch's own scatter_add_."""
    g = generator("python", reduce)
    src = values((40, 8), torch.float32, reduce, g)
    index = torch.randint(0, 7, (40,), generator=g)
    result = expected(src, index.reshape(-1, 1).expand(40, 8), 0, 7, reduce)
    for device in DEVICES:
        out = torch_scatter.scatter(src.to(device), index.to(device), 0, dim_size=7, reduce=reduce)
        assert_within(out, result.out, result.bound, f"scatter({reduce!r}) on {device}")
    if reduce == "sum":
        added = torch_scatter.scatter_add(src.to(GPU), index.to(GPU), 0, dim_size=7)
        assert_within(added, result.out, result.bound, "scatter_add")


def test_size_from_the_index():
    index = torch.tensor([4, 0, 2], device=GPU)
    out = torch_scatter.scatter_mul(torch.tensor([2.0, 3.0, 5.0], device=GPU), index)
    assert out.tolist() == [3.0, 1.0, 5.0, 1.0, 2.0]


def test_tensors_on_different_devices_are_refused():
    with pytest.raises(RuntimeError, match="must be CUDA tensor"):
        operator("scatter_mul")(torch.ones(3, device=GPU), torch.zeros(3).long(), 0, None, 2)


def test_runs_on_the_current_stream():
    src, index = torch.zeros(100_000, device=GPU), torch.zeros(100_000, device=GPU).long()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        src += 1
        out = operator("scatter_sum")(src, index, 0, None, 1)
    torch.cuda.current_stream().wait_stream(stream)
    assert out.item() == 100_000
