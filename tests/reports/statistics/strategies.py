"""Samples as hypothesis draws them: many ties, some late."""

from hypothesis import settings
from hypothesis import strategies as st

from reports.statistics.value import Value

AMOUNTS = st.integers(0, 6).map(lambda amount: amount / 2)
CAME = st.builds(Value, AMOUNTS)
VALUES = st.builds(Value, AMOUNTS, st.booleans())
UNHURRIED = settings(deadline=None, max_examples=60)
"""The first example may have to wait until SciPy is imported."""
