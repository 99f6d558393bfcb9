"""What is compiled again, what is not, and how failures come out."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from warp2wave.errors import BuildFailedError, UsageError

if TYPE_CHECKING:
    from conftest import Workshop


def test_a_second_run_compiles_nothing(workshop: Workshop) -> None:
    workshop.write("a.cu", "int a;\n")
    workshop.write("b.cu", "int b;\n")
    first = workshop.build(["a.cu", "b.cu"])
    assert first.ok
    assert workshop.compiled() == ["a.cu", "b.cu"]
    second = workshop.build(["a.cu", "b.cu"])
    assert workshop.compiled() == []
    assert [unit.cached for unit in second.units] == [True, True]
    assert [u.object_path for u in second.units] == [u.object_path for u in first.units]


def test_f13_an_edited_header_recompiles_just_its_users(workshop: Workshop) -> None:
    workshop.write("inc/deep.h", "int deep;\n")
    workshop.write("inc/used.h", '#include "deep.h"\n')
    workshop.write("a.cu", '#include "used.h"\n')
    workshop.write("b.cu", "int b;\n")
    workshop.build(["a.cu", "b.cu"], include_dirs=["inc"])
    workshop.compiled()
    workshop.write("inc/deep.h", "int deeper;\n")
    result = workshop.build(["a.cu", "b.cu"], include_dirs=["inc"])
    assert workshop.compiled() == ["a.cu"]
    assert "deeper" in Path(result.units[0].object_path).read_text(encoding="utf-8")


def test_touching_a_file_changes_nothing(workshop: Workshop) -> None:
    workshop.write("a.cu", "int a;\n")
    workshop.build(["a.cu"])
    workshop.compiled()
    os.utime(workshop.root / "a.cu", (1, 1))
    workshop.build(["a.cu"])
    assert workshop.compiled() == []


def test_going_back_to_an_earlier_text_compiles_nothing(workshop: Workshop) -> None:
    for text in ("int a;\n", "int b;\n"):
        workshop.write("a.cu", text)
        workshop.build(["a.cu"])
    workshop.compiled()
    workshop.write("a.cu", "int a;\n")
    result = workshop.build(["a.cu"])
    assert workshop.compiled() == []
    assert Path(result.units[0].object_path).read_text(encoding="utf-8") == "int a;\n"


@pytest.mark.parametrize(
    "change",
    [
        {"defines": ["EXTRA=1"]},
        {"targets": ["hip:gfx942"]},
        {"include_dirs": ["."]},
    ],
    ids=["define", "architecture", "include folder"],
)
def test_other_flags_compile_again(workshop: Workshop, change: dict[str, list[str]]) -> None:
    workshop.write("a.cu", "int a;\n")
    workshop.build(["a.cu"])
    workshop.compiled()
    workshop.build(["a.cu"], **change)  # type: ignore[arg-type]
    assert workshop.compiled() == ["a.cu"]


def test_a_variable_that_compilers_obey_compiles_again(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.write("a.cu", "int a;\n")
    workshop.build(["a.cu"])
    workshop.compiled()
    monkeypatch.setenv("CPATH", "/elsewhere")
    workshop.build(["a.cu"])
    assert workshop.compiled() == ["a.cu"]


def test_f14_a_new_header_that_would_be_found_first_is_noticed(workshop: Workshop) -> None:
    workshop.write("second/x.h", "int second;\n")
    workshop.write("a.cu", '#include "x.h"\n')
    workshop.build(["a.cu"], include_dirs=["first", "second"])
    workshop.write("first/x.h", "int first;\n")
    result = workshop.build(["a.cu"], include_dirs=["first", "second"])
    assert "int first" in Path(result.units[0].object_path).read_text(encoding="utf-8")


def test_an_equal_tree_elsewhere_shares_the_results(workshop: Workshop, tmp_path: Path) -> None:
    workshop.write("a.cu", "int a;\n")
    workshop.build(["a.cu"])
    workshop.compiled()
    moved = tmp_path / "moved here"
    shutil.copytree(workshop.root, moved)
    workshop.root = moved
    workshop.build(["a.cu"])
    assert workshop.compiled() == []


def test_failures_keep_the_order_of_the_sources_and_stop_nothing(workshop: Workshop) -> None:
    workshop.write("slow.cu", "#sleep 0.5\n#error slow one\n")
    workshop.write("good.cu", "int a;\n")
    workshop.write("bad.cu", "int a;\n#error quick one\n")
    result = workshop.build(["slow.cu", "good.cu", "bad.cu"], jobs=3)
    assert not result.ok
    failures = [unit.failure for unit in result.units]
    assert [f and (f.path, f.line, f.column, f.message) for f in failures] == [
        ("slow.cu", 2, 2, "slow one"),
        None,
        ("bad.cu", 2, 2, "quick one"),
    ]
    assert failures[0] is not None
    assert "slow one" in Path(failures[0].log).read_text(encoding="utf-8")


def test_a_failure_is_tried_again(workshop: Workshop) -> None:
    workshop.write("a.cu", "#error no\n")
    workshop.build(["a.cu"])
    workshop.compiled()
    workshop.build(["a.cu"])
    assert workshop.compiled() == ["a.cu"]


def test_f12_sources_of_one_name_have_objects_of_their_own(workshop: Workshop) -> None:
    workshop.write("x/axpy.cu", "int same;\n")
    workshop.write("y/axpy.cu", "int same;\n")
    result = workshop.build(["x/axpy.cu", "y/axpy.cu"])
    assert len({unit.object_path for unit in result.units}) == 2


@pytest.mark.parametrize("name", ["two words.cu", "größe.cu", "-dash.cu", "a$b.cu", "it's.cu"])
def test_odd_file_names(workshop: Workshop, name: str) -> None:
    workshop.write(name, "int a;\n")
    assert workshop.build([name]).ok
    workshop.compiled()
    assert workshop.build([name]).units[0].cached


def test_a_read_only_tree(workshop: Workshop) -> None:
    workshop.write("a.cu", "int a;\n")
    before = sorted(path.name for path in workshop.root.rglob("*"))
    workshop.root.chmod(0o555)
    try:
        assert workshop.build(["a.cu"]).ok
    finally:
        workshop.root.chmod(0o755)
    assert sorted(path.name for path in workshop.root.rglob("*")) == before


def test_progress_counts_every_compiler_run(workshop: Workshop) -> None:
    workshop.write("a.cu", "int a;\n")
    workshop.write("b.cu", "#error no\n")
    workshop.build(["a.cu", "b.cu"], targets=["hip:gfx90a", "hip:gfx942"])
    assert [(p.done, p.total) for p in workshop.progress] == [(n, 4) for n in (1, 2, 3, 4)]
    assert sorted(p.failed for p in workshop.progress) == [False, False, True, True]


def test_ctrl_c_ends_the_compilers(workshop: Workshop) -> None:
    workshop.write("a.cu", "#sleep 60\n")
    started = threading.Timer(0.2, _interrupt_when_running, (workshop,))
    started.start()
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        workshop.build(["a.cu"])
    assert time.monotonic() - before < 50  # the compiler would have slept for 60 s
    assert list(workshop.cache.glob(".compiling-*")) == []


def _interrupt_when_running(workshop: Workshop) -> None:
    while not workshop.log.exists():
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)


def test_a_compiler_that_cannot_be_started_is_an_error(workshop: Workshop, tmp_path: Path) -> None:
    workshop.write("a.cu", "int a;\n")
    (tmp_path / "tools" / "clang++").chmod(0o644)
    with pytest.raises(BuildFailedError, match="cannot go on"):
        workshop.build(["a.cu"])


def test_nothing_to_compile_is_a_usage_error(workshop: Workshop) -> None:
    with pytest.raises(UsageError, match="no device source"):
        workshop.build([])


def test_a_damaged_record_is_no_hit(workshop: Workshop) -> None:
    workshop.write("a.cu", "int a;\n")
    workshop.build(["a.cu"])
    workshop.compiled()
    for record in (workshop.cache / "runs").rglob("*.json"):
        record.write_text('[{"read": 3}, 7', encoding="utf-8")
    assert workshop.build(["a.cu"]).ok
    assert workshop.compiled() == ["a.cu"]


def test_a_file_edited_while_it_is_compiled_is_not_recorded(workshop: Workshop) -> None:
    workshop.write("a.cu", "#sleep 0.3\nint old;\n")

    def edit() -> None:
        while not workshop.log.exists() or not workshop.log.read_text(encoding="utf-8"):
            time.sleep(0.02)
        workshop.write("a.cu", "int new_text;\n")

    editor = threading.Thread(target=edit)
    editor.start()
    workshop.build(["a.cu"])
    editor.join()
    result = workshop.build(["a.cu"])
    assert "new_text" in Path(result.units[0].object_path).read_text(encoding="utf-8")
