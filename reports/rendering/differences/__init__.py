"""A comparison for people and for programs."""
