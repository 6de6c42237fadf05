# SPDX-License-Identifier: MIT
"""Which PyTorch the modules for model artist, several processes and gradients take: that of the interpreter, in the version that they were
built with. Here the package lies as in a wheel, with the modules beside it, in folders with and without PyTorch."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from package import SOURCE, hr, needs

VERSION = hr._core.torch_version
MODULES = [pathlib.Path(os.environ["HELIORAY_MODULES"], f"libhelioray_{name}.so") for name in ("artist", "ranks", "torch")]
KEYS = 'rays=1e4, bitmap={"width": 16, "height": 12}, device="cpu"'
ARTIST = f"""\
import sys
import helioray as hr
run = hr.trace(hr.read(r"{SOURCE}/configs/juelich.h5"), sun=(180, 45), sun_shape=hr.Gaussian(2), target="multi_focus_tower", model="artist",
               artist={{"surface_points_per_facet": [4, 4], "rays_per_point": 2}}, bitmap={{"width": 32, "height": 32}})
print("flux", run.array().sum() > 0, "imported", "torch" in sys.modules)
import torch
print(torch.__version__, torch.ones(2).sum().item())
"""
RANKS = f"""\
import helioray as hr
run = hr.trace(hr.generate(r"{SOURCE}/configs/field.yaml", heliostats=4), sun=(180, 45), ranks=True, {KEYS}, distributed={{"timeout_s": 60}})
print("ranks", run.provenance["world_size"])
"""
GRADIENTS = f"""\
import helioray as hr, helioray.torch
field = helioray.torch.Field(hr.generate(r"{SOURCE}/configs/field.yaml", heliostats=4), sun=(180, 45), parameters="optics", {KEYS})
field.power(field()[0]).sum().backward()
print("gradient", field.optics.grad[0].item() > 0)
"""


def linked(names, folder):
    """Links to installed packages, with the libraries that belong to them."""
    for name in names:
        found = importlib.util.find_spec(name)
        if found:
            for path in [pathlib.Path(next(iter(found.submodule_search_locations))), *pathlib.Path(found.origin or "").parent.parent.glob(f"{name}.libs")]:
                (folder / path.name).symlink_to(path)


@unittest.skipIf(needs("torch"), needs("torch"))
@unittest.skipUnless(all(file.exists() for file in MODULES), "the modules are not built")
class LibTorch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.site = cls.folder / "site"
        shutil.copytree(pathlib.Path(hr.__file__).parent, cls.site / "helioray", ignore=shutil.ignore_patterns("__pycache__"))
        for file in MODULES:
            shutil.copy(file, cls.site / "helioray")
        linked(["numpy"], cls.site)
        # A PyTorch of the next version, which nobody may load.
        another = cls.folder / "another/torch"
        another.mkdir(parents=True)
        (another / "__init__.py").write_text("raise RuntimeError('imported')\n")
        (another / "version.py").write_text("from typing import Optional\n__version__ = '99.1.0+cu990'\n")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def start(self, code, *folders, **variables):
        """Python with nothing but the package and these folders."""
        environment = {name: value for name, value in os.environ.items() if name not in ("HELIORAY_MODULES", "RANK", "WORLD_SIZE")}
        environment["PYTHONPATH"] = os.pathsep.join(map(str, [self.site, *folders]))
        environment["OMP_NUM_THREADS"] = "1"
        return subprocess.Popen([sys.executable, "-S", "-c", code], cwd=self.folder, env={**environment, **variables}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def all_of(self, code, *folders, ranks):
        """What each process says: its exit code, output and the last line of its errors."""
        store = {"HELIORAY_STORE": f"file://{tempfile.mktemp(dir=self.folder)}", "WORLD_SIZE": str(ranks)} if ranks > 1 else {}
        started = [self.start(code, *folders, **store, **({"RANK": str(rank)} if store else {})) for rank in range(ranks)]
        said = [(one, *one.communicate(timeout=200)) for one in started]
        return [(one.returncode, out, errors.strip().split("\n")[-1]) for one, out, errors in said]

    def test_another_version_is_named_with_ours(self):
        for code, ranks, purpose in ((ARTIST, 1, "model artist"), (RANKS, 2, "ranks=True"), (GRADIENTS, 1, "helioray.torch")):
            for status, _, error in self.all_of(code, self.folder / "another", ranks=ranks):
                with self.subTest(purpose):
                    self.assertEqual((status, error), (1, f"ImportError: {purpose} needs PyTorch {VERSION}, because HelioRay was built with it, and PyTorch "
                                                          f"99.1.0+cu990 is installed; install it with: pip install torch=={VERSION}"))

    def test_a_missing_one_is_named(self):
        for code, ranks, purpose in ((ARTIST, 1, "model artist"), (RANKS, 2, "ranks=True"), (GRADIENTS, 1, "helioray.torch")):
            for status, _, error in self.all_of(code, ranks=ranks):
                with self.subTest(purpose):
                    self.assertEqual((status, error), (1, f"ImportError: {purpose} needs PyTorch {VERSION}, because HelioRay was built with it, and it is not "
                                                          f"installed; install it with: pip install torch=={VERSION}"))

    def test_one_that_is_imported_counts(self):
        loaded = "import sys, types; sys.modules['torch'] = types.SimpleNamespace(__version__='99.2.0')\n"
        (status, _, error), = self.all_of(loaded + ARTIST, ranks=1)
        self.assertEqual(status, 1)
        self.assertIn("PyTorch 99.2.0 is installed", error)

    def test_it_is_found_beside_the_package_and_elsewhere(self):
        torch = pathlib.Path(importlib.util.find_spec("torch").origin).parent
        beside = [self.site / name for name in ("torch", "nvidia") if (torch.parent / name).exists()]
        for imported in (True, False):
            if not imported:
                for link in beside:
                    link.symlink_to(torch.parent / link.name)
            self.addCleanup(lambda: [link.unlink(missing_ok=True) for link in beside])
            (status, out, error), = self.all_of(ARTIST, torch.parent, ranks=1)
            with self.subTest(imported=imported):
                self.assertEqual(status, 0, error)
                self.assertIn(f"flux True imported {imported}", out)
                self.assertIn("2.0", out)
            for status, out, error in self.all_of(RANKS, torch.parent, ranks=2):
                self.assertEqual((status, out), (0, "ranks 2\n"), error)
        (status, out, error), = self.all_of(GRADIENTS, torch.parent, ranks=1)
        self.assertEqual((status, out), (0, "gradient True\n"), error)

    def test_modules_that_a_package_lacks(self):
        away = [self.site / "helioray" / file.name for file in MODULES]
        for file in away:
            file.rename(file.with_suffix(".away"))
            self.addCleanup(file.with_suffix(".away").rename, file)
        for code, module in ((ARTIST, "artist"), (GRADIENTS, "torch")):
            (status, _, error), = self.all_of(code, pathlib.Path(importlib.util.find_spec("torch").origin).parent.parent, ranks=1)
            self.assertEqual(status, 1)
            self.assertIn(f"ImportError: the module libhelioray_{module}.so was not found beside {self.site / 'helioray'}; ", error)
            self.assertIn("HELIORAY_MODULES", error)


if __name__ == "__main__":
    unittest.main()
