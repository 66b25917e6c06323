"""What holds for all tests."""

from hypothesis import settings

# A deadline is a timing assertion, and fails where the machine is busy.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
