"""The result as people and programs read it. Nothing is computed in here."""
