"""The admin API: dips, capacity, lanes, state, ticks, reset."""
