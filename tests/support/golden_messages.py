# SPDX-License-Identifier: MIT
"""Whole texts of messages, in one golden file for each subject. Tests name the place and the kind of a problem themselves, so that a
better sentence only changes the golden file."""

import fcntl
import os
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "golden" / "messages"
SEPARATOR = "--- "


def read_messages(path):
    """Reads the entries of a file; a line "--- NAME" comes before each of them."""
    messages, name = {}, None
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith(SEPARATOR):
            name = line.removeprefix(SEPARATOR)
            messages[name] = ""
        else:
            messages[name] += line + "\n"
    return messages


def check_message(case, subject, name, message):
    """Compares a message with the entry `name` of tests/golden/messages/<subject>.txt, which scripts/messages writes again. An entry that is
    missing fails too."""
    path = FOLDER / f"{subject}.txt"
    text = message if message.endswith("\n") else message + "\n"
    if "HELIORAY_WRITE_MESSAGES" not in os.environ:
        case.assertEqual(read_messages(path).get(name), text, f"{path} has another entry '{name}'; scripts/messages writes these files again")
        return
    folder = os.open(FOLDER, os.O_RDONLY)
    # Tests run side by side; the lock of the folder keeps their entries apart.
    fcntl.flock(folder, fcntl.LOCK_EX)
    messages = {**read_messages(path), name: text}
    path.write_text("".join(f"{SEPARATOR}{entry}\n{messages[entry]}" for entry in sorted(messages)))
    os.close(folder)
