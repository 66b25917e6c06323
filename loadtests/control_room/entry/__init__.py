"""Who may read and who may act, and what a browser is told with every answer."""
