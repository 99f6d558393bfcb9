"""Speak to the package index that pip is configured with, through the library `unearth`.

The library's own default index holds where pip has none set, so no address is written here.
"""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp2wave.errors import UsageError
from warp2wave.pip_settings import PipSettings

if TYPE_CHECKING:
    from unearth import Package

ATTEMPTS = 3


def http_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions by which the library's HTTP client fails."""
    from unearth.preparer import HTTPErrors

    return tuple(HTTPErrors)


def pause(attempt: int) -> None:
    """Wait before another try: 0.2 s, 0.4 s …"""
    time.sleep(0.2 * 2**attempt)


@contextmanager
def open_index(settings: PipSettings) -> Iterator[Any]:
    """Yield a connection with pip's certificates, proxy, trusted hosts and credentials.

    Raises UsageError when one of these settings cannot be used.
    """
    from unearth.auth import MultiDomainBasicAuth
    from unearth.fetchers.sync import PyPIClient

    options: dict[str, Any] = {"timeout": settings.timeout, "follow_redirects": True}
    try:
        if settings.certificates:
            authority = Path(settings.certificates)
            options["verify"] = ssl.create_default_context(
                cafile=None if authority.is_dir() else str(authority),
                capath=str(authority) if authority.is_dir() else None,
            )
        if settings.client_certificate:
            options["cert"] = settings.client_certificate
        if settings.proxy:
            options["proxy"] = settings.proxy
        session = PyPIClient(trusted_hosts=settings.trusted_hosts, **options)
    except (OSError, ValueError) as error:
        raise UsageError(f"pip's certificate or proxy setting is unusable: {error}") from None
    with session:
        indexes = [url for kind, url in _sources(settings) if kind == "index"]
        session.auth = MultiDomainBasicAuth(prompting=False, index_urls=indexes)
        yield session


def _sources(settings: PipSettings) -> list[tuple[str, str]]:
    """Return (kind, place) of all that pip would look at, the main index first."""
    from unearth import PackageFinder

    found: list[tuple[str, str]] = []
    if not settings.no_index:
        main = settings.index or PackageFinder().sources[0]["url"]
        found += (("index", url) for url in (main, *settings.extra_indexes))
    for place in settings.find_links:
        path = Path(place).expanduser()
        if "://" in place:
            found.append(("find_links", place))
        elif path.exists():
            found.append(("find_links", str(path)))
    return found


def find_files(name: str, settings: PipSettings, session: Any) -> tuple[list[Package], list[str]]:
    """Return every file of the package at each source, and what went wrong at sources.

    Each source is asked by itself, so that one that is down does not hide the others.
    """
    from unearth import PackageFinder

    failures: tuple[type[Exception], ...] = (OSError, ValueError, *http_errors())
    packages: list[Package] = []
    troubles: list[str] = []
    for kind, place in _sources(settings):
        finder = PackageFinder(
            session,
            index_urls=[place] if kind == "index" else [],
            find_links=[place] if kind == "find_links" else [],
            trusted_hosts=settings.trusted_hosts,
            ignore_compatibility=True,
        )
        for attempt in range(ATTEMPTS):
            with _unearth_warnings() as said:
                try:
                    packages += finder.find_all_packages(name, allow_yanked=True)
                    # A source that does not know the package answers 404, which is no trouble.
                    troubles += (line for line in said if "Error(404)" not in line)
                    break
                except failures as error:
                    if attempt == ATTEMPTS - 1:
                        troubles.append(str(error) or type(error).__name__)
                    else:
                        pause(attempt)
    return packages, troubles


@contextmanager
def _unearth_warnings() -> Iterator[list[str]]:
    """Collect the library's warnings instead of letting them reach the terminal."""
    lines: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    logger = logging.getLogger("unearth")
    collector, passes_on = Collector(logging.WARNING), logger.propagate
    logger.addHandler(collector)
    logger.propagate = False
    try:
        yield lines
    finally:
        logger.removeHandler(collector)
        logger.propagate = passes_on
