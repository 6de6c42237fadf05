# SPDX-License-Identifier: MIT
"""Every command line of the documents: programs, options, keys and files exist."""

import os
import re
import unittest

from keys import key_is_known, known_keys
from markdown import DOCUMENTS, SOURCE, Document, commands, is_commands
import program_help

LAUNCHERS = {"torchrun", "mpirun", "mpiexec", "srun"}
SHELL_WORDS = {"mkdir", "sort", "cut", "head", "cat", "cmake", "ctest", "man", "source", "export", "sudo", "docker", "podman", "skopeo"}
OUTPUT_OPTIONS = {"-o", "--output", "--image", "--csv", "--config"}


def targets():
    """Names of the programs and libraries that the build makes."""
    files = [SOURCE / "CMakeLists.txt", *(f for top in ("app", "kernels", "python", "raytracer", "distributed", "tutorials", "tests")
                                          for f in (SOURCE / top).rglob("CMakeLists.txt"))]
    return {m for f in files for m in re.findall(r"add_(?:executable|library|module)\(\s*(\w+)", f.read_text())}


class Commands(unittest.TestCase):
    def check_program(self, arguments):
        self.assertEqual(program_help.problems_of(arguments), [])
        for option, value in zip(arguments, arguments[1:]):
            if option == "--set":
                self.assertTrue(key_is_known(value.split("=")[0], KEYS), f"no key {value.split('=')[0]}")

    def check(self, command):
        words = command.words
        name = words[0].removeprefix("./")
        if words[0] in LAUNCHERS:
            places = [i for i, w in enumerate(words) if w.split("/")[-1] == "helioray" or w.startswith("build/release/bin/")]
            self.assertTrue(places, "starts no program of ours")
            words = words[places[0]:]
            name = words[0]
        if name.split("/")[-1] == "helioray":
            self.check_program(words[1:])
        elif name.startswith("build/"):
            self.assertIn(name.split("/")[-1], TARGETS)
        elif name == "scripts/raytrace":
            self.check_program(["raytrace", *words[1:]])
        elif name.startswith(("scripts/", "tutorials/")):
            self.assertTrue(os.access(SOURCE / name, os.X_OK), f"{name} cannot be run")
            text = (SOURCE / name).read_text()
            for option in [w for w in words[1:] if w.startswith("-")]:
                self.assertIn(option, text)
            if name == "scripts/build":
                self.assertLessEqual(set(words[2:]), TARGETS)
        else:
            self.assertIn(name.split("/")[-1], SHELL_WORDS | {"sbatch", "python", "python3", "pip"})
        for before, word in zip(words, words[1:]):
            if before not in OUTPUT_OPTIONS and re.match(r"(configs|tutorials|scripts)/", word):
                self.assertTrue((SOURCE / word).exists(), f"{word} does not exist")

    def test_all(self):
        count = 0
        for path in DOCUMENTS:
            for block in Document(path).blocks:
                if not is_commands(block):
                    continue
                for command in commands(block):
                    count += 1
                    with self.subTest(document=path, line=command.line, command=command.text):
                        self.check(command)
        self.assertGreater(count, 70)


KEYS = known_keys()
TARGETS = targets()

if __name__ == "__main__":
    unittest.main()
