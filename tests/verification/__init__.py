"""A long comparison of the solver with independent roads, apart from the tests: see README.md."""
