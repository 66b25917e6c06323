"""How each lane stands: judged by the rules of the report, and said in words."""
