"""Trees to port and ways to run the command line on them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import Ran

from warp2wave import cli


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep every run away from the user's cache, and from the folder the tests are run in."""
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("W2W_CACHE_DIR", str(cache))
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    return cache


@pytest.fixture
def w2w(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]):
    """Run the command line in this process: fast, and open to monkeypatch."""

    def run(*arguments: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["warp2wave", *map(str, arguments)])
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsysbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Ran(end.value.code, out, err)

    return run
