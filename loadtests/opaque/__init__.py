"""Real client libraries, untouched: what they do after a failed attempt is theirs alone."""
