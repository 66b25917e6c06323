"""Which policy to take: many of them in one scenario, each alone, ranked, and told in words.

`situation` is what all of them face, `candidates` who is tried, `playing` plays them, `figures` and
`ranking` judge, `wording` says what to change; `terminal`, `html` and `to_json` show it.
"""
