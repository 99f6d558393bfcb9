"""The GPUs that a port may be for, each figure with its source."""

from warp2wave.targets.lookup import DEFAULT_TARGETS, Target, all_targets, find_target

__all__ = ["DEFAULT_TARGETS", "Target", "all_targets", "find_target"]
