"""Histogram, inclusive scan and stream compaction of vectors."""

from pathlib import Path

import torch

_libraries = sorted(Path(__file__).parent.glob("_C*.so"))
if not _libraries:
    raise ImportError("stream_ops is not built: run `python setup.py build_ext --inplace`")
torch.ops.load_library(str(_libraries[0]))


@torch.library.register_fake("stream_ops::histogram")
def _(values, bins):
    return values.new_empty((bins,), dtype=torch.int64)


@torch.library.register_fake("stream_ops::inclusive_scan")
def _(values):
    return values.new_empty(values.shape)


@torch.library.register_fake("stream_ops::compact")
def _(values, mask):
    return values.new_empty((torch.library.get_ctx().new_dynamic_size(),))


def histogram(values: torch.Tensor, bins: int) -> torch.Tensor:
    """Count, as int64, how often each of 0 … bins - 1 occurs; other values are ignored."""
    return torch.ops.stream_ops.histogram(values, bins)


def inclusive_scan(values: torch.Tensor) -> torch.Tensor:
    """Return the running sums of a vector, in its own data type."""
    return torch.ops.stream_ops.inclusive_scan(values)


def compact(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the elements of a vector where ``mask`` is true, in order."""
    return torch.ops.stream_ops.compact(values, mask)
