"""docs/rules/ is what the rules and their tests say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from warp2wave.rules.registry import all_rules
from warp2wave.rules.rule import Rule

ROOT = Path(__file__).parents[3]
GENERATOR = ROOT / "tools" / "generate_rule_docs.py"


def test_every_rule_has_its_page_and_none_is_stale() -> None:
    checked = subprocess.run(
        [sys.executable, str(GENERATOR), "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"run tools/generate_rule_docs.py\n{checked.stdout}"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_page_shows_the_rule_and_its_cases(rule: Rule) -> None:
    page = (ROOT / "docs" / "rules" / f"{rule.code}-{rule.name}.md").read_text("utf-8")
    assert page.startswith(f"# {rule.code}: {rule.name}\n")
    assert "### Left alone" in page
    assert "### Found" in page
