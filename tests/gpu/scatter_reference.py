"""What torch-scatter's operators must return, in float64 or int64, and how far they may be off.

One description serves all families of operators: every reduction is a scatter of `src` by an index
of the same shape along `dim`. COO segments are that already; CSR pointers are expanded to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
REDUCTIONS = ["sum", "mul", "mean", "min", "max"]
NARROW = [torch.uint8, torch.int8, torch.int16]


def generator(*key: object) -> torch.Generator:
    """A generator seeded by the case, so that data do not depend on the order of the tests."""
    seed = 0
    for char in repr(key):
        seed = (seed * 131 + ord(char)) % (2**31)
    return torch.Generator().manual_seed(seed)


def values(shape: tuple[int, ...], dtype: torch.dtype, reduce: str, g: torch.Generator) -> Tensor:
    """Data for a reduction of a few dozen terms.

    Products stay in the range of half. 8- and 16-bit integers are kept from negative values and
    from overflow: torch-scatter's atomics for them let both spill into the neighbouring element,
    on the original CUDA build too. Minima and maxima keep off the ends of the type, which
    torch-scatter uses as "no value yet".
    """
    if dtype.is_floating_point:
        if reduce == "mul":
            sign = torch.randint(0, 2, shape, generator=g) * 2 - 1
            return ((torch.rand(shape, generator=g, dtype=torch.float64) * 0.45 + 0.8) * sign).to(
                dtype
            )
        return torch.randn(shape, generator=g, dtype=torch.float64).to(dtype)
    if reduce == "mul":
        few = torch.randint(0, 12, shape, generator=g)
        factors = torch.where(few == 0, 2, 1)
        if dtype not in NARROW:
            factors = torch.where(few == 1, -1, factors)
        return factors.to(dtype)
    if dtype in NARROW:
        low, high = (1, 100) if reduce in ("min", "max") else (0, 4)
    else:
        low, high = -1000, 1000
    return torch.randint(low, high, shape, generator=g).to(dtype)


@dataclass(frozen=True)
class Expected:
    """The exact result, an absolute bound for each element, and the number of terms of each."""

    out: Tensor
    bound: Tensor
    count: Tensor


def unit_roundoff(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps / 2 if dtype.is_floating_point else 0.0


def wide(tensor: Tensor) -> Tensor:
    return (
        tensor.detach().cpu().to(torch.float64 if tensor.dtype.is_floating_point else torch.int64)
    )


def expected(src: Tensor, index: Tensor, dim: int, size: int, reduce: str) -> Expected:
    """The reduction of `src` by `index` (same shape) along `dim` into `size` elements.

    Bounds are those of a sum or product of n terms rounded to src's type in any order:
    n u sum|x| / (1 - n u), u the unit roundoff; min and max are exact.
    """
    x = wide(src)
    index = index.cpu()
    shape = list(src.shape)
    shape[dim] = size

    def reduced(data: Tensor, how: str, start: float) -> Tensor:
        into = torch.full(shape, start, dtype=data.dtype)
        return into.scatter_reduce(dim, index, data, how, include_self=how == "sum")

    count = reduced(torch.ones(src.shape, dtype=torch.int64), "sum", 0)
    u = unit_roundoff(src.dtype)
    gamma = count.double() * u / (1 - count.double() * u)
    assert bool((count.double() * u < 0.25).all()), "too many terms for a useful bound"
    if reduce in ("min", "max"):
        out = reduced(x, "a" + reduce, 0)
        bound = torch.zeros_like(out, dtype=torch.float64)
    elif reduce == "mul":
        out = reduced(x, "prod", 1)
        bound = gamma * out.double().abs()
    else:
        out = reduced(x, "sum", 0)
        bound = gamma * reduced(x.abs(), "sum", 0).double()
        if reduce == "mean":
            terms = count.clamp(min=1)
            if src.dtype.is_floating_point:
                out = out / terms
                bound = bound / terms + 2 * u * (out.abs() + bound / terms)
            else:
                out = torch.div(out, terms, rounding_mode="floor")
    if src.dtype.is_floating_point:
        bound = bound * (1 + 2 * u) + torch.finfo(src.dtype).smallest_normal * u
    else:
        info = torch.iinfo(src.dtype)
        assert bool(((out >= info.min) & (out <= info.max)).all()), "the case overflows"
    return Expected(out, bound, count)


def comparable(result: Tensor, reduce: str, device: str) -> Tensor:
    """The elements that torch-scatter's atomics compute: all, but for int16 on a GPU.

    There csrc/cuda/atomics.cuh expands `Y + X` with a conditional expression for Y and no
    parentheses around it, so that elements at odd places never get a term (2.1.2, original and
    port alike: sum, mul and mean by atomics; min and max are whole). The even ones are compared,
    but none of a mean, whose counts suffer in the same way.
    """
    if device == "cpu" or result.dtype != torch.int16 or reduce not in ("sum", "mul", "mean"):
        return result
    return result.reshape(-1)[:0] if reduce == "mean" else result.reshape(-1)[::2]


def assert_within(actual: Tensor, exact: Tensor, bound: Tensor, what: str) -> None:
    """Fail where `actual` is off by more than `bound`, and say where and by how much."""
    assert actual.shape == exact.shape, f"{what}: shape {actual.shape}, expected {exact.shape}"
    if exact.numel() == 0:
        return
    if not actual.dtype.is_floating_point:
        assert torch.equal(wide(actual), exact), f"{what}: integers differ"
        return
    excess = (wide(actual) - exact.double()).abs() - bound
    bad = ~(excess <= 0)  # NaN is bad too
    if bool(bad.any()):
        at = tuple(int(i) for i in bad.nonzero()[0])
        raise AssertionError(
            f"{what}: {int(bad.sum())} of {bad.numel()} elements off; at {at} "
            f"{wide(actual)[at].item()!r}, expected {exact[at].item()!r} +- {bound[at].item():.3g}"
        )


def assert_same(out: Tensor, result: Expected, reduce: str, device: str, what: str) -> None:
    """`assert_within` for an operator that works by atomics."""
    sound = [comparable(t.to(out.dtype), reduce, device) for t in (out, result.out)]
    if sound[0].numel() == out.numel():
        assert_within(out, result.out, result.bound, what)
    else:
        assert torch.equal(sound[0].cpu(), sound[1].cpu()), f"{what}: integers differ"


def assert_arg(arg: Tensor, out: Tensor, src: Tensor, index: Tensor, dim: int, what: str) -> None:
    """Each arg names an element of the right segment that has the value of `out`.

    Where the extremum is unique that fixes arg; of equal elements CUDA may pick any. An empty
    segment has value 0 and the length of src as arg.
    """
    arg, out, src, index = (t.detach().cpu() for t in (arg, out, src, index))
    length = src.shape[dim]
    empty = expected_count(index, dim, out.shape[dim]) == 0
    assert bool((arg[empty] == length).all()), f"{what}: arg of an empty segment"
    assert bool((out[empty] == 0).all()), f"{what}: value of an empty segment"
    if length == 0 or out.numel() == 0:
        return
    assert bool(((arg >= 0) & (arg < length))[~empty].all()), f"{what}: arg out of range"
    safe = arg.clamp(0, length - 1)
    positions = torch.arange(out.shape[dim]).reshape(
        [-1 if d == dim else 1 for d in range(out.dim())]
    )
    assert bool((src.gather(dim, safe) == out)[~empty].all()), f"{what}: arg names another value"
    named = index.gather(dim, safe) == positions
    assert bool(named[~empty].all()), f"{what}: arg names another segment"


def expected_count(index: Tensor, dim: int, size: int) -> Tensor:
    shape = list(index.shape)
    shape[dim] = size
    ones = torch.ones(index.shape, dtype=torch.int64)
    return torch.zeros(shape, dtype=torch.int64).scatter_add(dim, index, ones)


def expected_grad(
    src: Tensor,
    index: Tensor,
    dim: int,
    grad: Tensor,
    reduce: str,
    result: Expected,
    arg: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """The gradient of src and its bound, from the gradient of the result, in float64.

    For min and max it goes to the elements that `arg` names, which `assert_arg` has checked.
    """
    g, index = wide(grad), index.cpu()
    u = unit_roundoff(src.dtype)
    if arg is not None:
        shape = list(src.shape)
        shape[dim] += 1  # the extra row takes what belongs to empty segments
        out = torch.zeros(shape, dtype=torch.float64).scatter(dim, arg.cpu(), g)
        out = out.narrow(dim, 0, src.shape[dim])
        return out, torch.zeros_like(out)
    out = g.gather(dim, index)
    bound = torch.zeros_like(out)
    if reduce == "mean":
        out = out / result.count.gather(dim, index)
        bound = 2 * u * out.abs()
    elif reduce == "mul":
        relative = (result.bound / result.out.abs()).gather(dim, index)
        out = out * result.out.gather(dim, index) / wide(src)
        bound = out.abs() * (relative + 3 * u)
    return out, bound * (1 + 4 * u) + torch.finfo(src.dtype).smallest_normal * u


def index_from_indptr(indptr: Tensor) -> Tensor:
    """[.., N + 1] pointers that cover E elements as a [.., E] index."""
    rows = indptr.cpu().reshape(-1, indptr.shape[-1])
    number = torch.arange(rows.shape[1] - 1)
    index = torch.stack([torch.repeat_interleave(number, row.diff()) for row in rows])
    return index.reshape(*indptr.shape[:-1], -1)
