"""Keeps pytest out of this folder: nothing here is a test, and its modules need their own path."""

collect_ignore_glob = ["*.py"]
