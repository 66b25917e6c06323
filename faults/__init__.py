"""What can go wrong at the target, when, and how to make it happen."""
