"""Finds the capacity of a service that nobody knows, by open-loop load in steps.

`steps` is what is asked and what came of it, `statistics` the mathematics, `judging` reads one
step, `planning` says the next one or the verdict; all pure. `sending` and `session` do it.
"""
