"""The runs made so far, their files, and the report of the one that goes on."""
