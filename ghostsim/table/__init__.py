"""The referee: every rule of the game in plain Python, what a seat may know, and records."""
