"""pip's configuration is read as pip reads it: files in order, then the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from warp2wave.errors import UsageError
from warp2wave.pip_settings import PipSettings, read_pip_settings


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose configuration files all lie in a fresh folder."""
    return {
        "HOME": str(tmp_path / "home"),
        "XDG_CONFIG_DIRS": str(tmp_path / "xdg"),
        "XDG_CONFIG_HOME": str(tmp_path / "home/config"),
    }


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_nothing_set(home: dict[str, str]) -> None:
    assert read_pip_settings({**home, "PIP_CONFIG_FILE": "/dev/null"}) == PipSettings()


def test_later_files_and_the_environment_win(home: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path / "xdg/pip/pip.conf", "[global]\nindex-url = file:///one\nproxy = file:///p\n")
    write(tmp_path / "home/.pip/pip.conf", "[global]\nindex-url = file:///two\nno-index = yes\n")
    write(
        tmp_path / "home/config/pip/pip.conf",
        "[global]\nindex_url = file:///three\nfind-links =\n  /a\n  /b\ncert = /c.pem\n"
        "trusted-host = h\n[download]\ntrusted-host = i j\n[install]\ncert = /no.pem\n",
    )
    settings = read_pip_settings(
        {
            **home,
            "PIP_EXTRA_INDEX_URL": "file:///x  file:///y",
            "PIP_NO_INDEX": "0",
            "PIP_DEFAULT_TIMEOUT": "180",
            "PIP_PROXY": "",  # pip takes an empty variable for one that is not set
        }
    )
    assert settings == PipSettings(
        index="file:///three",
        extra_indexes=("file:///x", "file:///y"),
        find_links=("/a", "/b"),
        no_index=False,
        trusted_hosts=("i", "j"),
        certificates="/c.pem",
        proxy="file:///p",
        timeout=180,
    )


def test_a_named_file_stands_in_for_the_user_s(home: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path / "xdg/pip/pip.conf", "[global]\nproxy = file:///p\n")
    write(tmp_path / "home/config/pip/pip.conf", "[global]\nindex-url = file:///user\n")
    named = tmp_path / "named.conf"
    settings = read_pip_settings({**home, "PIP_CONFIG_FILE": str(named)})
    assert (settings.index, settings.proxy) == ("file:///user", "file:///p")
    write(named, "[global]\nfind-links = /l\n")
    settings = read_pip_settings({**home, "PIP_CONFIG_FILE": str(named)})
    assert (settings.index, settings.proxy, settings.find_links) == ("", "file:///p", ("/l",))


def test_certificates_of_requests_are_the_second_choice(home: dict[str, str]) -> None:
    nothing = {**home, "PIP_CONFIG_FILE": "/dev/null", "REQUESTS_CA_BUNDLE": "/r.pem"}
    assert read_pip_settings(nothing).certificates == "/r.pem"
    assert read_pip_settings({**nothing, "PIP_CERT": "/p.pem"}).certificates == "/p.pem"


@pytest.mark.parametrize("text", ["no section\n", "[global]\nindex-url = a\nindex-url = b\n"])
def test_a_file_that_pip_would_not_read(home: dict[str, str], tmp_path: Path, text: str) -> None:
    write(tmp_path / "bad.conf", text)
    with pytest.raises(UsageError, match=r"bad\.conf"):
        read_pip_settings({**home, "PIP_CONFIG_FILE": str(tmp_path / "bad.conf")})


def test_a_timeout_that_is_no_number(home: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="timeout"):
        read_pip_settings({**home, "PIP_CONFIG_FILE": "/dev/null", "PIP_TIMEOUT": "soon"})


def test_pip_itself_agrees(home: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path / "xdg/pip/pip.conf", "[global]\nindex-url = file:///one\n")
    write(tmp_path / "home/.pip/pip.conf", "[global]\nindex-url = file:///two\n")
    write(tmp_path / "home/config/pip/pip.conf", "[global]\nfind-links = /links\n")
    environment = {**home, "PATH": "/usr/bin:/bin"}

    def said(key: str) -> str:
        command = [sys.executable, "-m", "pip", "config", "get", f"global.{key}"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if "No module named pip" in done.stderr:
            pytest.skip("no pip here")
        return done.stdout.strip()

    settings = read_pip_settings(environment)
    assert said("index-url") == settings.index == "file:///two"
    assert said("find-links") == " ".join(settings.find_links) == "/links"
