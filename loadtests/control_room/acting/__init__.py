"""What is asked from the page, done at the target once, and told."""
