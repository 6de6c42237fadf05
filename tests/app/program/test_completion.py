# SPDX-License-Identifier: MIT
"""Completion scripts, tried in the shells themselves, and the commands of the manual page."""

import re
import shlex
import shutil
import subprocess
import unittest

from harness import PROGRAM, SOURCE, ProgramTest


def described_commands(document):
    """Paths of the commands in the table of a document; similar ones share a row: `helioray export csv\\|vtk`."""
    described = set()
    for row in re.findall(r"^\| `helioray ([^`]+)`", (SOURCE / document).read_text(), re.M):
        words = row.replace("\\|", "|").split()
        described.add((words[0],))
        described |= {(words[0], name) for name in words[1].split("|")} if len(words) > 1 else set()
    return described


def commands_of_help(text):
    """Names below "Subcommands:"."""
    return re.findall(r"^  ([a-z]+)  ", text.partition("Subcommands:")[2], re.M)


class Completion(ProgramTest):
    def test_every_declared_command_is_added(self):
        folder = SOURCE / "app/program"
        text = "".join(file.read_text() for file in sorted(folder.rglob("*.cpp")))
        declared = re.findall(r"void (add_\w+)\(Command parent", (folder / "commands/commands.h").read_text())
        self.assertGreater(len(declared), 20)
        for name in declared:
            self.assertRegex(text, rf"(?<!void ){name}\(\w+, action\)", f"app/program: nothing calls {name}(), which commands.h declares")

    printed = {}

    def printed_by(self, *arguments):
        """What the program prints; it is asked once."""
        if arguments not in self.printed:
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.printed[arguments] = done.stdout
        return self.printed[arguments]

    def help_text(self, *path):
        return self.printed_by(*path, "--help")

    def script(self, shell):
        return self.printed_by("completion", shell)

    def all_commands(self, path=()):
        """Paths of all commands, from the help texts."""
        paths = []
        for name in commands_of_help(self.help_text(*path)):
            paths.append((*path, name))
            paths += self.all_commands((*path, name))
        return paths

    def bash(self, line):
        """What bash offers for the last word of the line."""
        if not hasattr(self, "bash_script"):
            self.bash_script = self.folder / "helioray.bash"
            self.bash_script.write_text(self.script("bash"))
        # bash splits words at "=" on its own.
        words = [w for word in line.split(" ") for w in (re.split(r"(=)", word) if word.startswith("--") else [word])]
        if words[-1] == "" and words[-2] == "=":
            words.pop()
        code = (f"source {self.bash_script}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
                "_helioray; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "--norc", "-c", code], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.split("\n")[:-1]) if done.stdout.strip() else []

    def make_files(self):
        for name in ("run.yaml", "other.yml", "flux.h5", "flux.png", "notes.txt", "with space.yaml"):
            (self.folder / name).touch()
        (self.folder / "sub").mkdir()

    def test_bash_completes_commands(self):
        commands = commands_of_help(self.help_text())
        self.assertGreater(len(commands), 8)
        self.assertEqual(self.bash("helioray "), sorted(commands))
        self.assertEqual(self.bash("helioray ray"), ["raytrace"])
        self.assertEqual(self.bash("helioray scenario so"), ["solarpilot", "soltrace"])
        self.assertEqual(self.bash("helioray nothing"), [])

    def test_bash_completes_every_option_of_every_command(self):
        for path in self.all_commands():
            text = self.help_text(*path)
            options = set(re.findall(r"^  (?:-[a-z],)?(--[a-z0-9-]+)", text, re.M))
            self.assertIn("--help", options)
            offered = set(self.bash(" ".join(["helioray", *path, "--"])))
            self.assertEqual(options, offered, path)

    def test_bash_completes_choices(self):
        self.assertEqual(self.bash("helioray plot flux.h5 --scale "), ["linear", "log"])
        self.assertEqual(self.bash("helioray plot --unit=po"), ["power"])
        self.assertEqual(self.bash("helioray plot --unit="), ["energy", "percent", "power"])
        self.assertEqual(self.bash("helioray raytrace run.yaml --device c"), ["cpu", "cuda"])
        self.assertEqual(self.bash("helioray scenario stral --fit "), ["both", "normals", "points"])
        self.assertIn("cosine_loss", self.bash("helioray plot flux.h5 --field "))
        self.assertEqual(self.bash("helioray annual --dni "), ["hottel", "meinel"])
        self.assertEqual(self.bash("helioray efficiency run.yaml --grid "), ["solarpilot", "year"])
        self.assertEqual(self.bash("helioray calibrate --spot "), ["helios", "image", "utis"])
        self.assertEqual(self.bash("helioray aim run.yaml --strategy "), ["center", "equator", "image_size", "optimize", "sigma"])
        self.assertEqual(self.bash("helioray completion "), ["bash", "fish", "manual", "zsh"])
        self.assertEqual(self.bash("helioray raytrace run.yaml --seed "), [])

    def test_bash_completes_files(self):
        self.make_files()
        configurations = ["other.yml", "run.yaml", "sub", "with space.yaml"]
        self.assertEqual(self.bash("helioray raytrace "), configurations)
        # Neither an option with its value nor a flag counts as the configuration.
        self.assertEqual(self.bash("helioray raytrace --seed 3 --json "), configurations)
        self.assertEqual(self.bash("helioray raytrace --seed=3 r"), ["run.yaml"])
        self.assertEqual(self.bash("helioray plot fl"), ["flux.h5"])
        self.assertEqual(self.bash("helioray plot flux.h5 -o fl"), ["flux.png"])
        self.assertEqual(self.bash("helioray plot flux.h5 --output=fl"), ["flux.png"])
        self.assertEqual(self.bash("helioray raytrace run.yaml --log-dir "), ["sub"])
        self.assertEqual(self.bash("helioray export csv flux.h5 -o "), ["sub"])
        # Where no file has a fitting name, all are offered.
        self.assertEqual(self.bash("helioray raytrace not"), ["notes.txt"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        self.make_files()
        script = self.folder / "helioray.fish"
        script.write_text(self.script("fish"))

        def fish(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C {shlex.quote(line)}"],
                                  cwd=self.folder, text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            # From version 4 on, fish also lists words that have the letters elsewhere; it offers them where no word begins with them.
            words = (word.split("\t")[0] for word in done.stdout.splitlines())
            return sorted(word for word in words if word.startswith(line.rpartition(" ")[2]))

        self.assertEqual(fish("helioray "), sorted(commands_of_help(self.help_text())))
        self.assertEqual(fish("helioray export "), ["csv", "netcdf", "sam", "solarpilot", "solartherm", "stral", "vtk"])
        self.assertEqual(fish("helioray plot flux.h5 --scale "), ["linear", "log"])
        self.assertIn("--restart", fish("helioray raytrace --re"))
        self.assertEqual(fish("helioray export stral --po"), ["--points"])
        self.assertEqual(fish("helioray scenario stral --po"), ["--position"])
        self.assertIn("run.yaml", fish("helioray raytrace r"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        script = self.folder / "_helioray"
        script.write_text(self.script("zsh"))
        # What _arguments is given, without a terminal to complete on.
        code = (f"compdef() {{ }}; _arguments() {{ printf '%s\\n' \"$@\" }}; source {script}; _helioray_plot")
        done = subprocess.run(["zsh", "-f", "-c", code], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertTrue(any(re.match(r"\(--scale\)--scale\[.*\]:value:\(linear log\)$", line) for line in lines), lines)
        # "(h5)" in brackets alone would be a glob qualifier.
        self.assertIn('*:file:_files -g "*.h5"', lines)
        self.assertTrue(any(line.endswith(':file:_files -g "*.(png|svg|pdf)"') for line in lines), lines)

    def test_unknown_shell(self):
        done = self.run_program("completion", "tcsh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bash", done.stderr)

    def test_manual_page_names_every_command(self):
        done = self.run_program("completion", "manual")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        named = re.findall(r"^\.B helioray (.+)$", done.stdout, re.M)
        paths = self.all_commands()
        leaves = {path for path in paths if not any(other[:len(path)] == path and other != path for other in paths)}
        self.assertEqual(sorted(named), sorted(" ".join(path) for path in leaves))
        # README.md shows the examples where it explains the installation.
        for document, elsewhere in (("app/README.md", set()), ("README.md", {("example",)})):
            self.assertEqual(leaves - described_commands(document) - elsewhere, set(), f"{document} has no row of these commands")
        texts = "".join(file.read_text() for folder in ("raytracer", "scenario") for file in (SOURCE / folder).rglob("README.md"))
        for _, name in (path for path in leaves if path[0] == "export"):
            self.assertIn(f"helioray export {name} ", texts, "no document of a library describes the files of this format")
        tests = "".join(file.read_text() for file in sorted((SOURCE / "tests/app").rglob("test_*.py")))
        for path in leaves:
            words = ", ".join(f'"{word}"' for word in path)
            self.assertTrue(re.search(rf"[(\[]{words}", tests), f"no test in tests/app runs helioray {' '.join(path)}")
        self.assertIn(".B \\-o, \\-\\-output\n", done.stdout)
        # Lines that roff would take for other commands of its own.
        self.assertEqual(set(re.findall(r"^[.'](\w+)", done.stdout, re.M)), {"TP", "B", "RS", "RE"})


if __name__ == "__main__":
    unittest.main()
