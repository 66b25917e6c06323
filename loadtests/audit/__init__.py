"""What stands between a client and the target, seen by what it makes of single marked requests."""
