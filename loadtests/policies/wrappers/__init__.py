"""Policies around a whole other policy: users who give up, layers of retries, limits on time."""
