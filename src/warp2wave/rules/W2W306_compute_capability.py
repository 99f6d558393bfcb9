"""Host code that reads the compute capability.

## What it does
Finds `major` and `minor` of device properties, and the device attributes of the same meaning, in
host code.

## Why is this bad
On AMD these fields hold the gfx number: `major` is 9 for gfx90a and gfx942, 11 for gfx1100. A test
such as `major >= 8` then takes an MI210 for a card newer than an A100 and picks kernels for Hopper.

## Example
```cuda
bool has_bf16() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  return prop.major >= 8;
}
```

## Use instead
```cuda
bool has_bf16() {
#ifdef USE_ROCM
  return true;  // gfx90a and newer have it
#else
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  return prop.major >= 8;
#endif
}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_SOURCES = frozenset(
    {
        "cudaDeviceProp",
        "hipDeviceProp_t",
        "getCurrentDeviceProperties",
        "getDeviceProperties",
        "cudaGetDeviceProperties",
    }
)
_ATTRIBUTES = (
    "cudaDevAttrComputeCapabilityMajor",
    "cudaDevAttrComputeCapabilityMinor",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR",
    "cuDeviceComputeCapability",
)
# `cudaDeviceProp p`, `const cudaDeviceProp& p`, `auto* p = at::cuda::getCurrentDeviceProperties()`.
_DECLARED = re.compile(
    r"\bcudaDeviceProp\b(?:\s*const)?[\s*&]*\b(\w+)"
    r"|\b(\w+)\s*=\s*[\w:*&\s]*?\bget(?:Current)?DeviceProperties\s*\("
)
_WHY = "is the gfx number on AMD, 9 for gfx90a and gfx942: a test for NVIDIA's generations misleads"


def _check(view: View, context: Context) -> Iterator[Hit]:
    seen: set[int] = set()
    if not view.words.isdisjoint(_SOURCES):
        names = {name for pair in _DECLARED.findall(view.text) for name in pair if name}
        for site in view.sites("major", "minor"):
            if site.next(-1) not in (".", "->"):
                continue
            owner = site.next(-2)
            before = [site.next(-n) for n in range(2, 9)]
            direct = owner == ")" and any(name.endswith("DeviceProperties") for name in before)
            indexed = owner == "]" and not names.isdisjoint(before)
            if owner not in names and not direct and not indexed:
                continue
            line = view.document.line_column(site.start)[0]
            if line not in seen:
                seen.add(line)
                field = site.code.lexeme(site.position)
                yield Hit(site.start, site.end, f"`{field}` of the device properties {_WHY}")
    for site in view.sites(*_ATTRIBUTES):
        line = view.document.line_column(site.start)[0]
        if line not in seen:
            seen.add(line)
            yield Hit(site.start, site.end, f"the compute capability {_WHY}")


RULE = Rule(
    code="W2W306",
    name="compute-capability",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=_SOURCES | frozenset(_ATTRIBUTES),
)
