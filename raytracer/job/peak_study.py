#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the peak flux and its standard error with replicated runs, scene by scene.

    python raytracer/job/peak_study.py --program build/release/bin/helioray --folder out/peak --seeds 200

Needs numpy and h5py. Every scene is traced with each seed, and a few times with very many rays. The true peak over the area that a run states is the largest mean over any
square of this area in the long runs; half of them choose the square and the others measure it, so that noise does not raise it. A line per scene: mean bias in stated standard
errors, against the true peak over the stated area and over one pixel, the share of runs within one and two standard errors of it, and how far the largest pixel is off.
"""

import argparse
import json
import pathlib
import subprocess

import h5py
import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
JUELICH = SOURCE / "configs" / "quickstart.yaml"
FIELD = SOURCE / "configs" / "field_run.yaml"
PLANE = ("receiver.type=plane", "receiver.width_m=8", "receiver.height_m=7", "receiver.radius_m=null", "tower.radius_m=null", "tower.height_m=null")
DISC = ("receiver.type=disc", "receiver.radius_m=4", "receiver.height_m=null", "tower.radius_m=null", "tower.height_m=null")
GAUSS = "sun.shape={type: gaussian, sigma_mrad: 2.09}"
SMALL = ("bitmap.width=128", "bitmap.height=128")
APART = "aim.heliostats={AA31: {point: [-18.4, -2.7446, 52.6]}, AA39: {point: [-16.8, -2.7446, 51.4]}}"
ROW = "aim.heliostats={AA31: {point: [-18.5, -2.7446, 52.0]}, AA39: {point: [-16.7, -2.7446, 52.0]}}"

# Name: configuration, template of the field (none: the configuration's scenario), rays per heliostat, further settings.
SCENES = {
    "quickstart 1e4": (JUELICH, None, 1e4, ()),
    "quickstart 1e5": (JUELICH, None, 1e5, ()),
    "quickstart 1e6": (JUELICH, None, 1e6, ()),
    "coarse map": (JUELICH, None, 1e4, ("bitmap.width=24", "bitmap.height=24")),
    "coarse map, more rays": (JUELICH, None, 1e5, ("bitmap.width=24", "bitmap.height=24")),
    "fine map": (JUELICH, None, 1e5, ("bitmap.width=512", "bitmap.height=512")),
    "bilinear": (JUELICH, None, 1e5, (*SMALL, "bitmap.filter=bilinear")),
    "gaussian sun": (JUELICH, None, 1e4, (*SMALL, GAUSS)),
    "rough mirrors": (JUELICH, None, 1e4, (*SMALL, "optics.slope_error_mrad=4")),
    "narrow sun": (JUELICH, None, 1e5, (*SMALL, "sun.shape={type: pillbox, half_angle_mrad: 1}", "optics.slope_error_mrad=0.3")),
    "one heliostat": (JUELICH, None, 1e4, (*SMALL, "aim.active=[AA39]")),
    "apart": (JUELICH, None, 1e4, (*SMALL, APART)),
    "row": (JUELICH, None, 1e4, (*SMALL, ROW, GAUSS)),
    "wide target": (JUELICH, None, 1e4, ("aim.target=solar_tower_juelich_lower", "bitmap.width=200", "bitmap.height=100")),
    "cylinder sector": (JUELICH, None, 1e4, ("aim.target=receiver", "bitmap.width=96", "bitmap.height=120")),
    "low sun": (JUELICH, None, 1e4, (*SMALL, "sun.elevation_deg=12", "sun.azimuth_deg=110")),
    "cylinder, 60 heliostats": (FIELD, ("--heliostats", "60"), 1e4, ("bitmap.width=128", "bitmap.height=48")),
    "cylinder, fine": (FIELD, ("--heliostats", "60"), 1e4, ("bitmap.width=512", "bitmap.height=192")),
    "plane, 40 focused heliostats": (FIELD, ("--heliostats", "40", *(word for key in PLANE for word in ("--set", key))), 1e4, SMALL),
    "disc, 40 focused heliostats": (FIELD, ("--heliostats", "40", *(word for key in DISC for word in ("--set", key))), 1e4, SMALL),
    "flat mirrors": (FIELD, ("--heliostats", "40", "--set", "heliostat.facet_shape=flat", "--set", "heliostat.focal_length_m=null"), 1e4, ("bitmap.width=128", "bitmap.height=48")),
    "200 heliostats": (FIELD, ("--heliostats", "200"), 1e4, ("bitmap.width=128", "bitmap.height=48")),
}
LONG_RUNS = 4


def settings_of(scene, rays, seed, folder):
    config, template, _, extra = SCENES[scene]
    settings = [f"tracing.rays_per_heliostat={rays:g}", "output.image=null", *extra]
    if template is not None:
        settings += ["obstacles=null"]
    options = [word for setting in settings for word in ("--set", setting)]
    if template is not None:
        options += ["--scenario", str(folder / f"{scene.replace(' ', '_')}.h5")]
    return [str(config), *options, "--seed", str(seed)]


def run(program, arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}\n{done.stderr}")
    return done.stdout


def read_map(file):
    with h5py.File(file) as result:
        target = max(result["targets"].values(), key=lambda one: one.attrs["power_w"])
        height, width = (abs(target[axis][1] - target[axis][0]) for axis in ("height_m", "width_m"))
        return target.name.rsplit("/", 1)[-1], target["flux"][()], width, height


def means(flux, width, height):
    """Of all rectangles of this many pixels."""
    sums = numpy.zeros((flux.shape[0] + 1, flux.shape[1] + 1))
    sums[1:, 1:] = flux.cumsum(0).cumsum(1)
    return (sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]) / (width * height)


def true_peak(long_runs, width, height):
    """One half of the long runs chooses the place, the other half measures; the mean of all choices."""
    maps = [means(flux, width, height) for flux in long_runs]
    values = []
    for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
        chosen = sum(maps[i] for i in pair).argmax()
        values.append(sum(maps[i].flat[chosen] for i in range(LONG_RUNS) if i not in pair) / (LONG_RUNS - 2))
    return float(numpy.mean(values))


def pixels_of(area, width_m, height_m, shape):
    """The squares that the program averages over have sides of one pixel times powers of the root of 2."""
    side = max(width_m, height_m)
    while True:
        pixels = [max(1, min(int(side / metres + 0.5), most)) for metres, most in ((width_m, shape[1]), (height_m, shape[0]))]
        if abs(pixels[0] * pixels[1] * width_m * height_m / area - 1) < 1e-6:
            return tuple(pixels)
        side *= 2**0.5
        if side > 1e6:
            raise SystemExit(f"{area} m2 is not the area of a square of pixels")


def study(program, folder, scene, seeds, long_factor):
    _, template, rays, _ = SCENES[scene]
    if template is not None:
        run(program, ["scenario", "generate", str(SOURCE / "configs" / "field.yaml"), *template, "-o", str(folder / f"{scene.replace(' ', '_')}.h5")])
    long_runs = []
    for i in range(LONG_RUNS):
        file = folder / "long.h5"
        run(program, ["raytrace", *settings_of(scene, rays * long_factor, 10**6 + i, folder), "-o", str(file), "-q"])
        name, flux, width_m, height_m = read_map(file)
        long_runs.append(flux)
    truths = {}
    rows = []
    for seed in range(1, seeds + 1):
        peak, error, area, pixel = peak_of(program, folder, settings_of(scene, rays, seed, folder), name)
        size = pixels_of(area, width_m, height_m, long_runs[0].shape)
        if size not in truths:
            truths[size] = true_peak(long_runs, *size)
        rows.append((peak, error, area, pixel, truths[size]))
    peak, error, area, pixel, truth = numpy.array(rows).T
    single = true_peak(long_runs, 1, 1)
    off, off_pixel = (peak - truth) / error, (peak - single) / error
    return {"truth": single, "area_m2": [area.min(), float(numpy.median(area)), area.max()], "relative_error": float((error / peak).mean()),
            "bias": off.mean(), "spread": off.std(), "cover": float((abs(off) < 1).mean()), "cover_2": float((abs(off) < 2).mean()),
            "bias_pixel": off_pixel.mean(), "cover_pixel": float((abs(off_pixel) < 1).mean()), "largest_pixel": float((pixel / single - 1).mean())}


def peak_of(program, folder, arguments, name):
    target = json.loads(run(program, ["raytrace", *arguments, "--set", "output=null", "--json", "-q"]))["targets"][name]
    return (target["peak_flux_w_m2"], target["peak_flux_std_error_w_m2"], target["peak_area_m2"], target["peak_pixel_w_m2"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program helioray")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where scenarios and long runs are written")
    parser.add_argument("--seeds", type=int, default=200, help="runs of each scene")
    parser.add_argument("--long", type=float, default=1000.0, help="rays of a long run over those of a run")
    parser.add_argument("--scene", action="append", choices=SCENES, help="only this scene; repeatable")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'scene':30} {'true':>8} {'area m2':>9} {'error':>7} {'bias':>6} {'spread':>6} {'1 s':>5} {'2 s':>5} | pixel: {'bias':>6} {'1 s':>5} | largest pixel")
    for scene in options.scene or SCENES:
        row = study(options.program, options.folder, scene, options.seeds, options.long)
        print(f"{scene:30} {row['truth'] / 1e3:8.3f} {row['area_m2'][1]:9.4f} {100 * row['relative_error']:6.2f}% {row['bias']:6.2f} {row['spread']:6.2f} "
              f"{100 * row['cover']:4.0f}% {100 * row['cover_2']:4.0f}% | {row['bias_pixel']:13.2f} {100 * row['cover_pixel']:4.0f}% | {100 * row['largest_pixel']:+8.1f}%", flush=True)


if __name__ == "__main__":
    main()
