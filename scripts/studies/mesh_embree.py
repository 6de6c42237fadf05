#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the triangles that rays hit with those of Embree.

    pip install embreex numpy
    python scripts/studies/mesh_embree.py --program build/release/bin/helioray_study_mesh --folder out/embree

Random triangles within 4 m of the origin and closed spheres, each with rays from 1, 10 and 500 m. Embree computes in single precision, and its hit near an edge, or of two triangles at nearly the same
distance, depends on its build. A ray is unambiguous if Embree finds the same triangle, or none, for the ray and four pairs of rays on opposite sides of it, up to `--shift` metres beside
it at their beginning and target. A line per mesh: the number of rays, the fraction that hit a triangle, the fraction that is unambiguous, and the number of different triangles among the unambiguous and among the other rays. The exit
code is 1 if an unambiguous ray differs.
"""

import argparse
import pathlib
import subprocess
import sys

import embreex.rtcore_scene
import numpy
from embreex.mesh_construction import TriangleMesh


def make_soup(count: int, size: float, random: numpy.random.Generator) -> numpy.ndarray:
    """Returns triangles of about a size around random places."""
    return (4.0 * random.uniform(-1, 1, (count, 1, 3)) + size * random.uniform(-1, 1, (count, 3, 3))).astype(numpy.float32)


def make_sphere(columns: int, radius: float) -> numpy.ndarray:
    """Returns the triangles of a closed sphere, without those at the poles that have no area."""
    angles = 2.0 * numpy.pi * (numpy.arange(columns + 1) % columns) / columns
    rows = columns // 2
    heights = numpy.sin(numpy.pi * (numpy.arange(rows + 1) / rows - 0.5))
    heights[[0, -1]] = -1.0, 1.0
    across = numpy.sqrt(1.0 - heights**2)
    points = radius * numpy.stack([across[:, None] * numpy.cos(angles), across[:, None] * numpy.sin(angles), numpy.broadcast_to(heights[:, None], (rows + 1, columns + 1))], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    both = numpy.concatenate([numpy.stack([a, b, c], axis=2).reshape(-1, 3, 3), numpy.stack([a, c, d], axis=2).reshape(-1, 3, 3)])
    area = numpy.linalg.norm(numpy.cross(both[:, 1] - both[:, 0], both[:, 2] - both[:, 0]), axis=1)
    return both[area > 1e-12].astype(numpy.float32)


def make_rays(count: int, random: numpy.random.Generator) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns beginnings and targets of rays."""
    distances = numpy.array([1.0, 10.0, 500.0])[numpy.arange(count) % 3]
    return distances[:, None] * random.uniform(-1, 1, (count, 3)), 4.0 * random.uniform(-1, 1, (count, 3))


def directions(begin: numpy.ndarray, end: numpy.ndarray) -> numpy.ndarray:
    """Returns unit vectors in single precision."""
    way = end - begin
    return (way / numpy.linalg.norm(way, axis=1, keepdims=True)).astype(numpy.float32)


def run_embree(triangles: numpy.ndarray, begin: numpy.ndarray, along: numpy.ndarray) -> numpy.ndarray:
    """Returns the triangle that each ray hits in Embree; -1: none."""
    scene = embreex.rtcore_scene.EmbreeScene()
    TriangleMesh(scene, triangles)
    return numpy.asarray(scene.run(begin.astype(numpy.float32), along))


def run_program(program: str, folder: pathlib.Path, triangles: numpy.ndarray, begin: numpy.ndarray, along: numpy.ndarray) -> numpy.ndarray:
    """Returns the triangle that each ray hits in HelioRay; -1: none."""
    mesh, hits = folder / "mesh.bin", folder / "hits.bin"
    with open(mesh, "wb") as file:
        file.write(numpy.array([len(triangles), len(begin)], numpy.int32).tobytes())
        file.write(triangles.tobytes())
        file.write(numpy.hstack([begin.astype(numpy.float32), along]).tobytes())
    subprocess.run([program, "hits", str(mesh), str(hits)], check=True)
    return numpy.fromfile(hits, numpy.dtype([("triangle", numpy.int32), ("distance", numpy.float32)]))["triangle"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="helioray_study_mesh")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="folder for files that pass rays and hits")
    parser.add_argument("--rays", type=int, default=1_000_000, help="rays for each mesh")
    parser.add_argument("--shift", type=float, default=2e-4, help="metres by which rays are shifted")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(1)
    meshes = {
        "10 triangles": make_soup(10, 2.0, random),
        "1,000 triangles": make_soup(1_000, 0.5, random),
        "100,000 triangles": make_soup(100_000, 0.1, random),
        "sphere of 3,968 triangles": make_sphere(64, 3.0),
    }
    faults = 0
    for name, triangles in meshes.items():
        begin, end = make_rays(options.rays, random)
        along = directions(begin, end)
        expected = run_embree(triangles, begin, along)
        unambiguous = numpy.ones(options.rays, bool)
        for _ in range(4):
            aside = options.shift * random.uniform(-1, 1, (2, options.rays, 3))
            # An edge on the ray lies between two opposite shifts.
            for sign in (1.0, -1.0):
                from_beside = begin + sign * aside[0]
                unambiguous &= run_embree(triangles, from_beside, directions(from_beside, end + sign * aside[1])) == expected
        differs = run_program(options.program, options.folder, triangles, begin, along) != expected
        faults += int((differs & unambiguous).sum())
        print(f"{name:26} {options.rays} rays, {(expected >= 0).mean():.3f} hit, {unambiguous.mean():.4f} unambiguous, different: {(differs & unambiguous).sum()} of them, "
              f"{(differs & ~unambiguous).sum()} of the other {(~unambiguous).sum()}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
