"""Weeks in remission of 21 patients treated with 6-MP and 21 that were not.

E. Freireich and others, "The effect of 6-mercaptopurine on the duration of steroid-induced
remissions in acute leukemia", 1963: the samples on which Gehan tried his test.
"""

from reports.statistics.value import Value

TREATED = [
    *[Value(weeks) for weeks in (6, 6, 6, 7, 10, 13, 16, 22, 23)],
    *[Value(weeks, late=True) for weeks in (6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)],
]
UNTREATED = [
    Value(weeks)
    for weeks in (1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23)
]
