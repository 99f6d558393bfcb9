"""Puts the built package named by W2W_TORCH_SCATTER (a directory) on the import path."""

import os
import sys
from pathlib import Path

if _package := os.environ.get("W2W_TORCH_SCATTER"):
    sys.path.insert(0, str(Path(_package).resolve()))
