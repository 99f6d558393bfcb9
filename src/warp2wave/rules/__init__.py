"""The hazards: one file a rule, found by `registry.all_rules`."""
