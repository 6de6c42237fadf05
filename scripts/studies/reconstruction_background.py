#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits simulated mirrors to pictures with and without background and camera noise.

    python scripts/studies/reconstruction_background.py --program build/release/bin/helioray --folder out/background

Needs numpy and h5py. Mirrors of AA39's four facets are bent at random as the prior of the fit expects (canting 1.2 mrad, curvature 0.4 mrad in common, 0.5 and 0.4 mrad by
facet, without a tilt that all facets have in common), traced under some suns, and written as pictures of the whole target. A line per case: how many mirrors keep their start surface, the root mean square of the slope
errors and of the stated deviations, how many end farther from the truth than they began, and the largest ratio of an error to its stated deviation.
"""

import argparse
import json
import pathlib
import shutil
import struct
import subprocess
import zlib

import h5py
import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAINT = SOURCE / "tests" / "data" / "paint"
TOWER = SOURCE / "configs" / "paint" / "tower-measurements.json"
RECORDS = ("151375", "202558", "271633")
SUNS = ((130, 30), (170, 50), (230, 25))  # azimuth, elevation, degrees
CASES = ((0.0, 0.0), (0.1, 0.02))  # background and noise, shares of the peak
CONFIG = """\
scenario: truth.h5
sun: {azimuth_deg: 180, elevation_deg: 45, dni_w_m2: 1000, shape: {type: buie, csr: 0.04}}
aim: {target: multi_focus_tower, active: [AA39]}
optics: {reflectivity: 0.9, slope_error_mrad: 1.3}
tracing: {rays_per_heliostat: 2e6, seed: 42, shading: false, blocking: false}
bitmap: {width: 256, height: 256}
output: {file: result.h5}
device: cpu
"""


def run(program, folder, *arguments):
    done = subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def bend(points, centre, common, own, half):
    """Adds canting and curvature in common, and tilts and curvatures of the facet alone; points: [n, m, 3], metres."""
    offset = points - centre
    east, north = offset[..., 0] / half[0], offset[..., 1] / half[1]
    tilt_e = common[0] * numpy.sign(centre[0]) + own[0]
    tilt_n = common[1] * numpy.sign(centre[1]) + own[1]
    # A curvature whose slope is the given one, rms over the facet.
    bow = 3**0.5 * 0.5
    points[..., 2] += half[0] * (tilt_e * east + bow * (common[2] + own[2]) * east**2) + half[1] * (tilt_n * north + bow * (common[3] + own[3]) * north**2)


def bent_mirror(start, truth, seed, size):
    random = numpy.random.default_rng(seed)
    shutil.copy(start, truth)
    common = 1e-3 * size * random.normal(size=4) * (1.2, 1.2, 0.4, 0.4)
    with h5py.File(truth, "a") as file:
        facets = list(file["heliostats/AA39/surface/facets"].values())
        own = 1e-3 * size * random.normal(size=(len(facets), 4)) * (0.5, 0.5, 0.4, 0.4)
        # Images do not show the tilt that all facets have in common, and the prior expects none.
        own[:, :2] -= own[:, :2].mean(axis=0)
        for facet, of_facet in zip(facets, own):
            points = facet["control_points"][:]
            half = 0.5 * numpy.ptp(points[..., 0]), 0.5 * numpy.ptp(points[..., 1])
            bend(points, points.mean(axis=(0, 1)), common, of_facet, half)
            facet["control_points"][...] = points


def write_png(path, values):
    """16 bits of grey; values: 0 to 1, [height, width]."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = numpy.rint(65535 * numpy.clip(values, 0, 1)).astype(">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *pixels.shape[::-1], 16, 0, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def traced_pictures(program, folder, seed, size):
    """Flux of one mirror over its peak, [suns, height, width]; kept in the folder for the next study."""
    kept = folder / f"mirror_{seed}_{size:g}.npy"
    bent_mirror(folder / "start.h5", folder / "truth.h5", seed, size)
    if kept.is_file():
        return numpy.load(kept)
    maps = []
    for azimuth, elevation in SUNS:
        run(program, folder, "raytrace", "run.yaml", "--set", f"sun.azimuth_deg={azimuth}", "--set", f"sun.elevation_deg={elevation}", "-q")
        with h5py.File(folder / "result.h5") as file:
            flux = file["targets/multi_focus_tower/flux"][:]
        maps.append(flux / flux.max())
    numpy.save(kept, maps)
    return numpy.array(maps)


def coarser(pictures, pixels):
    step = pictures.shape[1] // pixels
    means = pictures.reshape(len(pictures), pixels, step, pixels, step).mean(axis=(2, 4))
    return means / means.max(axis=(1, 2), keepdims=True)


def prepare(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.yaml").write_text(CONFIG)
    run(program, folder, "scenario", "paint", "--tower", TOWER, PAINT / "AA39", "-o", "nominal.h5")
    # The start is a mirror whose facets have control points of their own: that of AA39's real images.
    run(program, folder, "reconstruct", "nominal.h5", "--measured", PAINT / "AA39", "-o", "start.h5")


def fit(program, folder, pictures, background, slope, noise, random):
    records = folder / "measured" / "AA39" / "Calibration"
    shutil.rmtree(folder / "measured", ignore_errors=True)
    records.mkdir(parents=True)
    for number, (azimuth, elevation), picture in zip(RECORDS, SUNS, pictures):
        record = json.loads((PAINT / "AA39" / "Calibration" / f"{number}-calibration-properties.json").read_text())
        record.update(target_name="multi_focus_tower", sun_azimuth=180 - azimuth, sun_elevation=elevation)
        # Nominal drives do not show the tilt in common.
        record["motor_position"]["axis_1_motor_position"] += 10**6
        (records / f"{number}-calibration-properties.json").write_text(json.dumps(record))
        side = numpy.linspace(-1, 1, picture.shape[1])
        write_png(records / f"{number}-flux.png", 0.8 * (picture + background * (1 + slope * side) + noise * random.normal(size=picture.shape)))
    done = run(program, folder, "reconstruct", "start.h5", "--measured", "measured", "--image-kind", "flux", "--truth", "truth.h5", "-o", "out.h5", "--json")
    return json.loads(done)["heliostats"]["AA39"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=lambda name: str(pathlib.Path(name).resolve()), required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--mirrors", type=int, default=18)
    parser.add_argument("--images", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 3])
    parser.add_argument("--size", type=float, default=1.0, help="of the mirrors' errors over those that the prior expects (default 1)")
    parser.add_argument("--pixels", type=int, default=64, help="along each edge of a picture, a divisor of 256 (default 64)")
    parser.add_argument("--slope", type=float, default=0.0, help="of the background from the left to the right edge, as a share of it (default 0)")
    parser.add_argument("--cases", nargs="+", type=lambda text: tuple(map(float, text.split(","))), default=CASES, help="BACKGROUND,NOISE as shares of the peak (default 0,0 0.1,0.02)")
    parser.add_argument("--details", action="store_true", help="print a line per mirror")
    arguments = parser.parse_args()
    prepare(arguments.program, arguments.folder)
    results = {}
    for seed in range(1, arguments.mirrors + 1):
        pictures = coarser(traced_pictures(arguments.program, arguments.folder, seed, arguments.size), arguments.pixels)
        for count in arguments.images:
            for background, noise in arguments.cases:
                random = numpy.random.default_rng(1000 + seed)
                one = fit(arguments.program, arguments.folder, pictures[:count], background, arguments.slope if background else 0.0, noise, random)
                accuracy = numpy.mean([[image[key] for key in ("flux_accuracy_before", "flux_accuracy")] for image in one["fitted"]], axis=0)
                row = [one["slopes_mrad"]["before"], one["slopes_mrad"]["after"], one["slope_sigma_mrad"], one["improved"], *accuracy]
                results.setdefault((count, background, noise), []).append(row)
                if arguments.details:
                    print(seed, count, background, noise, *(f"{value:.3f}" for value in row), one["images"], flush=True)
    print("| images | background, noise | kept the start | slopes: start, fitted (stated), mrad | farther off than the start | largest error / stated | flux accuracy |")
    print("|---|---|---|---|---|---|---|")
    for (count, background, noise), rows in sorted(results.items()):
        before, after, stated, improved, low, high = numpy.array(rows, dtype=float).T
        before_rms, after_rms, stated_rms = (numpy.sqrt(numpy.mean(values**2)) for values in (before, after, stated))
        print(f"| {count} | {100 * background:g} %, {100 * noise:g} % | {int((improved == 0).sum())} of {len(rows)} | {before_rms:.2f}, {after_rms:.2f} ({stated_rms:.2f}) "
              f"| {int((after > before + 1e-6).sum())} | {(after / stated).max():.1f} | {low.mean():.3f} -> {high.mean():.3f} |")


if __name__ == "__main__":
    main()
