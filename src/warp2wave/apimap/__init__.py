"""The API map: CUDA names and their HIP counterparts, each with its source.

`load()` gives the `ApiMap`, `ApiMap.find(name)` one entry. The data are the TOML files in `data/`,
whose format `data/README.md` describes.
"""

from __future__ import annotations

from warp2wave.apimap.lookup import ApiMap, load

__all__ = ["ApiMap", "load"]
