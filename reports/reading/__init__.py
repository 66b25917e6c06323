"""From the file to arrays: lines are read and checked, and nothing is judged."""
