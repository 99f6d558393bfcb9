"""Fetching from an index of our own: folders, a file index, and a server on the loopback."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import logging
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from warp2wave import package_index
from warp2wave.errors import UsageError
from warp2wave.pip_settings import PipSettings
from warp2wave.registry import LINUX_X86_64, extract, fetch_sdist, fetch_wheel, parse_spec


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sdist_bytes(marker: Path | None = None) -> bytes:
    """A source distribution whose setup.py would leave `marker` behind if it were run."""
    script = f"open({str(marker)!r}, 'w').close()\n".encode()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in (("demo-1.0/setup.py", script), ("demo-1.0/k.cu", b"k")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def wheel_bytes(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        for name, content in files.items():
            bundle.writestr(name.replace("__", "/"), content)
    return out.getvalue()


SDIST = sdist_bytes()
HASH = sha256(SDIST)


def file_index(root: Path, name: str, files: dict[str, tuple[bytes, str]]) -> PipSettings:
    """Lay a simple index as folders: {file name: (content, attributes and fragment)}.

    The second part is "#sha256=…" and, after a blank, attributes of the link.
    """
    folder = root / "simple" / name
    folder.mkdir(parents=True)
    lines = []
    for file, (content, extra) in files.items():
        (folder / file).write_bytes(content)
        fragment, _, attributes = extra.partition(" ")
        lines.append(f'<a href="{file}{fragment}" {attributes}>{file}</a>')
    (folder / "index.html").write_text("<html><body>" + "\n".join(lines) + "</body></html>")
    return PipSettings(index=(root / "simple").as_uri())


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def demo(root: Path, extra: str = f"#sha256={HASH}", content: bytes = SDIST) -> PipSettings:
    return file_index(root, "demo", {"demo-1.0.tar.gz": (content, extra)})


def test_an_sdist_is_fetched_checked_and_cached_by_its_hash(tmp_path: Path, cache: Path) -> None:
    path = fetch_sdist("demo==1.0", cache, settings=demo(tmp_path))
    assert path.read_bytes() == SDIST
    assert path.parent.name == HASH
    assert path.name == "demo-1.0.tar.gz"


def test_nothing_of_the_package_is_run(tmp_path: Path, cache: Path) -> None:
    data = sdist_bytes(tmp_path / "ran")
    fetch_sdist("demo==1.0", cache, settings=demo(tmp_path, f"#sha256={sha256(data)}", data))
    assert not (tmp_path / "ran").exists()


def test_a_second_fetch_asks_no_index(tmp_path: Path, cache: Path) -> None:
    settings = demo(tmp_path)
    first = fetch_sdist("demo==1.0", cache, settings=settings)
    (tmp_path / "simple/demo/index.html").unlink()
    (tmp_path / "simple/demo/demo-1.0.tar.gz").unlink()
    assert fetch_sdist("demo==1.0", cache, settings=settings) == first
    # With the hash known, not even the same index.
    assert fetch_sdist("demo==1.0", cache, HASH, settings=PipSettings(no_index=True)) == first


def test_another_index_may_have_another_file_of_the_same_name(tmp_path: Path, cache: Path) -> None:
    fetch_sdist("demo==1.0", cache, settings=demo(tmp_path / "one"))
    other = sdist_bytes(tmp_path / "other")
    settings = demo(tmp_path / "two", f"#sha256={sha256(other)}", other)
    assert fetch_sdist("demo==1.0", cache, settings=settings).read_bytes() == other


def test_a_damaged_cache_is_filled_again(tmp_path: Path, cache: Path) -> None:
    settings = demo(tmp_path)
    path = fetch_sdist("demo==1.0", cache, settings=settings)
    path.write_bytes(b"broken")
    assert fetch_sdist("demo==1.0", cache, settings=settings).read_bytes() == SDIST


def test_a_wrong_hash_is_refused_and_nothing_is_cached(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match="does not match the index's sha256"):
        fetch_sdist("demo==1.0", cache, settings=demo(tmp_path, f"#sha256={'0' * 64}"))
    assert [path for path in cache.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "extra", ["", f"#md5={hashlib.md5(SDIST).hexdigest()}"], ids=["missing", "weak"]
)
def test_a_missing_or_weak_hash_needs_a_pin(tmp_path: Path, cache: Path, extra: str) -> None:
    settings = demo(tmp_path, extra)
    with pytest.raises(UsageError, match="gives no hash"):
        fetch_sdist("demo==1.0", cache, settings=settings)
    assert fetch_sdist("demo==1.0", cache, HASH, settings=settings).read_bytes() == SDIST


def test_a_pin_in_the_spec(tmp_path: Path, cache: Path) -> None:
    settings = demo(tmp_path, "")
    assert fetch_sdist(f"demo==1.0#sha256={HASH}", cache, settings=settings).exists()


def test_a_pin_that_does_not_match(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match="other files than the pinned"):
        fetch_sdist("demo==1.0", cache, "0" * 64, settings=demo(tmp_path / "a"))
    with pytest.raises(UsageError, match="does not match the pinned"):
        fetch_sdist("demo==1.0", cache, "0" * 64, settings=demo(tmp_path / "b", ""))
    with pytest.raises(UsageError, match="no SHA-256"):
        fetch_sdist("demo==1.0", cache, "abc", settings=demo(tmp_path / "c"))


def test_a_withdrawn_file_only_where_nothing_else_is(tmp_path: Path, cache: Path, caplog) -> None:
    other = sdist_bytes(tmp_path / "x")
    withdrawn = f'#sha256={HASH} data-yanked="broken"'
    both = {
        "demo-1.0.tar.gz": (SDIST, withdrawn),
        "demo-1.0.zip": (other, f"#sha256={sha256(other)}"),
    }
    settings = file_index(tmp_path / "both", "demo", both)
    assert fetch_sdist("demo==1.0", cache, settings=settings).read_bytes() == other
    assert not caplog.records
    alone = demo(tmp_path / "alone", withdrawn)
    with caplog.at_level(logging.WARNING):
        assert fetch_sdist("demo==1.0", cache, settings=alone).read_bytes() == SDIST
    assert "withdrawn by its authors: broken" in caplog.text


def test_no_sdist(tmp_path: Path, cache: Path) -> None:
    data = wheel_bytes(x=b"")
    wheel = {"demo-1.0-py3-none-any.whl": (data, f"#sha256={sha256(data)}")}
    with pytest.raises(UsageError, match="has no source distribution"):
        fetch_sdist("demo==1.0", cache, settings=file_index(tmp_path, "demo", wheel))


def test_no_such_version(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match=r"demo==1\.1: no such version; there are 1\.0"):
        fetch_sdist("demo==1.1", cache, settings=demo(tmp_path))


def test_no_such_package(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match="dmeo: no such package"):
        fetch_sdist("dmeo==1.0", cache, settings=demo(tmp_path))


def test_a_version_spelled_another_way(tmp_path: Path, cache: Path) -> None:
    assert fetch_sdist("Demo==1.0.0", cache, settings=demo(tmp_path)).read_bytes() == SDIST


@pytest.mark.parametrize(
    "spec",
    [
        "demo",
        "demo>=1",
        "demo==1.*",
        "demo==1,==1",
        "demo[x]==1",
        "demo==1; python_version>'3'",
        "demo @ file:///x.tar.gz",
        "git+file:///x",
        "",
        "demo==",
        "==1",
        "-r x",
        "../demo",
    ],
)
def test_specs_that_are_none(spec: str, cache: Path) -> None:
    with pytest.raises(UsageError, match="NAME==VERSION"):
        fetch_sdist(spec, cache, settings=PipSettings(no_index=True))


def test_specs() -> None:
    assert parse_spec(" torch-scatter == 2.1.2 ") == ("torch-scatter", "2.1.2")


def test_a_folder_of_files_as_pip_s_find_links(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links/demo-1.0.tar.gz").write_bytes(SDIST)
    settings = PipSettings(no_index=True, find_links=(str(tmp_path / "links"), "/nowhere"))
    assert fetch_sdist("demo==1.0", cache, HASH, settings=settings).read_bytes() == SDIST
    assert (tmp_path / "links/demo-1.0.tar.gz").exists()


def test_a_broken_extra_index_is_passed_over_quietly(
    tmp_path: Path, cache: Path, capfd, caplog
) -> None:
    main = demo(tmp_path)
    extra = ((tmp_path / "nowhere").as_uri(), "http://127.0.0.1:9/simple")
    settings = PipSettings(index=main.index, extra_indexes=extra, timeout=1)
    assert fetch_sdist("demo==1.0", cache, settings=settings).read_bytes() == SDIST
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_no_connection_is_one_line(cache: Path, monkeypatch) -> None:
    monkeypatch.setattr(package_index, "pause", lambda _: None)
    # Port 9 (discard) of the loopback: nobody listens.
    with pytest.raises(UsageError, match="no package index answers") as caught:
        fetch_sdist("demo==1.0", cache, settings=PipSettings(index="http://127.0.0.1:9/simple"))
    assert "\n" not in str(caught.value)


def test_certificates_that_are_not_there(cache: Path) -> None:
    settings = PipSettings(index="https://127.0.0.1:9/simple", certificates="/nowhere.pem")
    with pytest.raises(UsageError, match="certificate"):
        fetch_sdist("demo==1.0", cache, settings=settings)


WHEELS = {
    "demo-1.0-cp310-cp310-manylinux_2_28_x86_64.whl": wheel_bytes(a=b"310"),
    "demo-1.0-cp311-cp311-manylinux_2_28_x86_64.whl": wheel_bytes(a=b"311"),
    "demo-1.0-cp311-cp311-manylinux_2_28_aarch64.whl": wheel_bytes(a=b"arm"),
    "demo-1.0-cp311-cp311-win_amd64.whl": wheel_bytes(a=b"win"),
}


def wheels(root: Path) -> PipSettings:
    return file_index(
        root, "demo", {name: (data, f"#sha256={sha256(data)}") for name, data in WHEELS.items()}
    )


@pytest.mark.parametrize("python", [(3, 10), (3, 11)])
def test_a_wheel_for_another_python_than_ours(
    tmp_path: Path, cache: Path, python: tuple[int, int]
) -> None:
    path = fetch_wheel("demo", "1.0", python=python, cache_dir=cache, settings=wheels(tmp_path))
    assert path.name == f"demo-1.0-cp3{python[1]}-cp3{python[1]}-manylinux_2_28_x86_64.whl"


def test_a_wheel_for_another_platform(tmp_path: Path, cache: Path) -> None:
    platforms = ("win_amd64",)
    settings = wheels(tmp_path)
    path = fetch_wheel("demo", "1.0", platforms=platforms, cache_dir=cache, settings=settings)
    assert path.name.endswith("win_amd64.whl")


def test_no_wheel_that_fits(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match="has no wheel for this platform"):
        fetch_wheel("demo", "1.0", python=(3, 9), cache_dir=cache, settings=wheels(tmp_path))


def test_a_pin_chooses_among_wheels(tmp_path: Path, cache: Path) -> None:
    name = "demo-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    pin = sha256(WHEELS[name])
    settings = wheels(tmp_path)
    path = fetch_wheel("demo", "1.0", sha256=pin, cache_dir=cache, settings=settings)
    assert path.name == name
    arm = sha256(WHEELS["demo-1.0-cp311-cp311-manylinux_2_28_aarch64.whl"])
    with pytest.raises(UsageError, match="other files than the pinned"):
        fetch_wheel("demo", "1.0", sha256=arm, cache_dir=cache, settings=settings)


def test_the_platforms_cover_every_manylinux_name_of_pep_600() -> None:
    named = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
    for alias, version in named.items():
        assert LINUX_X86_64.index(f"{alias}_x86_64") >= 0
        modern = f"manylinux_{version[0]}_{version[1]}_x86_64"
        assert modern in LINUX_X86_64
    assert len(set(LINUX_X86_64)) == len(LINUX_X86_64)


def test_parts_of_a_wheel(tmp_path: Path, cache: Path) -> None:
    data = wheel_bytes(inc__a=b"a", inc__s__b=b"b", lib=b"l")
    settings = file_index(
        tmp_path, "demo", {"demo-1.0-py3-none-any.whl": (data, f"#sha256={sha256(data)}")}
    )
    wheel = fetch_wheel("demo", "1.0", cache_dir=cache, settings=settings)
    assert extract(wheel, "inc", tmp_path / "out") == 2
    assert (tmp_path / "out/s/b").read_bytes() == b"b"


class Index(http.server.BaseHTTPRequestHandler):
    """A package index over HTTP: JSON, a redirect, and a failure at the first request."""

    failures: int = 0
    requests: list[str]

    def do_GET(self) -> None:
        type(self).requests.append(self.path)
        if self.path == "/old/demo/":
            self.send_response(301)
            self.send_header("Location", "/simple/demo/")
            self.end_headers()
        elif self.path == "/simple/demo/":
            self.answer(
                json.dumps(
                    {
                        "meta": {"api-version": "1.0"},
                        "name": "demo",
                        "files": [
                            {
                                "filename": "demo-1.0.tar.gz",
                                "url": "/files/demo-1.0.tar.gz",
                                "hashes": {"sha256": HASH},
                            }
                        ],
                    }
                ).encode(),
                "application/vnd.pypi.simple.v1+json",
            )
        elif self.path == "/files/demo-1.0.tar.gz":
            if type(self).failures:
                type(self).failures -= 1
                self.send_response(200)
                self.send_header("Content-Length", str(len(SDIST)))
                self.end_headers()
                self.wfile.write(SDIST[:10])
                self.close_connection = True
            else:
                self.answer(SDIST, "application/octet-stream")
        else:
            self.send_error(500 if "broken" in self.path else 404)

    def answer(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def server(monkeypatch) -> Iterator[str]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    Index.requests, Index.failures = [], 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["simple", "old"])
def test_over_http(server: str, cache: Path, path: str) -> None:
    seen: list[tuple[int, int | None]] = []
    settings = PipSettings(index=f"{server}/{path}")
    got = fetch_sdist(
        "demo==1.0", cache, settings=settings, progress=lambda done, of: seen.append((done, of))
    )
    assert got.read_bytes() == SDIST
    assert seen[-1] == (len(SDIST), len(SDIST))


def test_a_download_that_breaks_off_is_tried_again(server: str, cache: Path) -> None:
    Index.failures = 1
    settings = PipSettings(index=f"{server}/simple")
    assert fetch_sdist("demo==1.0", cache, settings=settings).read_bytes() == SDIST
    assert Index.requests.count("/files/demo-1.0.tar.gz") == 2


def test_an_index_in_trouble_is_not_a_missing_package(server: str, cache: Path) -> None:
    with pytest.raises(UsageError, match=r"no package index answers.*500"):
        fetch_sdist("demo==1.0", cache, settings=PipSettings(index=f"{server}/broken"))


def test_importing_needs_no_network_library() -> None:
    program = "import sys, warp2wave.registry; sys.exit('unearth' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
