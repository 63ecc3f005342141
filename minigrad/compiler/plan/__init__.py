"""The plan: a straight-line Python function, one line a kernel."""
