"""What to use on AMD instead of PTX that has no translation: by the beginning of the opcode."""

from __future__ import annotations

from warp2wave.model import Effort

ADVICE: tuple[tuple[str, str, Effort], ...] = (
    ("wgmma", "use rocWMMA or MFMA builtins; warpgroup products have no counterpart", "large"),
    ("tcgen05", "use rocWMMA or MFMA builtins; tensor memory has no counterpart", "large"),
    ("mma", "use rocWMMA or the MFMA builtins, whose fragments are laid out otherwise", "large"),
    ("wmma", "use rocWMMA", "large"),
    ("ldmatrix", "load the fragment from LDS by plain loads or rocWMMA", "medium"),
    ("stmatrix", "store the fragment to LDS by plain stores or rocWMMA", "medium"),
    ("cp.async.bulk", "copy through registers; there is no TMA", "large"),
    ("cp.reduce.async", "copy through registers and use atomics; there is no TMA", "large"),
    ("cp.async", "copy through registers to LDS by plain loads and stores", "medium"),
    ("mbarrier", "use __syncthreads() or counters in LDS", "large"),
    ("setmaxnreg", "leave it out; registers are fixed for a kernel", "medium"),
    ("elect.sync", "choose the first active lane by its lane index", "medium"),
    ("bar.", "named barriers have no counterpart; use __syncthreads() or LDS counters", "medium"),
    ("barrier.", "named and cluster barriers have no counterpart", "large"),
    ("cluster", "there are no thread block clusters", "large"),
    ("shfl", "use __shfl_sync and its family", "small"),
    ("vote", "use __ballot_sync, __any_sync or __all_sync", "small"),
)


def advice_for(opcodes: tuple[str, ...]) -> tuple[str, Effort]:
    """Return the advice and effort of the hardest form among opcodes."""
    for beginning, advice, effort in ADVICE:
        if any(opcode.startswith(beginning) for opcode in opcodes):
            return advice, effort
    return "write the HIP branch by hand", "small"
