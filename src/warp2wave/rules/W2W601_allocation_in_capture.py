"""Memory allocated or freed while a graph is captured.

## What it does
Finds allocations and frees between the begin and the end of a capture, and in functions called
from there: the runtime's, temporary tensors in a capture that PyTorch does not know of, and
thrust's algorithms and vectors, which allocate too.

## Why is this bad
`cudaMalloc` and `cudaFree` are refused while a stream is capturing, and the capture is lost.
`cudaMallocAsync` becomes a memory node: on ROCm the graph may not be launched twice, or memory
grows at each replay. A tensor made inside a raw stream capture goes back to PyTorch's cache after
it, so that replays write into memory which others own by then.

Tensors made inside `torch.cuda.graph` or between `capture_begin` and `capture_end` of a
`CUDAGraph` are right: those captures have a pool of their own. A training step captured with
autograd was reported to grow by some MB at each replay: watch the device's memory over many.

## Example
```cuda
void record(cudaStream_t s, float *x, int n, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float *tmp;
  cudaMallocAsync(&tmp, n * sizeof(float), s);
  scale<<<n / 256, 256, 0, s>>>(x, tmp, n);
  cudaStreamEndCapture(s, graph);
}
```

## Use instead
```cuda
void record(cudaStream_t s, float *x, int n, cudaGraph_t *graph) {
  float *tmp;
  cudaMallocAsync(&tmp, n * sizeof(float), s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<n / 256, 256, 0, s>>>(x, tmp, n);
  cudaStreamEndCapture(s, graph);
}
```

## References
F18, F81
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.capture_regions import BEGINS, captured_calls, captures, part_at
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

# fmt: off
_PLAIN = (
    "Malloc", "MallocHost", "MallocManaged", "MallocPitch", "Malloc3D", "MallocArray", "Free",
    "FreeHost", "FreeArray", "HostAlloc", "HostMalloc", "HostFree", "HostRegister",
    "HostUnregister",
)
_ORDERED = ("MallocAsync", "FreeAsync", "MallocFromPoolAsync")
_REFUSED = (
    *(prefix + name for prefix in ("cuda", "hip") for name in _PLAIN),
    "cuMemAlloc", "cuMemFree", "cuMemAllocHost", "cuMemAllocManaged", "cuMemAllocPitch",
)
_NODES = (
    *(prefix + name for prefix in ("cuda", "hip") for name in _ORDERED),
    "cuMemAllocAsync", "cuMemFreeAsync",
)
_TENSORS = (
    "empty", "zeros", "ones", "full", "rand", "randn", "arange", "empty_like", "zeros_like",
    "ones_like", "full_like", "empty_strided", "cat", "stack",
)
_TENSOR_METHODS = ("new_empty", "new_zeros", "new_ones", "new_full", "clone", "contiguous")
_CACHE = ("raw_alloc", "raw_alloc_with_stream", "raw_delete", "emptyCache")
_THRUST = (
    "sort", "sort_by_key", "stable_sort", "stable_sort_by_key", "reduce", "reduce_by_key",
    "transform_reduce", "inclusive_scan", "exclusive_scan", "unique", "unique_by_key", "copy_if",
    "remove_if", "partition", "count", "count_if", "max_element", "min_element",
)
# fmt: on
_BEFORE = "allocate before the capture and keep the memory as long as the graph"


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not captures(view):
        return
    yield from _runtime(view)
    yield from _tensors(view)
    yield from _thrust(view)


def _runtime(view: View) -> Iterator[Hit]:
    for call, _, part in captured_calls(view, *_REFUSED):
        if not part.capture.is_relaxed and not call.is_member:
            why = f"{call.name} {part.where} is refused, and the capture is lost"
            yield Hit(call.start, call.end, f"{why}: {_BEFORE}", severity="error")
    for call, _, part in captured_calls(view, *_NODES):
        why = f"{call.name} {part.where} becomes a memory node, which a replay may not repeat"
        yield Hit(call.start, call.end, f"{why} on ROCm: {_BEFORE}")


def _tensors(view: View) -> Iterator[Hit]:
    for call, _, part in captured_calls(view, *_TENSORS, *_TENSOR_METHODS, *_CACHE):
        if part.capture.by_torch:
            continue
        if call.name in _TENSORS and not call.qualified.startswith(("at::", "torch::", "::at::")):
            continue
        if call.name in _TENSOR_METHODS and not call.is_member:
            continue
        why = (
            f"PyTorch's allocator does not know of this capture, so that the memory of {call.name}"
        )
        yield Hit(
            call.start,
            call.end,
            f"{why} {part.where} goes to others after it; make the tensor before the capture, "
            "or capture with at::cuda::CUDAGraph",
        )


def _thrust(view: View) -> Iterator[Hit]:
    for call, _, part in captured_calls(view, *_THRUST):
        if call.qualified.startswith(("thrust::", "::thrust::")):
            why = f"{call.qualified} {part.where} allocates memory and waits for the stream"
            yield Hit(
                call.start,
                call.end,
                f"{why}, which a capture refuses: use the cub call with storage from before",
                severity="error",
            )
    for site in view.sites("device_vector"):
        holder = part_at(view, site)
        if holder is not None and site.next(-1) == "::":
            why = f"A thrust::device_vector {holder.where} allocates and frees memory"
            yield Hit(site.start, site.end, f"{why}: {_BEFORE}", severity="error")


RULE = Rule(
    code="W2W601",
    name="allocation-in-capture",
    severity="warning",
    effort="medium",
    check=_check,
    page=__doc__,
    words=BEGINS,
)
