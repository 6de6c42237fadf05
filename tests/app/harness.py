# SPDX-License-Identifier: MIT
"""Runs the helioray program for the tests of its outward behaviour."""

import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import unittest
import zlib

import golden_messages

PROGRAM = os.environ.get("HELIORAY_PROGRAM", "build/release/bin/helioray")
SOURCE = pathlib.Path(os.environ.get("HELIORAY_SOURCE_DIR", ".")).resolve()
SCENARIO = SOURCE / "configs" / "juelich.h5"

# Variables of launchers that a test run itself may live under.
LAUNCHER_PREFIXES = ("RANK", "WORLD_SIZE", "LOCAL_", "MASTER_", "OMPI_", "PMI", "SLURM_", "SRUN_", "SBATCH_", "TORCHELASTIC", "HELIORAY_LAUNCHER")

CONFIG = """\
scenario: {scenario}
sun: {{azimuth_deg: 180.0, elevation_deg: 45.0, dni_w_m2: 1000, shape: {{type: pillbox, half_angle_mrad: 4.65}}}}
aim: {{target: multi_focus_tower}}
optics: {{reflectivity: 0.9, slope_error_mrad: 1.0}}
tracing: {{rays_per_heliostat: {rays}, seed: 42, shading: false, blocking: false}}
bitmap: {{width: 64, height: 64}}
output: {{file: result.h5}}
device: cpu
"""


# ARTIST knows only a Gaussian sun and no slope error.
ARTIST = ("--set", "tracing.model=artist", "--set", "sun.shape={type: gaussian, sigma_mrad: 2.09}",
          "--set", "optics.slope_error_mrad=0", "--set", "artist.surface_points_per_facet=[20,20]")


PORTS = itertools.count(20000 + os.getpid() % 10000)  # below those that the kernel gives to others


def free_port():
    """Returns a TCP port that no program uses. Never the same twice, so that cases beside each other do not meet."""
    while True:
        port = next(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))
                return port
            except OSError:
                pass


def clean_environment(**extra):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_PREFIXES)}
    environment.update({k: str(v) for k, v in extra.items()})
    return environment


class ProgramTest(unittest.TestCase):
    """A test in a folder of its own, with a small configuration in it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="helioray_test_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write_config(self, rays="2e5", name="run.yaml", text=None):
        path = self.folder / name
        path.write_text(text if text is not None else CONFIG.format(scenario=SCENARIO, rays=rays))
        return path

    def run_program(self, *arguments, prefix=(), timeout=400, **environment):
        return subprocess.run([*map(str, prefix), PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=timeout, env=clean_environment(**environment))

    def good(self, *arguments):
        """What the program prints."""
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *arguments):
        """What it says to bad input."""
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    def check_message(self, subject, name, text, *words):
        """Finds the line of `text` that contains all words, and compares the whole line, or the whole text without words, with the entry `name` of a golden file."""
        if words:
            lines = [line for line in text.splitlines() if all(word in line for word in words)]
            self.assertEqual(len(lines), 1, f"{words}: {text}")
            text = lines[0]
        # Folders and processors differ from machine to machine.
        text = text.replace(str(self.folder), "FOLDER").replace(str(SOURCE), "SOURCE")
        golden_messages.check_message(self, subject, name, re.sub("this processor has [a-z0-9, ]+;", "this processor has SETS;", text))

    def raytrace_json(self, *arguments, prefix=(), **environment):
        done = self.run_program("raytrace", *arguments, "--json", prefix=prefix, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def generate(self, plant, name="plant.h5"):
        """Makes a scenario from the text of a plant's description."""
        description = self.folder / "plant.yaml"
        description.write_text(plant)
        done = self.run_program("scenario", "generate", description.name, "-o", name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def leftovers(self):
        """Files of the folder that are neither configurations nor scenarios of the test."""
        return sorted(p.name for p in self.folder.iterdir() if p.suffix not in (".yaml", ".csv") and p.name != "scenario.h5")


def find_tool(variable, name):
    """A launcher from an environment variable or the path; None when there is none."""
    return os.environ.get(variable) or shutil.which(name)


def write_grey(path, pixels):
    """A grey PNG; pixels: uint8 or uint16 [height, width], which the file holds with 8 or 16 bits."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape
    bits = 8 * pixels.dtype.itemsize
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.astype(f">u{pixels.dtype.itemsize}"))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
