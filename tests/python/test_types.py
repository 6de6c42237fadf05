# SPDX-License-Identifier: MIT
"""The package's types check (mypy), its stub names what the extension module has, and public functions explain themselves."""

import ast
import html
import inspect
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from package import SOURCE, hr, needs

USER = """\
import numpy
import helioray as hr
plant = hr.read("plant.h5")
run = hr.trace(plant, sun=(180, 45), sun_shape=hr.Buie(0.05), rays=1e6)
power: float = run.energy["target_power"]
field = hr.prepare(plant, sun=(180, 45)).set_sun(170, 40)
text: int = field.trace().fingerprint
table = hr.efficiency(plant, azimuths=range(0, 360, 30), elevations=numpy.linspace(10, 80, 8))
day = hr.trace_series(plant, {"azimuth": numpy.array([170, 180]), "elevation": [40, 41]}, dni=900)
powers: list[float] = [step.energy["target_power"] for step in day]
made: hr.Reconstruction = hr.reconstruct(plant, "images", heliostats=numpy.array(["H1"]))
"""


def words(text):
    """The words of a text, however it is set: without backticks and the colons after arguments."""
    return " ".join(re.sub(r"`|:(?=\s)", " ", text).split())


class Types(unittest.TestCase):
    def mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            # The oldest Python of pyproject.toml: newer syntax, and functions that its library lacks, are errors.
            return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-warn-return-any", "--ignore-missing-imports", "--python-version", "3.10",
                                   "--cache-dir", folder, *map(str, arguments)], capture_output=True, text=True)

    @unittest.skipIf(needs("mypy"), needs("mypy"))
    def test_package_checks(self):
        done = self.mypy(SOURCE / "python/helioray")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipIf(needs("mypy"), needs("mypy"))
    def test_users_are_warned(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "user.py"
            file.write_text(USER)
            done = self.mypy(file)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("user.py:7: error: Incompatible types in assignment", done.stdout)
        self.assertIn("Found 1 error", done.stdout)

    def test_stub_names_everything(self):
        core = hr._core
        tree = ast.parse((SOURCE / "python/helioray/_core.pyi").read_text())
        stub = {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                stub[node.name] = {one.name for one in node.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("__")}
            elif isinstance(node, ast.FunctionDef):
                stub[node.name] = {one.arg for one in node.args.args}
            elif isinstance(node, ast.AnnAssign):
                stub[node.target.id] = set()
        there = {name for name in dir(core) if not name.startswith("__")}
        self.assertEqual(set(stub), there)
        for name in there:
            value = getattr(core, name)
            if inspect.isclass(value) and name != "InputError":
                self.assertEqual(stub[name], {one for one in dir(value) if not one.startswith("__")}, name)

    def test_reference_has_everything(self):
        page = subprocess.run([sys.executable, SOURCE / "scripts/python_reference"], capture_output=True, text=True, check=True).stdout
        said = words(html.unescape(re.sub(r"<[^>]*>", " ", page)))
        for name in hr.__all__:
            value = getattr(hr, name)
            if not callable(value):
                continue
            self.assertIn(f'<section id="helioray.{name}">', page)
            self.assertIn(f'<li><a href="#helioray.{name}">', page)
            # The keys are in tables of their own.
            self.assertIn(words(inspect.getdoc(value).partition("Keys by section")[0]), said, name)
            members = [] if not inspect.isclass(value) or issubclass(value, Exception) else dir(value)
            for member in (one for one in members if not one.startswith("_")):
                # Plain values have the documentation of their types.
                if inspect.getdoc(getattr(value, member)) and not isinstance(getattr(value, member), (int, float, str, type(None))):
                    self.assertIn(f'<section id="helioray.{name}.{member}">', page)
        for name in ("Field", "Field.power", "Tensors", "operators", "tensors"):
            self.assertIn(f'<section id="helioray.torch.{name}">', page)

    def test_reference_has_signatures_and_keys(self):
        page = subprocess.run([sys.executable, SOURCE / "scripts/python_reference"], capture_output=True, text=True, check=True).stdout
        text = html.unescape(re.sub(r"<[^>]*>", "", page))
        self.assertIn("helioray.read(file: PathLike) -> Plant\n", text)
        self.assertIn("helioray.trace(\n    source: Plant | str | os.PathLike[str],\n    *,\n    threads: int = 0,", text)
        self.assertIn("    **keys: keys of a run configuration,\n) -> Run", text)
        self.assertIn('<dt><code>threads</code></dt><dd>on the CPU; 0 takes all cores.', page)
        for path in hr._core.known_keys():
            section, _, key = path.partition(".")
            if key and not re.search(r"[.\[]", key) and section not in ("targets", "obstacles[]"):
                self.assertRegex(page, f'(?s)id="keys.{section}">.*<td><code>{key}</code></td>')
        # Every link of the contents has its place.
        self.assertLessEqual(set(re.findall(r'href="#([^"]+)"', page)), set(re.findall(r'id="([^"]+)"', page)))

    def test_every_name_is_exported(self):
        imported = {name for name, value in vars(hr).items() if not name.startswith("_") and not inspect.ismodule(value)}
        self.assertEqual(imported - set(hr.__all__), set(), "add these names to __all__")
        sources = {path: path.read_text() for path in sorted((SOURCE / "python/helioray").rglob("*.py"))}
        for path, text in sources.items():
            others = "".join(other for place, other in sources.items() if place != path)
            for name in re.findall(r"^def ([a-z]\w*)\(", text, re.M) if path.parent.name == "_results" else ():
                is_used = re.search(rf"^from .* import .*\b{name}\b", others, re.M)
                self.assertTrue(is_used, f"{path.name}: no module imports {name}(); export it in __init__.py, or begin its name with an underscore")

    def test_document_has_a_row_of_every_function(self):
        page = (SOURCE / "python/README.md").read_text()
        described = set(re.findall(r"`hr\.(\w+)\(", "".join(re.findall(r"^\| `hr\.[^|]*\|", page, re.M))))
        functions = {name for name in hr.__all__ if inspect.isfunction(getattr(hr, name))}
        self.assertEqual(functions - described, set(), "python/README.md has no row of these functions")
        self.assertEqual(described - functions, set(), "the package does not export these functions, which python/README.md describes")

    def test_public_names_have_docstrings(self):
        for name in hr.__all__:
            value = getattr(hr, name)
            if not callable(value):
                continue
            self.assertTrue(value.__doc__ and len(value.__doc__) > 10, name)
            if inspect.isclass(value):
                for member, what in vars(value).items():
                    if not member.startswith("_") and (callable(what) or isinstance(what, property)):
                        self.assertTrue(what.__doc__ or member == "setting", f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
