"""Dependency files as make, clang, gcc and nvcc write them."""

from __future__ import annotations

import pytest

from warp2wave.build.cache import read_depfile


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a.o: a.cu b.h\n", ("a.cu", "b.h")),
        ("a.o: a.cu \\\n  b.h \\\n  c.h\n", ("a.cu", "b.h", "c.h")),
        ("a.o : a.cu \\\r\n  b.h\r\n", ("a.cu", "b.h")),
        ("a.o: two\\ words.cu b.h b.h\n", ("two words.cu", "b.h")),
        ("a.o: a$$b.h \\#x.h\n", ("a$b.h", "#x.h")),
        ("dir\\ one/a.o: größe.h\n", ("größe.h",)),
        ("a.o: C:/x.h\n", ("C:/x.h",)),
        ("a.o:\n", ()),
        ("", ()),
    ],
)
def test_prerequisites(text: str, names: tuple[str, ...]) -> None:
    assert read_depfile(text) == names
