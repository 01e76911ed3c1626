"""Studies: one module a question, a command line, and what they print and write."""
