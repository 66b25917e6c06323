"""A scenario in virtual time: the same policies and the same service, without a second of waiting.

`engines` chooses who plays a scenario: `events` (continuous time, every feature) or `ticks` (whole
ticks at a time, counts instead of requests). Both give a `Simulated` run, which is written as a
record like any other (`recording`) and measured by the same report.
"""
