# SPDX-License-Identifier: MIT
"""Tutorials do not overwrite each other's files, and use one environment for Python."""

import re
import unittest

from markdown import SOURCE, Document, commands, is_commands


class TutorialFiles(unittest.TestCase):
    def setUp(self):
        self.commands = {page.parent.name: [command for block in Document(page.relative_to(SOURCE)).blocks if is_commands(block)
                                            for command in commands(block)] for page in sorted((SOURCE / "tutorials").glob("*/README.md"))}
        self.assertGreater(sum(map(len, self.commands.values())), 40)

    def test_no_file_is_written_by_two(self):
        writers = {}
        for tutorial, lines in self.commands.items():
            for command in lines:
                for option, value in zip(command.words, command.words[1:]):
                    if option in ("-o", "--output", "--image", "--report", "--csv", "--result", "--config") and not value.startswith("-"):
                        writers.setdefault(value, set()).add(tutorial)
        shared = {file: names for file, names in writers.items() if len(names) > 1}
        self.assertEqual(shared, {})
        self.assertGreater(len(writers), 30)

    def test_one_environment(self):
        for tutorial, lines in self.commands.items():
            for command in lines:
                for word in command.words:
                    if re.search(r"(^|/)bin/(python3?|pip)$", word):
                        self.assertTrue(word.startswith(".venv/"), f"{tutorial}: {command.text}")


if __name__ == "__main__":
    unittest.main()
