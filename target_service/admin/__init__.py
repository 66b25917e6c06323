"""The admin API: dips, faults, actions, capacity, lanes, state, ticks, reset."""
