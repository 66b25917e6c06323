"""Where in a record what lies: triggers, what was before, what is watched after."""
