"""Bounds that parts share. Each raises `ValueError`, naming the value and what is allowed."""

import math


def check_positive(name: str, value: float) -> None:
    """Unless `value` is finite and above 0."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value}: expected a finite number above 0")


def check_not_negative(name: str, value: float) -> None:
    """Unless `value` is finite and at least 0."""
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} is {value}: expected a finite number, 0 or more")


def check_within(name: str, value: float, least: float, most: float) -> None:
    """Unless `value` lies in ``[least, most]``."""
    if not least <= value <= most:
        raise ValueError(f"{name} is {value:g}: expected {least:g} to {most:g}")
