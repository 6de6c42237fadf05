# SPDX-License-Identifier: MIT
"""Commands and options of the program as its own help tells them."""

import functools
import os
import pathlib
import re
import subprocess

PROGRAM = str(pathlib.Path(os.environ.get("HELIORAY_PROGRAM", "build/release/bin/helioray")).resolve())


@functools.lru_cache(maxsize=None)
def _help(command):
    return subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


@functools.lru_cache(maxsize=None)
def subcommands(command=()):
    """Names of the commands below a command."""
    text = _help(command)
    listed = re.search(r"^(?:Subcommands|Commands):\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\w[\w-]*)\s", listed[1], re.MULTILINE) if listed else []


@functools.lru_cache(maxsize=None)
def options(command):
    """Options of a command, as they are written: {"-o", "--output", ...}."""
    found = set()
    for line in _help(command).splitlines():
        head = re.match(r"  (-[^\s]+)", line)
        if head:
            found.update(re.findall(r"--?[A-Za-z][\w-]*", head[1]))
    return found


@functools.lru_cache(maxsize=None)
def all_commands(command=()):
    below = [c for name in subcommands(command) for c in all_commands((*command, name))]
    return [command, *below]


def problems_of(arguments):
    """What the program would not understand in the words behind its name; [] when all is well."""
    command, rest = (), list(arguments)
    while rest and subcommands(command):
        if rest[0].startswith("-"):
            break
        choices = rest.pop(0).split("|")
        if unknown := [c for c in choices if c not in subcommands(command)]:
            if choices == ["..."]:
                break
            return [f"no command {' '.join((*command, *unknown))!r}"]
        command = (*command, choices[0])
    names = [w.split("=")[0] for w in rest if re.match(r"--?[A-Za-z]", w)]
    return [f"{' '.join(command)!r} has no option {n}" for n in names if n not in options(command)]
