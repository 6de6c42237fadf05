# SPDX-License-Identifier: MIT
"""Links, anchors, paths, tests and options that the documents name exist."""

import itertools
import re
import unittest

from keys import key_is_known, known_keys
from markdown import DOCUMENTS, SOURCE, Document
import program_help

# Options of other programs and of build tools that documents speak of.
FOREIGN_OPTIONS = {"--max-restarts"}
SOURCE_FILE = re.compile(r"[\w./-]+\.(h|cpp|cu|cuh|py|sh|sbatch|cmake)$")
PATH = re.compile(r"[\w.*{},<>-]+(/[\w.*{},<>-]*)+$")


def alternatives(path):
    """a.{b,c} as a.b and a.c; <name> as *."""
    parts = re.split(r"\{([^}]*)\}", re.sub(r"<[^>]*>", "*", path))
    choices = [p.split(",") if i % 2 else [p] for i, p in enumerate(parts)]
    return ["".join(c) for c in itertools.product(*choices)]


def exists(path, folders):
    return any(any(f.glob(path.rstrip("/"))) for f in folders)


class References(unittest.TestCase):
    def setUp(self):
        self.documents = {path: Document(path) for path in DOCUMENTS}
        self.assertGreater(len(self.documents), 12)

    def test_links(self):
        count = 0
        for path, document in self.documents.items():
            for line, link in document.links():
                if re.match(r"[a-z]+:", link):
                    continue
                count += 1
                with self.subTest(document=path, line=line, link=link):
                    file, _, anchor = link.partition("#")
                    target = (document.folder / file).resolve() if file else SOURCE / path
                    self.assertTrue(target.exists(), "does not exist")
                    if anchor:
                        self.assertIn(anchor, Document(target.relative_to(SOURCE).as_posix()).anchors())
        self.assertGreater(count, 40)

    def test_paths(self):
        names = {p.name.removesuffix(".in") for top in ("app", "raytracer", "scenario", "distributed", "kernels", "python", "tests", "tutorials", "scripts", "cmake")
                 for p in (SOURCE / top).rglob("*")}
        count = 0
        for path, document in self.documents.items():
            folders = [SOURCE, document.folder]
            for line, code in document.inline_code():
                with self.subTest(document=path, line=line, path=code):
                    top = code.split("/")[0]
                    if PATH.match(code) and top and any((f / top).is_dir() for f in folders) and top != "build":
                        count += 1
                        for alternative in alternatives(code):
                            # configs/field.h5 and the like are made by commands of the documents.
                            if not alternative.endswith((".h5", ".png")):
                                self.assertTrue(exists(alternative, folders), "does not exist")
                    elif SOURCE_FILE.match(code):
                        count += 1
                        self.assertIn(code.split("/")[-1], names, "no such file")
                    elif re.fullmatch(r"test_\w+", code):
                        count += 1
                        self.assertTrue({f"{code}.cpp", f"{code}.py"} & names, "no such test")
        self.assertGreater(count, 60)

    def test_keys_in_text(self):
        keys = known_keys()
        sections = {k[0] for k in keys if len(k) > 1}
        count = 0
        for path, document in self.documents.items():
            for line, code in document.inline_code():
                name = re.match(r"([a-z_]+(?:\.(?:[a-z0-9_]+|<\w+>))+)(?=$|:|=)", code)
                if name and name[1].split(".")[0] in sections and not name[1].endswith((".h", ".h5", ".png", ".yaml", ".vtp", ".file")):
                    count += 1
                    with self.subTest(document=path, line=line, code=code):
                        self.assertTrue(key_is_known(name[1], keys), "no such key")
        self.assertGreater(count, 100)

    def test_options_in_text(self):
        known = set(FOREIGN_OPTIONS).union(*(program_help.options(c) for c in program_help.all_commands()))
        for script in (file for file in (SOURCE / "scripts").iterdir() if file.is_file()):
            known.update(re.findall(r"--[a-z][a-z-]+", script.read_text()))
        count = 0
        for path, document in self.documents.items():
            for line, code in document.inline_code():
                with self.subTest(document=path, line=line, code=code):
                    if code.startswith("helioray "):
                        count += 1
                        self.assertEqual(program_help.problems_of(code.split()[1:]), [])
                    elif code.startswith("--"):
                        count += 1
                        for option in re.findall(r"(?:^|\s)(--[a-z][a-z0-9-]*)", code):
                            self.assertIn(option, known)
        self.assertGreater(count, 60)

    def test_citation(self):
        """CITATION.cff has the version of the build and the licence of the repository."""
        citation = (SOURCE / "CITATION.cff").read_text()
        version = re.search(r"project\(helioray VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        self.assertIn(f"\nversion: {version}\n", citation)
        self.assertIn("\nlicense: MIT\n", citation)
        self.assertTrue((SOURCE / "LICENSE").read_text().startswith("MIT License\n"))


if __name__ == "__main__":
    unittest.main()
