"""Where in the user's program something was made.

An operation stores a *site*: the pair (code object, instruction offset) of the first frame outside minigrad, which
is cheap to take and keeps no frame alive. `describe(site)` turns it into ``file.py:12`` when an error needs it.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

# the main job is written as a user would write it, so its lines are the ones that messages should name
USER_CODE = ("__main__.py", "main_job" + os.sep)


class FileOwners(dict):
    """File name -> does it belong to minigrad itself (generated plans included)? Filled as files are met."""

    def __missing__(self, filename):
        ours = filename.startswith("<minigrad")
        if filename.startswith(ROOT):
            ours = not filename[len(ROOT):].startswith(USER_CODE)
        self[filename] = ours
        return ours


IS_OURS = FileOwners()


def user_frame(depth=1):
    """The innermost frame outside minigrad, looking outwards from `depth` callers above this function."""
    frame = sys._getframe(depth)
    while IS_OURS[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


def user_site(depth=1):
    """The site (code, instruction offset) of the user's line that led here."""
    frame = user_frame(depth + 1)
    return frame.f_code, frame.f_lasti


def position(site):
    """(file, line) of a site."""
    code, instruction = site
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return code.co_filename, line
    return code.co_filename, code.co_firstlineno


def describe(site):
    """A site as text for an error message: ``path/to/file.py:12 in function``."""
    if site is None:
        return "an unknown line"
    file, line = position(site)
    name = site[0].co_name
    where = f"{file}:{line}"
    return where if name == "<module>" else f"{where} in {name}"
