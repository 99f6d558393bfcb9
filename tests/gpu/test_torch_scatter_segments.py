"""torch-scatter's segment and gather operators (COO and CSR) on a GPU against its CPU operators."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU that PyTorch can use", allow_module_level=True)
torch_scatter = pytest.importorskip("torch_scatter", reason="set W2W_TORCH_SCATTER to its folder")

from scatter_reference import (  # noqa: E402
    FLOATS,
    INTEGERS,
    NARROW,
    assert_arg,
    assert_same,
    assert_within,
    comparable,
    expected,
    expected_grad,
    generator,
    index_from_indptr,
    values,
)

pytestmark = pytest.mark.gpu
GPU = "cuda"
DEVICES = ("cpu", GPU)
REDUCTIONS = ["sum", "mean", "min", "max"]
# (leading dimensions, rows E, trailing dimensions K, rows a segment on average). K = 1 goes to the
# kernel with warp shuffles; longer averages than 8, 16 and 32 choose its other variants for K > 1.
CASES = [
    ((), 1, (), 1),
    ((), 31, (), 3),
    ((), 33, (), 40),
    ((), 257, (), 5),
    ((), 3000, (), 20),
    ((), 3000, (1,), 6),
    ((3,), 45, (), 4),
    ((2, 3), 70, (), 7),
    ((), 100, (7,), 4),
    ((), 101, (33,), 12),
    ((), 150, (32,), 25),
    ((), 203, (64,), 50),
    ((3,), 37, (5,), 4),
    ((2,), 66, (4, 3), 12),
    ((2, 2), 130, (40,), 40),
]


def operator(name):
    return getattr(torch.ops.torch_scatter, name)


def with_arg(result):
    return result if isinstance(result, tuple) else (result, None)


def sorted_index(lead, rows, average, g):
    """A sorted [*lead, rows] index, and the number of segments, among them empty ones."""
    size = max(1, rows // average) + 3
    index = torch.randint(0, size - 2, (*lead, rows), generator=g)
    # Segment 1 is empty, and the last two.
    return torch.where(index > 0, index + 1, index).sort(-1).values, size + 1


def pointers(index, size):
    """The CSR pointers [.., size + 1] of a sorted index [.., E]."""
    edges = torch.arange(size + 1).expand(*index.shape[:-1], size + 1).contiguous()
    return torch.searchsorted(index.contiguous(), edges)


def skip_if_too_long_for(dtype, average):
    if dtype == torch.bfloat16 and average > 20:
        pytest.skip("bfloat16 keeps no digit over so many terms")


def check(reduce, src, index, size, call, what):
    """Forward and backward of `call(leaf, device)` on both devices against the reference."""
    axis = index.dim() - 1
    full = index.reshape(*index.shape, *[1] * (src.dim() - index.dim())).expand(src.shape)
    full = full.contiguous()
    result = expected(src, full, axis, size, reduce)
    backward = src.dtype.is_floating_point
    grad = torch.randn(result.out.shape, generator=generator(result.out.shape)).to(src.dtype)
    for device in DEVICES:
        leaf = src.to(device).detach().requires_grad_(backward)
        out, arg = with_arg(call(leaf, device))
        assert out.dtype == src.dtype
        assert out.device.type == device
        atomics = reduce if what.endswith("coo") else "none"
        assert_same(out, result, atomics, device, f"{what} on {device}")
        if arg is not None:
            assert_arg(arg, out, src, full, axis, f"{what} on {device}")
        if backward:
            out.backward(grad.to(device))
            exact, bound = expected_grad(src, full, axis, grad, reduce, result, arg)
            assert_within(leaf.grad, exact, bound, f"gradient of {what} on {device}")


@pytest.mark.parametrize(("lead", "rows", "tail", "average"), CASES, ids=str)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_segment_coo(reduce, dtype, lead, rows, tail, average):
    skip_if_too_long_for(dtype, average)
    g = generator("coo", reduce, dtype, lead, rows, tail)
    index, size = sorted_index(lead, rows, average, g)
    src = values((*lead, rows, *tail), dtype, reduce, g)
    if reduce == "mean" and not dtype.is_floating_point:
        # The CPU operators and CSR's CUDA operator round quotients to zero, COO's CUDA one down.
        src = src.abs()
    if dtype == torch.int8 and reduce in ("sum", "mean"):
        src = src.clamp(max=1)  # up to 50 rows and more: stay within 127
    call = operator(f"segment_{reduce}_coo")
    check(
        reduce,
        src,
        index,
        size,
        lambda leaf, device: call(leaf, index.to(device), None, size),
        f"segment_{reduce}_coo",
    )


@pytest.mark.parametrize(("lead", "rows", "tail", "average"), CASES, ids=str)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_segment_csr(reduce, dtype, lead, rows, tail, average):
    skip_if_too_long_for(dtype, average)
    g = generator("csr", reduce, dtype, lead, rows, tail)
    index, size = sorted_index(lead, rows, average, g)
    src = values((*lead, rows, *tail), dtype, reduce, g)
    if reduce == "mean" and not dtype.is_floating_point:
        src = src.abs()  # see test_segment_coo
    if dtype == torch.int8 and reduce in ("sum", "mean"):
        src = src.clamp(max=1)
    indptr = pointers(index, size)
    assert torch.equal(index_from_indptr(indptr), index)
    call = operator(f"segment_{reduce}_csr")
    check(
        reduce,
        src,
        index,
        size,
        lambda leaf, device: call(leaf, indptr.to(device), None),
        f"segment_{reduce}_csr",
    )


@pytest.mark.parametrize(("lead", "rows", "tail", "average"), CASES, ids=str)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_gather(layout, dtype, lead, rows, tail, average):
    """A copy, so exact; its gradient is a segment sum."""
    skip_if_too_long_for(dtype, average)
    g = generator("gather", layout, dtype, lead, rows, tail)
    index, size = sorted_index(lead, rows, average, g)
    src = values((*lead, size, *tail), dtype, "sum", g)
    axis = index.dim() - 1
    full_shape = (*lead, rows, *tail)
    full = index.reshape(*index.shape, *[1] * len(tail)).expand(full_shape).contiguous()
    grad = values(full_shape, dtype, "sum", g)
    pointer = index if layout == "coo" else pointers(index, size)
    for device in DEVICES:
        leaf = src.to(device).detach().requires_grad_(dtype.is_floating_point)
        out = operator(f"gather_{layout}")(leaf, pointer.to(device), None)
        assert torch.equal(out.detach().cpu(), src.gather(axis, full))
        if dtype.is_floating_point:
            out.backward(grad.to(device))
            result = expected(grad, full, axis, size, "sum")
            assert_within(leaf.grad, result.out, result.bound, f"gather_{layout} on {device}")


@pytest.mark.parametrize("layout", ["coo", "csr"])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_index_shared_by_the_leading_dimensions(layout, reduce):
    """An index [1, E] serves src [B, E, K]; on the GPU it is read through strides of 0."""
    g = generator("shared", layout, reduce)
    index, size = sorted_index((1,), 50, 5, g)
    src = values((4, 50, 3), torch.float32, reduce, g)
    result = expected(src, index.reshape(1, 50, 1).expand(4, 50, 3).contiguous(), 1, size, reduce)
    for device in DEVICES:
        call = operator(f"segment_{reduce}_{layout}")
        if layout == "coo":
            returned = call(src.to(device), index.to(device), None, size)
        else:
            returned = call(src.to(device), pointers(index, size).to(device), None)
        out, _ = with_arg(returned)
        assert_within(out, result.out, result.bound, f"shared index on {device}")


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_non_contiguous(reduce):
    g = generator("strided", reduce)
    index, size = sorted_index((6,), 40, 5, g)
    strided_index = torch.stack([index, index.flip(1)], -1).reshape(6, 80)[:, ::2]
    src = values((9, 40, 12), torch.float32, reduce, g).permute(2, 1, 0)[::2, :, 4]
    assert not strided_index.is_contiguous()
    assert not src.is_contiguous()
    call = operator(f"segment_{reduce}_coo")
    check(
        reduce,
        src,
        index,
        size,
        lambda leaf, device: call(
            leaf,
            strided_index.to(device) if device == "cpu" else _strided_copy(strided_index),
            None,
            size,
        ),
        f"segment_{reduce}_coo, strided,",
    )


def _strided_copy(tensor):
    """A copy on the GPU that keeps every second element apart: `.to` alone may pack it."""
    room = torch.zeros(*tensor.shape[:-1], 2 * tensor.shape[-1], dtype=tensor.dtype, device=GPU)
    room[..., ::2] = tensor.to(GPU)
    return room[..., ::2]


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("segments", [0, 3])
@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_no_elements(layout, reduce, segments):
    results = []
    for device in DEVICES:
        src = torch.empty(0, 5, device=device)
        call = operator(f"segment_{reduce}_{layout}")
        if layout == "coo":
            index = torch.empty(0, dtype=torch.int64, device=device)
            returned = call(src, index, None, segments)
        else:
            indptr = torch.zeros(segments + 1, dtype=torch.int64, device=device)
            returned = call(src, indptr, None)
        results.append(with_arg(returned))
    (cpu, cpu_arg), (gpu, gpu_arg) = results
    assert cpu.shape == (segments, 5)
    if layout == "csr":
        assert torch.equal(cpu, torch.zeros(segments, 5))
    assert torch.equal(gpu.cpu(), cpu)
    if cpu_arg is not None:
        assert torch.equal(gpu_arg.cpu(), cpu_arg)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int64], ids=str)
@pytest.mark.parametrize("reduce", ["sum", "min", "max"])
def test_coo_reduces_into_a_given_tensor(reduce, dtype):
    g = generator("out", reduce, dtype)
    index, size = sorted_index((), 90, 6, g)
    src, start = values((90,), dtype, reduce, g), values((size,), dtype, reduce, g)
    both = torch.cat([torch.arange(size), index])
    result = expected(torch.cat([start, src]), both, 0, size, reduce)
    for device in DEVICES:
        out = start.to(device).clone()
        operator(f"segment_{reduce}_coo")(src.to(device), index.to(device), out, None)
        assert_within(out, result.out, result.bound, f"out of segment_{reduce}_coo on {device}")


# How many ones any order of summation adds exactly in the type; the rest of a segment is zeros.
EXACT_TERMS = {
    torch.float16: 2048,
    torch.bfloat16: 256,
    torch.uint8: 200,
    torch.int8: 100,
    torch.int16: 20_000,
}


@pytest.mark.parametrize("columns", [1, 33])
@pytest.mark.parametrize("layout", ["coo", "csr"])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_huge_segment(reduce, dtype, layout, columns):
    """A million rows in a segment among empty and short ones; exact in any order of summation."""
    if reduce == "mean" and dtype in (torch.float16, torch.bfloat16, *NARROW):
        pytest.skip(
            "torch-scatter counts rows in the type of the data, which ends before a million"
        )
    g = generator("huge", reduce, dtype, layout, columns)
    rows = 1_000_000 if columns == 1 else 60_000
    index = torch.full((rows,), 3)
    index[:5] = torch.tensor([0, 0, 1, 1, 1])
    if reduce in ("min", "max"):
        src = values((rows, columns), dtype, reduce, g)
    else:
        src = torch.zeros(rows, columns, dtype=dtype)
        src[torch.randperm(rows, generator=g)[: EXACT_TERMS.get(dtype, rows)]] = 1
    src = src.squeeze(1) if columns == 1 else src
    size = 6
    data = src.double() if dtype.is_floating_point else src.long()
    edges = [0, 2, 5, 5, rows, rows, rows]
    parts = [data[a:b] for a, b in itertools.pairwise(edges)]
    exact = torch.stack([_reduced(part, reduce) for part in parts])
    for device in DEVICES:
        leaf = src.to(device).detach().requires_grad_(dtype.is_floating_point)
        call = operator(f"segment_{reduce}_{layout}")
        if layout == "coo":
            out, arg = with_arg(call(leaf, index.to(device), None, size))
        else:
            out, arg = with_arg(call(leaf, torch.tensor(edges, device=device), None))
        got = out.detach().cpu().to(exact.dtype)
        if reduce == "mean" and dtype.is_floating_point:
            torch.testing.assert_close(got, exact, rtol=torch.finfo(dtype).eps, atol=0.0)
        else:
            atomics = reduce if layout == "coo" else "none"
            whole = got.to(dtype), exact.to(dtype)
            assert torch.equal(*(comparable(part, atomics, device) for part in whole))
        if arg is not None:
            full = index if columns == 1 else index.reshape(-1, 1).expand(rows, columns)
            assert_arg(arg, out, src, full.contiguous(), 0, f"huge {reduce} on {device}")
        if dtype.is_floating_point and reduce == "sum":
            out.backward(
                torch.arange(1.0, size + 1, device=device)
                .to(dtype)
                .reshape([size] + [1] * (out.dim() - 1))
                .expand_as(out)
            )
            assert torch.equal(leaf.grad.cpu().double().reshape(rows, -1)[:, 0], index.double() + 1)


def _reduced(part, reduce):
    """The reduction of an exact [rows, ...] part over its rows; 0 where there are none."""
    if part.shape[0] == 0:
        return torch.zeros(part.shape[1:], dtype=part.dtype)
    if reduce == "mean":
        total = part.sum(0)
        return total / len(part) if part.is_floating_point() else total // len(part)
    return {"sum": torch.sum, "min": torch.amin, "max": torch.amax}[reduce](part, dim=0)


@pytest.mark.parametrize("layout", ["coo", "csr"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_huge_gather(layout, dtype):
    """Three rows spread over a million; the gradient, exact in any order, comes back together."""
    rows, ones = 1_000_000, EXACT_TERMS.get(dtype, 1_000_000)
    index = torch.full((rows,), 1)
    index[:3], index[-2:] = 0, 2
    pointer = index if layout == "coo" else torch.tensor([0, 3, rows - 2, rows])
    src = torch.tensor([2.0, 3.0, 5.0], dtype=dtype)
    grad = torch.zeros(rows, dtype=dtype)
    grad[torch.randperm(rows, generator=generator("huge gather"))[:ones]] = 1
    exact = torch.zeros(3, dtype=torch.float64).index_add(0, index, grad.double())
    for device in DEVICES:
        leaf = src.to(device).detach().requires_grad_()
        out = operator(f"gather_{layout}")(leaf, pointer.to(device), None)
        assert torch.equal(out.detach().cpu(), src[index])
        out.backward(grad.to(device))
        assert torch.equal(leaf.grad.cpu().double(), exact)


def test_python_functions():
    g = generator("python")
    index, size = sorted_index((), 60, 6, g)
    index, indptr = index.to(GPU), pointers(index, size).to(GPU)
    src = values((60, 4), torch.float32, "sum", g).to(GPU)
    for reduce in REDUCTIONS:
        coo = torch_scatter.segment_coo(src, index, dim_size=size, reduce=reduce)
        csr = torch_scatter.segment_csr(src, indptr, reduce=reduce)
        torch.testing.assert_close(coo, csr, rtol=1e-5, atol=1e-5)
    rows = torch_scatter.gather_csr(csr, indptr)
    assert torch.equal(rows, torch_scatter.gather_coo(csr, index))
    assert torch.equal(rows, csr[index])


def test_tensors_on_different_devices_are_refused():
    src = torch.ones(3, device=GPU)
    with pytest.raises(RuntimeError, match="must be CUDA tensor"):
        operator("segment_sum_coo")(src, torch.zeros(3).long(), None, 2)
    with pytest.raises(RuntimeError, match="must be CUDA tensor"):
        operator("segment_sum_csr")(src, torch.tensor([0, 3]), None)
