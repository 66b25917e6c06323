"""What there is to say of a policy: gathered once, then drawn on the terminal and in the docs."""
