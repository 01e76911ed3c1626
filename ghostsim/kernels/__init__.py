"""Compiled code: integers and arrays only. The caller has checked every argument."""
