"""An AMD product beside the architecture of another.

## What it does
Finds lines of build files and sources that put a product and a gfx name together which do not
belong together, such as MI210 and gfx908.

## Why is this bad
Code for another architecture does not start: "invalid device function".

## Example
```python
ARCHS = {
    "MI300A": "gfx950",
}
```

## Use instead
```python
ARCHS = {
    "MI300A": "gfx942",
}
```

## References
F73
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.targets import all_targets

_ARCH = re.compile(r"(?<![A-Za-z0-9])gfx\d[0-9a-f]{2,3}(?![A-Za-z0-9])")
# What sets a pair apart instead of putting it together.
_CONTRAST = re.compile(r"(?i)\b(?:not|unlike|vs|versus|instead|than|wrong|newer|older)\b|!=")


def _check(view: View, context: Context) -> Iterator[Hit]:
    products = {
        product.upper(): target.arch
        for target in all_targets()
        for product in target.products
        if re.fullmatch(r"MI\d+[AX]?", product)
    }
    name = re.compile(
        r"(?i)(?<![A-Za-z0-9])(" + "|".join(sorted(products, key=len, reverse=True)) + r")(?![\w-])"
    )
    for arch in _ARCH.finditer(view.text):
        start = view.text.rfind("\n", 0, arch.start()) + 1
        end = view.text.find("\n", arch.end())
        line = view.text[start : end if end >= 0 else len(view.text)]
        if len(_ARCH.findall(line)) != 1 or _CONTRAST.search(line):
            continue
        named = {match[1].upper() for match in name.finditer(line)}
        if named and all(products[product] != arch[0] for product in named):
            said = " and ".join(sorted(named))
            right = " and ".join(sorted({products[product] for product in named}))
            text = f"{said} is {right}, not {arch[0]}: code for {arch[0]} does not start on it"
            yield Hit(arch.start(), arch.end(), text)


RULE = Rule(
    code="W2W707",
    name="product-of-another-architecture",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    prefixes=("gfx",),
    kinds=frozenset({"source", "python", "cmake", "toml", "text"}),
)
