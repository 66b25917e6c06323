"""From arrays to figures: how a lane came back, and what it cost."""
