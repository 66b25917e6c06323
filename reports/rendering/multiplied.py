"""What layers of retries made of a request, in a sentence. A name stands between backticks."""

import math
from collections.abc import Sequence

from aftershock_units import format_number
from reports.measuring.stack import Stack
from reports.rendering import words
from reports.summary import Report

DIGITS = (2, 3)
"""Of factors whose rounded figures do not make the product."""


def sentence(report: Report) -> str | None:
    """Where attempts pass several layers: what the worst of them made of a request."""
    stacks = [(p.stacks.in_trigger, p) for p in report.policies if p.stacks and p.stacks.in_trigger]
    worst, policy = max(stacks, key=lambda pair: pair[0].product or 0.0, default=(None, None))
    if worst is None or policy is None or (worst.product or 0.0) < 2:
        return None
    return f"Layers multiply: `{words.name(policy)}` made {equation(worst)} attempts of a request."


def equation(stack: Stack) -> str:
    """``3 · 4 = 12``, ``3.96 · 3.92 · 3.99 ≈ 62``."""
    factors, product = _factors(stack), stack.counted(stack.product or 0.0)
    sign = "=" if math.isclose(_product(factors), float(product)) else "≈"
    return f"{' · '.join(factors)} {sign} {product}"


def _factors(stack: Stack) -> list[str]:
    """In so many digits that, as they stand, they make the product that is told.

    4 · 4 · 4 is not 62: what was rounded one by one need not multiply.
    """
    each = [level.factor for level in stack.levels if level.factor]
    product = stack.counted(stack.product or 0.0)
    decimals = len(product.partition(".")[2])
    told = [stack.counted(factor) for factor in each]
    for digits in DIGITS:
        if f"{_product(told):.{decimals}f}" == product:
            break
        told = [format_number(round(factor, digits)) for factor in each]
    return told


def _product(factors: Sequence[str]) -> float:
    return math.prod(map(float, factors))
