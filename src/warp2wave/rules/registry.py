"""All rules, found by import: a module of this package named W2Wnnn_… holds one, as `RULE`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from warp2wave import rules as package
from warp2wave.rules.rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule by code. Raises ValueError where a module and its rule do not agree."""
    found: dict[str, Rule] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        if not module.startswith("W2W"):
            continue
        rule = importlib.import_module(f"{package.__name__}.{module}").RULE
        code, _, name = module.partition("_")
        if not isinstance(rule, Rule) or (rule.code, rule.name) != (code, name.replace("_", "-")):
            raise ValueError(f"{module}: its RULE must be {code} {name.replace('_', '-')}")
        if code in found:
            raise ValueError(f"{code}: two rules have this code")
        found[code] = rule
    return tuple(found[code] for code in sorted(found))


def find_rule(code: str) -> Rule | None:
    """Return the rule of a code or a name, None where there is none."""
    wanted = code.strip()
    for rule in all_rules():
        if wanted.upper() == rule.code or wanted.lower() == rule.name:
            return rule
    return None
