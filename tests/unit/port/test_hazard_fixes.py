"""Fixes by the rules: which are applied, what they touch, and that a second run finds nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import pytest

from warp2wave.config import Config
from warp2wave.model import Edit, Fix
from warp2wave.port import hazard_fixes
from warp2wave.port.edits import changed_lines, source_line
from warp2wave.port.hazard_fixes import LEVELS, mend
from warp2wave.port.single_source import diff_text, plan_port, write_port
from warp2wave.records import port_record
from warp2wave.rules.context import Context
from warp2wave.rules.rule import FileKind, Hit, Rule
from warp2wave.rules.view import View
from warp2wave.views import port_text

RULE_CASES = sorted((Path(__file__).parents[2] / "rules").glob("W2W*.md"))
_BLOCK = re.compile(r"^```(cuda|cpp)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPACED = "void f() { k<< <1, 2>> >(3); }\n"
BRACED = "void f() { k<<<1, {2}>>>(3); }\n"


def blocks_of(path: Path) -> Iterable[View]:
    for number, (_, options, text) in enumerate(_BLOCK.findall(path.read_text("utf-8"))):
        native = "native" in options
        yield View(PurePosixPath(f"{number}.cu"), text, native=native)


def code(text: str, name: str = "k.cu", kind: FileKind = "source") -> View:
    return View(PurePosixPath(name), text, kind)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("path", RULE_CASES, ids=lambda path: path.stem)
def test_mending_twice_is_mending_once(path: Path, level: str) -> None:
    for view in blocks_of(path):
        once = mend([view], Config(), level)
        assert level != "none" or not once.files
        for file in once.files:
            again = mend([View(file.path, file.new, native=view.native)], Config(), level)
            assert not again.files
            assert again.open_findings == once.open_findings
            assert file.fixes
            assert {fix.fix.applicability for fix in file.fixes} <= set(LEVELS[level])
            lines = file.old.count("\n") + 1
            assert all(1 <= fix.line <= lines for fix in file.fixes)


def test_only_the_lines_of_a_finding_change() -> None:
    text = "int a = 1 << 2;\n" + SPACED + "// k<< <1, 2>> >(3)\n" + BRACED
    (file,) = mend([code(text)], Config(), "safe").files
    assert changed_lines(file.old, file.new) == (2, 2)
    assert [(fix.code, fix.line) for fix in file.fixes] == [("W2W101", 2), ("W2W102", 4)]


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("// w2w: ignore-file[W2W101]\n" + SPACED, Config()),
        ("// w2w: ignore-next-line\n" + SPACED, Config()),
        (SPACED, Config(ignore=("W2W1",))),
        (SPACED, Config(select=("W2W102",))),
        (SPACED, Config(per_file_ignores=(("*.cu", ("W2W101",)),))),
    ],
)
def test_what_is_silenced_is_not_mended(text: str, config: Config) -> None:
    assert not mend([code(text)], config, "unsafe").files


def test_other_files_do_not_change() -> None:
    mended = mend([code(BRACED, "a.cu"), code("int x;\n", "b.cu")], Config(), "safe")
    assert [str(file.path) for file in mended.files] == ["a.cu"]


def made_up(number: int, word: str, hit: Hit) -> Rule:
    """A rule with one hit, which it finds as long as the text has the word."""

    def check(view: View, _: Context) -> list[Hit]:
        return [hit] if word in view.text else []

    return Rule(f"W2W99{number}", "made-up", "error", "trivial", check, "")


def hit(start: int, end: int, text: str, *, handled: bool = False, unsafe: bool = False) -> Hit:
    fix = Fix("mend", (Edit(start, end, text),), "unsafe" if unsafe else "safe")
    return Hit(start, end, "found", fix, handled=handled)


def with_rules(monkeypatch: pytest.MonkeyPatch, *hits: tuple[str, Hit]) -> None:
    rules = tuple(made_up(number, *each) for number, each in enumerate(hits))
    monkeypatch.setattr(hazard_fixes, "chosen_rules", lambda *_: rules)


def test_of_overlapping_fixes_the_earlier_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    with_rules(monkeypatch, ("aabb", hit(0, 4, "XXXX")), ("bb", hit(2, 4, "YY")))
    (file,) = mend([code("aabb\n")], Config(), "safe").files
    assert (file.new, [fix.code for fix in file.fixes]) == ("XXXX\n", ["W2W990"])


def test_an_overlapped_fix_that_is_still_wanted_has_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_rules(monkeypatch, ("aa", hit(0, 3, "XXb")), ("bb", hit(2, 4, "YY")))
    (file,) = mend([code("aabb\n")], Config(), "safe").files
    assert file.new == "XXYY\n"
    assert [fix.code for fix in file.fixes] == ["W2W990", "W2W991"]


def test_what_is_handled_or_unsafe_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    with_rules(
        monkeypatch, ("aa", hit(0, 2, "XX", handled=True)), ("bb", hit(2, 4, "YY", unsafe=True))
    )
    safe = mend([code("aabb\n")], Config(), "safe")
    assert (safe.files, safe.open_findings) == ((), 1)
    (file,) = mend([code("aabb\n")], Config(), "unsafe").files
    assert file.new == "aaYY\n"


def test_fixes_that_undo_one_another_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with_rules(monkeypatch, ("aa", hit(0, 2, "bb")), ("bb", hit(0, 2, "aa")))
    mend([code("aa\n")], Config(), "safe")


def test_a_later_round_names_the_line_of_the_first_text() -> None:
    assert source_line("a\nb\nc\n", "a\nnew\nb\nc\n", 3) == 2
    assert source_line("a\nb\nc\n", "a\nnew\nb\nc\n", 4) == 3
    assert source_line("a\nb\n", "a\nX\n", 2) == 2
    assert source_line("", "a\n", 1) == 1


def test_the_port_shows_each_fix_and_what_is_open(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k(int);\n" + SPACED)
    port = plan_port(tmp_path, fix="safe")
    assert "+void f() { k<<<1, 2>>>(3); }" in diff_text(port)
    text = "\n".join(map(str, port_text(port, check=False)))
    assert re.search(r"k\.cu:2  W2W101 join the launch brackets", text)
    record = port_record(port)
    assert [(fix["code"], fix["line"]) for fix in record["fixes"]] == [("W2W101", 2)]
    assert record["open_findings"] == port.open_findings
    write_port(port, record)
    assert not plan_port(tmp_path, fix="safe").changes_anything


def test_without_fixes_the_findings_are_counted(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k(int);\n" + SPACED)
    port = plan_port(tmp_path, fix="none")
    assert not port.edited
    assert port.open_findings >= 1
    text = "\n".join(map(str, port_text(port, check=False)))
    assert f"{port.open_findings} finding" in text
    assert "warp2wave scan" in text
