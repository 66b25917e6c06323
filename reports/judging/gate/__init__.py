"""The rules that a run has to keep: what each allows, and whether it was kept."""
