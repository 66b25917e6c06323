"""What is said and drawn of a run in which one trigger was repeated."""
