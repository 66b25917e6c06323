"""The schemas in `docs/` and the tables of their fields, made of what the files are made of."""
