"""Rewrites of programs, one file each; `driver.PASSES` is the list of them."""
