"""The command's verbs for runs that are over: flags and wiring, and which runs are read."""
