"""The verdict of the gate, for people and for the machines of a pipeline."""
