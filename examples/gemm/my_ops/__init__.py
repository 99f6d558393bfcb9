"""Half-precision matrix product with float32 accumulation."""

from pathlib import Path

import torch

_libraries = sorted(Path(__file__).parent.glob("_C*.so"))
if not _libraries:
    raise ImportError("my_ops is not built: run `python setup.py build_ext --inplace`")
torch.ops.load_library(str(_libraries[0]))


@torch.library.register_fake("my_ops::custom_gemm")
def _(a, b):
    torch._check(a.dim() == 2 and b.dim() == 2)
    torch._check(a.shape[1] == b.shape[0])
    return a.new_empty((a.shape[0], b.shape[1]))


def _setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _backward(ctx, grad):
    a, b = ctx.saved_tensors
    grad_a = custom_gemm(grad, b.t()) if ctx.needs_input_grad[0] else None
    grad_b = custom_gemm(a.t(), grad) if ctx.needs_input_grad[1] else None
    return grad_a, grad_b


torch.library.register_autograd("my_ops::custom_gemm", _backward, setup_context=_setup_context)


def custom_gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return ``a @ b`` for half matrices of shapes [m, k] and [k, n]."""
    return torch.ops.my_ops.custom_gemm(a, b)
