# SPDX-License-Identifier: MIT
"""What the tests at real size share: plants of 10,000 and 100,000 heliostats, programs whose peak memory is bounded, all readers of a result.

scale.py make|remove FOLDER: the plants for all files of tests, which CTest makes before them and removes after them.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from harness import PROGRAM, ProgramTest, clean_environment

TERMS = ("cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss", "target_power")

# Nothing here may take more memory; most programs take a tenth.
MOST_MEGABYTES = 2000
# All files of a case together.
MOST_DISK_MEGABYTES = 1000

TEMPLATE = """\
site: {latitude_deg: 37.44, longitude_deg: -6.25, altitude_m: 20}
tower: {position: [0, 0], optical_height_m: 200, height_m: 190, radius_m: 8}
receiver: {type: cylinder, radius_m: 9, height_m: 20}
heliostat: {width_m: 6, height_m: 5, facets: [1, 1], facet_shape: sphere, focal_length_m: slant_range, pivot_height_m: 3, slant_step_m: 50}
layout: {type: table}
"""


def places(count):
    """Positions of a radially staggered field, (east, north) in metres."""
    found = []
    ring = 0
    while len(found) < count:
        radius = 90 + 10 * ring
        around = int(2 * math.pi * radius / 11)
        angles = [2 * math.pi * (j + 0.5 * (ring % 2)) / around for j in range(around)]
        found += [(radius * math.sin(a), radius * math.cos(a)) for a in angles]
        ring += 1
    return found[:count]


def names(count):
    return [f"H{i:06d}" for i in range(count)]


def write_layout(file, count):
    rows = (f"{name},{east:.4f},{north:.4f},3\n" for name, (east, north) in zip(names(count), places(count)))
    file.write_text("name,x [m],y [m],z [m]\n" + "".join(rows))


def make_plant(folder, count):
    """Makes plant_<count>.h5 and its run configuration plant_<count>.yaml from a layout."""
    (folder / "template.yaml").write_text(TEMPLATE)
    write_layout(folder / f"plant_{count}.csv", count)
    subprocess.run([PROGRAM, "scenario", "layout", f"plant_{count}.csv", "--template", "template.yaml", "-o", f"plant_{count}.h5",
                    "--config", f"plant_{count}.yaml"], cwd=folder, check=True, env=clean_environment(), capture_output=True)


class Plants:
    """The plants that CTest's fixture has made, or else made here, in a folder that is removed at the end."""

    folder = None

    @classmethod
    def file(cls, count, ending):
        made = pathlib.Path(os.environ.get("HELIORAY_SCALE_PLANTS", "none"))
        if not (made / f"plant_{count}.yaml").exists():
            if cls.folder is None:
                cls.folder = tempfile.TemporaryDirectory(prefix="helioray_scale_")
            made = pathlib.Path(cls.folder.name)
            if not (made / f"plant_{count}.yaml").exists():
                make_plant(made, count)
        return made / f"plant_{count}.{ending}"


class ScaleTest(ProgramTest):
    """A test in a folder of its own; every program it starts is measured."""

    def setUp(self):
        super().setUp()
        self.cpu_seconds = 0.0
        self.most_megabytes = 0.0
        self.addCleanup(self.check_disk)

    def check_disk(self):
        size = sum(p.stat().st_blocks * 512 for p in self.folder.rglob("*") if p.is_file()) / 1e6
        print(f"{self.id()}: {self.cpu_seconds:.1f} CPU s, {self.most_megabytes:.0f} MB of memory, {size:.0f} MB of files", flush=True)
        self.assertLess(size, MOST_DISK_MEGABYTES)

    def write_config(self, count, name="run.yaml", rays=8, **changes):
        """The run configuration of a plant with its paths and the lines `key: value` changed."""
        text = Plants.file(count, "yaml").read_text()
        lines = [line for line in text.splitlines() if not line.startswith(("scenario:", "output:", "  file:", "  image:", "tracing:"))]
        for key, value in changes.items():
            lines = self.without_section(lines, key)
            lines.append(f"{key}: {value}")
        lines += [f"scenario: {Plants.file(count, 'h5')}", f"tracing: {{rays_per_heliostat: {rays}}}", "output: {file: result.h5}", "device: cpu"]
        (self.folder / name).write_text("\n".join(lines) + "\n")
        return name

    @staticmethod
    def without_section(lines, key):
        kept, inside = [], False
        for line in lines:
            if line.strip() and not line.startswith((" ", "#")):
                inside = line.startswith(f"{key}:")
            if not inside:
                kept.append(line)
        return kept

    def start(self, command, prefix=()):
        return subprocess.Popen([*map(str, prefix), *map(str, command)], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=clean_environment(), start_new_session=True)

    def measured(self, command, timeout=900):
        """Runs a command; its peak memory must be below MOST_MEGABYTES."""
        process = self.start(command)
        texts = {}
        readers = [threading.Thread(target=lambda n=n, s=s: texts.update({n: s.read()}))
                   for n, s in (("stdout", process.stdout), ("stderr", process.stderr))]
        for reader in readers:
            reader.start()
        watch = threading.Timer(timeout, process.kill)
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        for reader in readers:
            reader.join()
        process.stdout.close()
        process.stderr.close()
        self.cpu_seconds += used.ru_utime + used.ru_stime
        megabytes = used.ru_maxrss * 1024 / 1e6
        self.most_megabytes = max(self.most_megabytes, megabytes)
        self.assertLess(megabytes, MOST_MEGABYTES, f"peak memory of {' '.join(map(str, command))}")
        return subprocess.CompletedProcess(command, process.returncode, texts["stdout"], texts["stderr"])

    def run_program(self, *arguments, code=0):
        done = self.measured([PROGRAM, *arguments])
        self.assertEqual(done.returncode, code, f"helioray {' '.join(map(str, arguments))}: {done.stderr[-2000:]}")
        return done

    def json_of(self, *arguments):
        return json.loads(self.run_program(*arguments, "--json").stdout)

    def python(self, code, *arguments):
        """What a script prints as JSON; `hr` is the package, `file` its first argument."""
        script = f"import json, sys\nimport helioray as hr\nimport numpy as np\nfile = sys.argv[1]\n{code}"
        done = self.measured([sys.executable, "-c", script, *arguments])
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return json.loads(done.stdout)

    def require_file(self, name, smallest):
        """A file that the program has written, of some bytes at least."""
        size = (self.folder / name).stat().st_size
        self.assertGreater(size, smallest, name)

    def require_pictures(self, result, *variants):
        """Draws a result: variants are (name, options)."""
        starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
        for name, *options in variants:
            self.run_program("plot", result, "-o", name, *options)
            self.require_file(name, 5000)
            with open(self.folder / name, "rb") as picture:
                self.assertEqual(picture.read(4), starts[name.rsplit(".", 1)[1]][:4], name)
            (self.folder / name).unlink()

    def require_report(self, result, *texts):
        self.run_program("report", result, "-o", "report.html")
        page = (self.folder / "report.html").read_text()
        for text in texts:
            self.assertIn(text, page)
        (self.folder / "report.html").unlink()

    def require_balance(self, energy):
        """Energy terms add up. energy: numbers or arrays by term, of a heliostat or of the field."""
        total = sum(energy[term] for term in TERMS)
        solar = energy["solar_power"]
        self.assertLess(abs(total - solar).max() if hasattr(total, "max") else abs(total - solar), 1e-9 * (solar.max() if hasattr(solar, "max") else solar))


def main():
    folder = pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    if sys.argv[1] == "make":
        folder.mkdir(parents=True)
        start = time.process_time()
        for count in (10_000, 100_000):
            make_plant(folder, count)
        print(f"{time.process_time() - start:.1f} CPU s of this process")


if __name__ == "__main__":
    main()
