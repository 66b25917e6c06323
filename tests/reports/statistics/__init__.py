"""What many samples say together, against SciPy."""
