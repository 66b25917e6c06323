"""What many samples say together, some of which had not come about. Pure maths."""
