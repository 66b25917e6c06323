"""What the target metered, as far as it is kept: ticks for a while, and bins for charts."""
