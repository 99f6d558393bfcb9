"""CUDA names that a rename cannot serve: the compat headers define a replacement for each.

The port looks here before it asks the API map. `#define NAME replacement` goes into the maps of
a tree that uses NAME, and `header` (a file of include/warp2wave/compat/) into its gpu_compat/.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Shim(NamedTuple):
    """A replacement identifier and the compat header that defines it."""

    replacement: str
    header: str


def _from(header: str, names: Mapping[str, str]) -> dict[str, Shim]:
    return {cuda: Shim(replacement, header) for cuda, replacement in names.items()}


_WARP = {
    "warpSize": "w2w_warp_size",
    "__shfl": "w2w_shfl",
    "__shfl_up": "w2w_shfl_up",
    "__shfl_down": "w2w_shfl_down",
    "__shfl_xor": "w2w_shfl_xor",
    "__shfl_sync": "w2w_shfl_sync",
    "__shfl_up_sync": "w2w_shfl_up_sync",
    "__shfl_down_sync": "w2w_shfl_down_sync",
    "__shfl_xor_sync": "w2w_shfl_xor_sync",
    "__any": "w2w_any",
    "__all": "w2w_all",
    "__ballot": "w2w_ballot",
    "__any_sync": "w2w_any_sync",
    "__all_sync": "w2w_all_sync",
    "__uni_sync": "w2w_uni_sync",
    "__ballot_sync": "w2w_ballot_sync",
    "__activemask": "w2w_activemask",
    "__syncwarp": "w2w_syncwarp",
    "__match_any_sync": "w2w_match_any_sync",
    "__match_all_sync": "w2w_match_all_sync",
    "__reduce_add_sync": "w2w_reduce_add_sync",
    "__reduce_min_sync": "w2w_reduce_min_sync",
    "__reduce_max_sync": "w2w_reduce_max_sync",
    "__reduce_and_sync": "w2w_reduce_and_sync",
    "__reduce_or_sync": "w2w_reduce_or_sync",
    "__reduce_xor_sync": "w2w_reduce_xor_sync",
    # HIP's own names, found in the USE_ROCM branches of trees that were ported by hand.
    "__lane_id": "w2w_lane_id",
    "__lanemask_eq": "w2w_lanemask_eq",
    "__lanemask_lt": "w2w_lanemask_lt",
    "__lanemask_gt": "w2w_lanemask_gt",
}

SHIMS: Mapping[str, Shim] = MappingProxyType(_from("warp32.h", _WARP))
