"""What the clients counted: totals, by the second, and how the processes that send do."""
