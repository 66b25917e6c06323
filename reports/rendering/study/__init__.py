"""A study of several runs: its tables, its page, its JSON."""
