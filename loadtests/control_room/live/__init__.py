"""What the page draws while things go on."""
