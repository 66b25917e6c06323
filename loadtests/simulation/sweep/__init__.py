"""A scenario many times over with something varied: where it recovers, and where it does not.

`axes` reads what is varied, `plan` makes the cells of it, `cells` plays one, `verdict` says what
became of it, `store` keeps what is done, and `html` and `terminal` draw the map.
"""
