"""Several runs looked at together: which there are, under which condition, what they say."""
