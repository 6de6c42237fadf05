# SPDX-License-Identifier: MIT
"""Keys of run configurations and field templates, by the tables of their references, which other tests compare with the readers."""

import re

from markdown import Document


def known_keys():
    """Names of every key from the outermost section inwards; those that a user chooses stand as <name>."""
    rows = [line for name in ("configs/README.md", "scenario/import/README.md") for _, line in Document(name).prose]
    keys = [m[1] for row in rows if (m := re.match(r"\| `([a-z][\w.<>\[\]]*)` \|", row))]
    return [k.replace("[]", "").split(".") for k in keys]


def key_is_known(key, keys):
    """A key of a value, or of a map of values."""
    names = key.split(".")
    return any(len(names) <= len(k) and all(n == m or m.startswith("<") for n, m in zip(names, k)) for k in keys)
