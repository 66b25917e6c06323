"""What is added to Locust's own page."""
