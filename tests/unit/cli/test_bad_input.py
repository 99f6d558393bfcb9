"""Trees that are odd, broken or hostile: nothing crashes and not a byte is lost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import KERNEL, command, make, process, snapshot

UTF8 = KERNEL.decode()
TEXTS = {
    "empty": b"",
    "one newline": b"\n",
    "no newline at the end": KERNEL.rstrip(),
    "crlf": KERNEL.replace(b"\n", b"\r\n"),
    "lone cr": KERNEL.replace(b"\n", b"\r"),
    "mixed ends": KERNEL.replace(b"\n", b"\r\n", 3),
    "utf-8 mark": b"\xef\xbb\xbf" + KERNEL,
    "latin-1": "// caf\u00e9 \u00fc\n".encode("latin-1") + KERNEL,
    "shift-jis": "// \u8868\u793a\u30bd\n".encode("shift-jis") + KERNEL,
    "utf-16 le": b"\xff\xfe" + UTF8.encode("utf-16-le"),
    "utf-16 be": b"\xfe\xff" + UTF8.encode("utf-16-be"),
    "utf-16 bare": UTF8.encode("utf-16-le"),
    "utf-32": b"\xff\xfe\0\0" + UTF8.encode("utf-32-le"),
    "binary": bytes(range(256)) * 40,
    "a NUL": KERNEL + b"\0",
    "all bytes but NUL": bytes(range(1, 256)) + KERNEL,
    "surrogates as utf-8": b"// \xed\xa0\x80\xed\xb0\x80\n" + KERNEL,
    "open comment": KERNEL + b"/* cudaMalloc",
    "open string": KERNEL + b'"cudaMalloc',
    "open raw string": KERNEL + b'R"x(cudaMalloc',
    "raw string with a long delimiter": KERNEL + b'R"' + b"x" * 100 + b"(",
    "open character": KERNEL + b"'",
    "open launch": KERNEL + b"k<<<1, 2",
    "open launch with blanks": KERNEL + b"k << <1, 2 >",
    "closed too often": b")))}}]>>>" + KERNEL,
    "opened too often": b"((({{{[[<<<" + KERNEL,
    "#if without end": b"#if 1\n" + KERNEL,
    "#endif without #if": b"#endif\n#else\n#elif\n" + KERNEL,
    "include of nothing": b'#include\n#include <\n#include "\n#include <>\n' + KERNEL,
    "include of odd names": b'#include <../../etc/passwd>\n#include "/etc/passwd"\n'
    b'#include "\xff"\n'
    b'#include "k.cu"\n#include <cuda_runtime.h\n#include <a\0b>\n'.replace(b"\0", b"\x01")
    + KERNEL,
    "backslash at the end": KERNEL + b"#define X \\",
    "spliced names": b"cuda\\\nMalloc(0, 1); cudaFr\\\r\nee(0);\n" + KERNEL,
    "trigraphs": b"??=include <cuda_runtime.h>\n" + KERNEL,
    "deep brackets": b"(" * 20000 + b"cudaMalloc" + b")" * 20000,
    "deep angles": b"a<" * 5000 + b"k<<<1,2>>>()",
    "many launches": b"k << <1, 2>> >(x); " * 400,
    "one long line": b"cudaMalloc(a, b); " * 4000,
    "form feeds": KERNEL.replace(b"\n", b"\n\x0c\x0b\x1c\x85\n"),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_is_ported_and_given_back(w2w, tmp_path: Path, text: bytes) -> None:
    files = {"k.cu": text, "a.cuh": text, "setup.py": text, "CMakeLists.txt": text, "x.png": text}
    root = make(tmp_path / "tree", files)
    before = snapshot(root)
    for arguments, code in ((["--diff"], 0), (["--check"], 1), ([], 0), (["--check"], 0)):
        ran = w2w("port", root, *arguments)
        assert ran.code == code, ran
        assert "Traceback" not in ran.said
        if arguments != []:
            continue
        # Only the blanks within launch brackets may go.
        for name, content in files.items():
            now = (root / name).read_bytes()
            assert now.replace(b" ", b"") == content.replace(b" ", b"")
    assert w2w("port", root, "--undo").code == 0
    assert snapshot(root) == before


@pytest.mark.parametrize("name", ["pyproject.toml", "warp2wave.toml"])
@pytest.mark.parametrize("text", [b"\xff\xfea\0", b"\0", b"[" * 3000, b"x = 1\nx = 2\n", KERNEL])
def test_a_broken_configuration_is_named(w2w, tmp_path: Path, name: str, text: bytes) -> None:
    root = make(tmp_path / "tree", {"k.cu": KERNEL, name: text})
    before = snapshot(root)
    ran = w2w("port", root)
    assert ran.code == 2
    assert name in ran.said
    assert snapshot(root) == before


def test_names_of_every_kind(w2w, tmp_path: Path) -> None:
    root = make(
        tmp_path / "a tree \u00e9",
        {
            "with blank/k k.cu": KERNEL,
            "\u00fc/\u4e2d.cu": KERNEL,
            "new\nline.cu": KERNEL,
            "tab\t\"quote'.cu": KERNEL,
            "-rf.cu": KERNEL,
            "[bold]x[/].cu": KERNEL,
            "$(touch x)`y`.cu": KERNEL,
            "UPPER.CU": KERNEL,
            "upper.cu": KERNEL,
            ".hidden.cu": KERNEL,
            "n" * 200 + ".cu": KERNEL,
        },
    )
    with open(os.fsencode(root) + b"/\xff\xe9.cu", "wb") as stream:  # noqa: PTH123
        stream.write(KERNEL)
    (root / "bin\udcff.cu").write_bytes(b"\0")
    before = snapshot(root)
    patch = w2w("port", root, "--diff")
    assert patch.code == 0
    copy = make(tmp_path / "copy", {})
    subprocess.run(["cp", "-a", f"{root}/.", copy], check=True)
    subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
    subprocess.run(["git", "apply", "-"], cwd=copy, input=patch.out, check=True)
    ran = w2w("port", root)
    assert ran.code == 0
    assert "[bold]x[/].cu:8" in ran.text  # not taken for markup
    assert "bin\\udcff.cu: binary" in ran.text
    ported = {k: v for k, v in snapshot(root).items() if not k.startswith(".warp2wave")}
    assert snapshot(copy) == ported
    assert w2w("port", root, "--undo").code == 0
    assert snapshot(root) == before


def test_a_root_that_is_not_utf8(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path) + b"/t\xff"
    os.mkdir(root)  # noqa: PTH102
    (Path(os.fsdecode(root)) / "k.cu").write_bytes(KERNEL)
    for more in (["--diff"], [], ["--format", "json"], ["--undo"]):
        ran = process("port", root, *more)
        assert ran.code == 0, ran
        assert b"Traceback" not in ran.err


def test_links_that_loop_lead_out_or_nowhere(w2w, tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"secret.cu": KERNEL, "d/s.cu": KERNEL})
    root = make(tmp_path / "tree", {"k.cu": KERNEL, "d/a.cuh": KERNEL})
    (root / "d/up").symlink_to("..")
    (root / "self.cu").symlink_to("self.cu")
    (root / "one.cu").symlink_to("two.cu")
    (root / "two.cu").symlink_to("one.cu")
    (root / "gone.cu").symlink_to("none.cu")
    (root / "out.cu").symlink_to(outside / "secret.cu")
    (root / "outdir").symlink_to(outside)
    os.mkfifo(root / "pipe.cu")
    before, away = snapshot(root), snapshot(outside)
    assert w2w("port", root).code == 0
    assert snapshot(outside) == away
    copy = w2w("port", root, "--output", tmp_path / "copy")
    assert copy.code == 0
    assert snapshot(outside) == away
    assert w2w("port", root, "--undo").code == 0
    assert snapshot(root) == before


@pytest.mark.parametrize("place", ["gpu_compat", "gpu_compat/hip", ".warp2wave"])
def test_nothing_is_written_through_a_link_that_leads_out(w2w, tmp_path: Path, place: str) -> None:
    outside = make(tmp_path / "outside", {"x": b"1"})
    root = make(tmp_path / "tree", {"k.cu": KERNEL})
    (root / place).parent.mkdir(exist_ok=True)
    (root / place).symlink_to(outside)
    before, away = snapshot(root), snapshot(outside)
    ran = w2w("port", root)
    assert ran.code == 2
    assert snapshot(root) == before
    assert snapshot(outside) == away


@pytest.mark.parametrize(
    "place", ["gpu_compat", "gpu_compat/hip", ".warp2wave", "gpu_compat/warp32.h/"]
)
def test_a_file_where_a_folder_is_needed_is_refused(w2w, tmp_path: Path, place: str) -> None:
    root = make(tmp_path / "tree", {"k.cu": KERNEL})
    if place.endswith("/"):
        (root / place).mkdir(parents=True)
    else:
        make(root, {place: b"mine\n"})
    before = snapshot(root)
    ran = w2w("port", root)
    assert ran.code == 2, ran
    assert place.rstrip("/") in ran.said
    assert snapshot(root) == before


def test_a_half_ported_tree(w2w, tmp_path: Path) -> None:
    hipified = (
        b"// !!! This is a file automatically generated by hipify!!!\n"
        b"#include <hip/hip_runtime.h>\n"
    )
    branch = (
        b"#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#define cudaStream_t hipStream_t\n"
        b"#else\n#include <cuda_runtime.h>\n#endif\n" + KERNEL
    )
    root = make(
        tmp_path / "tree",
        {
            "csrc/k.cu": branch,
            "csrc/k.hip": hipified,
            "csrc/hip/k_hip.cpp": hipified + b"hipMalloc(0, 1);\n",
            "csrc/k_hip.h": b"#pragma once\n#include <hip/hip_runtime.h>\nint hipMallocX;\n",
        },
    )
    before = snapshot(root)
    ran = w2w("port", root, "--format", "json")
    assert ran.code == 0
    assert [skip["path"] for skip in ran.json["skipped"]] == ["csrc/hip/k_hip.cpp", "csrc/k.hip"]
    assert ran.json["device_sources"] == ["csrc/k.cu"]
    assert "cudaStream_t" not in {mapping["cuda"] for mapping in ran.json["mappings"]}
    assert w2w("port", root, "--undo").code == 0
    assert snapshot(root) == before


def test_a_compat_folder_of_another_s_making(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "tree", {"k.cu": KERNEL, "gpu_compat/mine.h": b"// mine\n"})
    before = snapshot(root)
    assert w2w("port", root).code == 0
    assert (root / "gpu_compat/mine.h").read_bytes() == b"// mine\n"
    assert w2w("port", root, "--undo").code == 0
    assert snapshot(root) == before
    (root / "gpu_compat/warp32.h").write_bytes(b"// mine too\n")
    before = snapshot(root)
    ran = w2w("port", root)
    assert ran.code == 2
    assert "gpu_compat/warp32.h" in ran.said
    assert snapshot(root) == before


@pytest.mark.parametrize(
    "files", [{}, {"README": b"x"}, {"a.cpp": b"int main() {}\n", "b.py": b"\xff"}]
)
def test_a_tree_without_cuda(w2w, tmp_path: Path, files: dict[str, bytes]) -> None:
    root = make(tmp_path / "tree", files)
    before = snapshot(root)
    ran = w2w("port", root)
    assert ran.code == 0
    assert w2w("port", root, "--check").code == 0
    assert w2w("port", root, "--undo").code == 0
    assert snapshot(root) == before
    ran = w2w("build", root, "--compile-only", "--target", "cuda:sm_90")
    assert ran.code == 2
    assert "no device source" in ran.said


def test_folders_nested_deeper_than_a_path_may_be_long(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "tree", {"k.cu": KERNEL})
    here = os.getcwd()  # noqa: PTH109
    os.chdir(root)
    try:
        for _ in range(30):
            os.mkdir("d" * 200)  # noqa: PTH102
            os.chdir("d" * 200)
    finally:
        os.chdir(here)
    ran = w2w("port", root)
    assert ran.code == 0, ran
    assert "too long" in ran.text
    assert w2w("port", root, "--undo").code == 0


def test_a_file_of_twenty_megabytes_stays_within_bounds(tmp_path: Path) -> None:
    block = KERNEL + b"// filler text that has no name of interest, as most lines have none\n" * 40
    text = block * (20 * 1024 * 1024 // len(block))
    root = make(tmp_path / "tree", {"big.cu": text})

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 * 1024**3, 3 * 1024**3))

    done = subprocess.run(
        command("port", root),
        preexec_fn=bounded,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert (root / "big.cu").read_bytes() == text.replace(b"k << <", b"k <<<").replace(
        b">> >(p)", b">>>(p)"
    )


def test_python_s_own_limits_do_not_matter(tmp_path: Path) -> None:
    text = b"#if 1\n" * 5000 + b"{(" * 5000 + b"f(" * 5000 + KERNEL
    root = make(tmp_path / "tree", {"k.cu": text})
    assert process("port", root).code == 0
    assert sys.getrecursionlimit() <= 10_000
