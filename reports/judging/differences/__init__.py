"""Is NEW better or worse than BASE, policy by policy, or can so many runs not tell?"""
