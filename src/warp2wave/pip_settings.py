"""Where pip is told to find packages, read from its environment variables and files.

pip itself is neither imported nor run: it may be missing (uv makes environments without it). The
files and their order are those of pip's documentation, "Configuration" (pip 25).
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from warp2wave.errors import UsageError

# pip reads [global] for every command and the command's own section over it.
_SECTIONS = ("global", "download")
_TRUE = frozenset({"1", "true", "yes", "y", "on", "t"})


@dataclass(frozen=True, slots=True)
class PipSettings:
    """The part of pip's configuration that says where packages come from.

    `index` is "" where none is set: then the library's default holds. `timeout` is in seconds.
    """

    index: str = ""
    extra_indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    trusted_hosts: tuple[str, ...] = ()
    certificates: str = ""
    client_certificate: str = ""
    proxy: str = ""
    timeout: float = 15.0


def read_pip_settings(environment: Mapping[str, str] | None = None) -> PipSettings:
    """Read pip's configuration; UsageError when one of its files cannot be understood."""
    env = os.environ if environment is None else environment
    values: dict[str, str] = {}
    for path in config_files(env):
        values |= _read_file(path)
    for key, value in env.items():
        name = _normal(key.removeprefix("PIP_"))
        if key.startswith("PIP_") and value and name != "config-file":
            values[name] = value
    timeout = values.get("timeout") or values.get("default-timeout") or "15"
    try:
        seconds = float(timeout)
    except ValueError:
        raise UsageError(f"pip's configuration: timeout is no number: {timeout!r}") from None
    return PipSettings(
        index=values.get("index-url", "").strip(),
        extra_indexes=tuple(values.get("extra-index-url", "").split()),
        find_links=tuple(values.get("find-links", "").split()),
        no_index=values.get("no-index", "").strip().lower() in _TRUE,
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
        # requests, which pip is built on, takes these two when pip's own is not set.
        certificates=values.get("cert")
        or env.get("REQUESTS_CA_BUNDLE", "")
        or env.get("CURL_CA_BUNDLE", ""),
        client_certificate=values.get("client-cert", ""),
        proxy=values.get("proxy", ""),
        timeout=seconds,
    )


def config_files(env: Mapping[str, str]) -> Iterator[Path]:
    """Yield pip's configuration files in the order in which later ones win."""
    named = env.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return
    # pip leaves the user's own files out where the variable names one that is there.
    with_user = not (named and Path(named).exists())
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "win32":
        yield Path(env.get("PROGRAMDATA", "C:\\ProgramData")) / "pip" / "pip.ini"
        if with_user:
            yield home / "pip" / "pip.ini"
            yield Path(env.get("APPDATA", str(home))) / "pip" / "pip.ini"
        yield Path(sys.prefix) / "pip.ini"
    else:
        if sys.platform == "darwin":
            yield Path("/Library/Application Support/pip/pip.conf")
        else:
            folders = env.get("XDG_CONFIG_DIRS") or "/etc/xdg"
            for folder in folders.split(os.pathsep):
                yield Path(folder) / "pip" / "pip.conf"
        yield Path("/etc/pip.conf")
        user = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
        if sys.platform == "darwin" and (home / "Library/Application Support/pip").is_dir():
            user = home / "Library/Application Support"
        if with_user:
            yield home / ".pip" / "pip.conf"
            yield user / "pip" / "pip.conf"
        yield Path(sys.prefix) / "pip.conf"
    if named:
        yield Path(named)


def _read_file(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_bytes().decode("utf-8", "replace"), str(path))
    except OSError:
        return {}
    except configparser.Error as error:
        raise UsageError(f"{path}: {str(error).splitlines()[0]}") from None
    return {
        _normal(key): value
        for section in _SECTIONS
        if parser.has_section(section)
        for key, value in parser.items(section)
    }


def _normal(key: str) -> str:
    return key.strip().lower().replace("_", "-").removeprefix("--")
