"""`python -m warp2wave` is the command line."""

from __future__ import annotations

from warp2wave.cli import main

main()
