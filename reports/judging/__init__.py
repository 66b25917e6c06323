"""Can it be trusted, and is it good enough? Frozen figures in, verdicts in words out."""
