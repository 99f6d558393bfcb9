"""Results worked out once for a view or a context, and forgotten with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

Subject = TypeVar("Subject")
Result = TypeVar("Result")


def remembered(function: Callable[[Subject], Result]) -> Callable[[Subject], Result]:
    """Let a function of one view or context work once for each.

    The result must not refer to its subject, which would keep both alive.
    """
    known: WeakKeyDictionary[Subject, Result] = WeakKeyDictionary()

    @wraps(function)
    def once(subject: Subject) -> Result:
        if subject not in known:
            known[subject] = function(subject)
        return known[subject]

    return once
