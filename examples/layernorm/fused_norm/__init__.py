"""Layer normalisation over the last dimension, forward and backward."""

from pathlib import Path

import torch

_libraries = sorted(Path(__file__).parent.glob("_C*.so"))
if not _libraries:
    raise ImportError("fused_norm is not built: run `python setup.py build_ext --inplace`")
torch.ops.load_library(str(_libraries[0]))


def _statistics_dtype(x):
    return torch.float64 if x.dtype == torch.float64 else torch.float32


@torch.library.register_fake("fused_norm::layer_norm")
def _(x, weight, bias, eps):
    statistics = x.new_empty(x.shape[:-1], dtype=_statistics_dtype(x))
    return x.new_empty(x.shape), statistics, torch.empty_like(statistics)


@torch.library.register_fake("fused_norm::layer_norm_backward")
def _(grad, x, mean, rstd, weight):
    return x.new_empty(x.shape), x.new_empty(x.shape[-1:]), x.new_empty(x.shape[-1:])


def _setup_context(ctx, inputs, output):
    x, weight, _, _ = inputs
    _, mean, rstd = output
    ctx.mark_non_differentiable(mean, rstd)
    ctx.save_for_backward(x, mean, rstd, weight)


def _backward(ctx, grad, _grad_mean, _grad_rstd):
    x, mean, rstd, weight = ctx.saved_tensors
    grad_x, grad_weight, grad_bias = torch.ops.fused_norm.layer_norm_backward(
        grad, x, mean, rstd, weight
    )
    wanted = ctx.needs_input_grad
    return (
        grad_x if wanted[0] else None,
        grad_weight if wanted[1] else None,
        grad_bias if wanted[2] else None,
        None,
    )


torch.library.register_autograd("fused_norm::layer_norm", _backward, setup_context=_setup_context)


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Normalise the last dimension of ``x``; ``weight`` and ``bias`` are vectors of its length."""
    return torch.ops.fused_norm.layer_norm(x, weight, bias, eps)[0]
