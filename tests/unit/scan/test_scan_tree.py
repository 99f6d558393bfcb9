"""`scan` on trees: what is read, what is silenced, and that nothing odd in a tree stops it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from scanned_trees import MASK, SPACED, places, tree

import warp2wave
from warp2wave import scan_workers
from warp2wave.errors import UsageError
from warp2wave.scanning import scan


def test_the_package_offers_scan_by_name(tmp_path: Path) -> None:
    found = warp2wave.scan(tree(tmp_path, {"a.cu": SPACED}))
    assert isinstance(found, warp2wave.Scan)
    assert places(found.findings) == [("W2W101", "a.cu", 3)]
    assert {"scan", "Scan"} <= set(dir(warp2wave))
    with pytest.raises(AttributeError, match="no attribute 'scam'"):
        _ = warp2wave.scam


def test_a_single_file_is_enough_and_its_neighbours_are_not_read(tmp_path: Path) -> None:
    tree(tmp_path, {"a.cu": SPACED, "b.cu": SPACED})
    found = scan(tmp_path / "a.cu")
    assert places(found.findings) == [("W2W101", "a.cu", 3)]
    assert [str(path) for path in found.files] == ["a.cu"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("a.txt", b"x", "neither"), ("a.cu", b"\0" * 99, "a.cu"), ("gone.cu", None, "no such")],
)
def test_a_file_that_is_no_source_is_wrong_usage(
    tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=said):
        scan(tmp_path / name)


def test_the_configuration_silences_by_file_and_by_code(tmp_path: Path) -> None:
    settings = '[per-file-ignores]\n"old/**" = ["W2W1"]\n'
    tree(tmp_path, {"warp2wave.toml": settings, "old/a.cu": SPACED, "b.cu": SPACED})
    found = scan(tmp_path)
    assert places(found.findings) == [("W2W101", "b.cu", 3)]
    assert found.silenced == 1
    (tmp_path / "warp2wave.toml").write_text('ignore = ["spaced-launch-brackets"]\n')
    assert scan(tmp_path).findings == ()


def test_selected_and_ignored_codes_may_be_beginnings_or_names(tmp_path: Path) -> None:
    tree(tmp_path, {"a.cu": SPACED})
    for select in ("W2W1", "w2w101", "spaced-launch-brackets", "W2W101,W2W102"):
        assert places(scan(tmp_path, select=[select]).findings) == [("W2W101", "a.cu", 3)]
    assert scan(tmp_path, ignore=["W2W1"], select=["W2W1"]).findings == ()
    for wrong in ("W2W999", "", "nonsense"):
        with pytest.raises(UsageError, match="no rule has"):
            scan(tmp_path, select=[wrong])


def test_an_unknown_target_is_wrong_usage(tmp_path: Path) -> None:
    tree(tmp_path, {"a.cu": SPACED})
    assert [t.arch for t in scan(tmp_path, targets=["hip:gfx942"]).targets] == ["gfx942"]
    with pytest.raises(UsageError, match="gfx90a"):
        scan(tmp_path, targets=["hip:gfx1"])


def test_native_waves_open_what_the_compat_layer_handles(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "warp2wave.toml": 'native-waves = ["by_config.cu"]\n',
            "by_comment.cu": "// w2w: native-waves\n" + MASK,
            "by_config.cu": MASK,
            "plain.cu": MASK,
        },
    )
    found = scan(tmp_path).findings
    assert {str(f.path) for f in found if not f.handled} == {"by_comment.cu", "by_config.cu"}
    assert any(str(f.path) == "plain.cu" for f in found)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + SPACED.encode(),
        SPACED.replace("\n", "\r\n").encode(),
        SPACED.replace("\n", "\r").encode(),
        SPACED.encode().replace(b"g, b;", b"g, b; // caf\xe9", 1),
        SPACED.encode() + b"/* open",
        SPACED.encode() + b"(((((([[[[{{{{",
        SPACED.encode() + b"#if 1\n#else\n",
        SPACED.encode() + b"}" * 5000,
    ],
    ids=["mark", "crlf", "cr", "latin-1", "comment", "brackets", "if", "closed"],
)
def test_odd_texts_are_read_with_the_same_line_numbers(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.cu").write_bytes(content)
    found = [f for f in scan(tmp_path).findings if f.code == "W2W101"]
    assert [f.line for f in found] == [3]


def test_binary_files_are_left_and_named(tmp_path: Path) -> None:
    tree(tmp_path, {"a.cu": SPACED, "b.cu": bytes(range(256)) * 20})
    found = scan(tmp_path)
    assert [str(path) for path in found.files] == ["a.cu"]
    assert [str(s.path) for s in found.skipped] == ["b.cu"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    tree(tmp_path, {"src/a.cu": SPACED})
    (tmp_path / "src" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.cu").symlink_to("self.cu")
    assert places(scan(tmp_path).findings) == [("W2W101", "src/a.cu", 3)]


@pytest.mark.parametrize("name", ["two words.cu", "größe.cu", "new\nline.cu", "a%20b#c?.cu"])
def test_any_file_name_is_fine(tmp_path: Path, name: str) -> None:
    tree(tmp_path, {name: SPACED})
    assert places(scan(tmp_path).findings) == [("W2W101", name, 3)]


def test_a_read_only_tree_is_scanned_and_left_as_it_is(tmp_path: Path) -> None:
    tree(tmp_path, {"a.cu": SPACED})
    tmp_path.chmod(0o555)
    try:
        assert places(scan(tmp_path).findings) == [("W2W101", "a.cu", 3)]
        assert os.listdir(tmp_path) == ["a.cu"]  # noqa: PTH208
    finally:
        tmp_path.chmod(0o755)


def test_the_inventory_counts_names_by_what_the_map_says(tmp_path: Path) -> None:
    text = "void f(void** p) { cudaMalloc(p, 4); cudaMalloc(p, 8); cudaNoSuchThing(); }\n"
    tree(tmp_path, {"a.cu": text, "b.cu": "// cudaFree in a comment\n"})
    names = {name.cuda: name for name in scan(tmp_path).inventory.names}
    assert set(names) == {"cudaMalloc", "cudaNoSuchThing"}
    assert (names["cudaMalloc"].hip, names["cudaMalloc"].uses) == ("hipMalloc", 2)
    assert names["cudaNoSuchThing"].status == "unknown"


def test_several_processes_find_the_same_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, {f"{number:02}.cu": SPACED + MASK for number in range(9)})
    alone = scan(tmp_path)
    monkeypatch.setattr(scan_workers, "WORTH_PROCESSES", 0)
    steps: list[tuple[int, int]] = []
    spread = scan(tmp_path, jobs=2, on_progress=lambda *step: steps.append(step))
    assert spread == alone
    assert steps == [(number, 9) for number in range(1, 10)]


def test_without_processes_one_core_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, {"a.cu": SPACED, "b.cu": SPACED})
    monkeypatch.setattr(scan_workers, "WORTH_PROCESSES", 0)

    def refused(*arguments: object, **settings: object) -> None:
        raise PermissionError("no processes here")

    monkeypatch.setattr(scan_workers, "ProcessPoolExecutor", refused)
    assert len(scan(tmp_path, jobs=4).findings) == 2
