#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the peak flux and its standard error with replicated runs, scene by scene.

    python scripts/studies/peak_flux.py --program build/release/bin/helioray --folder out/peak --seeds 200

Needs numpy and h5py. Every scene is traced with each seed, and twice with very many rays. The true peak is the largest pixel of the long runs: one of them chooses the pixel and the other measures
it, so that noise does not raise it. Where a pixel of the long runs is noisier than 0.6 %, the mean over 3 x 3 pixels with a correction for curvature takes its place. A line per scene: the true peak,
the mean area that a run states, the mean stated error and the root mean square of the real one, both in per cent of the peak; the mean bias in stated errors and the fraction of runs within one and
two of them, first for the largest pixel, then for the largest mean over the stated area; and how far the largest pixel of a run is off. A star marks a bias above a third or a fraction within one
error outside of 60 to 76 %.
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
NARROW = ("sun.shape={type: pillbox, half_angle_mrad: 1}", "optics.slope_error_mrad=0.3")
APERTURE = "targets={multi_focus_tower: {aperture: {center: [-17.6, -2.6, 52], normal: [0, 1, 0], radius_m: 0.6}}}"
SMALL = ("bitmap.width=128", "bitmap.height=128")
CYLINDER = ("bitmap.width=128", "bitmap.height=48")
FLAT = ("--heliostats", "40", "--set", "heliostat.facet_shape=flat", "--set", "heliostat.focal_length_m=null")
APART = "aim.heliostats={AA31: {point: [-18.4, -2.7446, 52.6]}, AA39: {point: [-16.8, -2.7446, 51.4]}}"
ROW = "aim.heliostats={AA31: {point: [-18.5, -2.7446, 52.0]}, AA39: {point: [-16.7, -2.7446, 52.0]}}"

# Name: configuration, template of the field (None: the scenario of the configuration), rays per heliostat, further settings.
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
    "narrow sun": (JUELICH, None, 1e5, (*SMALL, *NARROW)),
    "one heliostat": (JUELICH, None, 1e4, (*SMALL, "aim.active=[AA39]")),
    "apart": (JUELICH, None, 1e4, (*SMALL, APART)),
    "row": (JUELICH, None, 1e4, (*SMALL, ROW, GAUSS)),
    "wide target": (JUELICH, None, 1e4, ("aim.target=solar_tower_juelich_lower", "bitmap.width=200", "bitmap.height=100")),
    "cylinder sector": (JUELICH, None, 1e4, ("aim.target=receiver", "bitmap.width=96", "bitmap.height=120")),
    "low sun": (JUELICH, None, 1e4, (*SMALL, "sun.elevation_deg=12", "sun.azimuth_deg=110")),
    "cylinder, 60 heliostats": (FIELD, ("--heliostats", "60"), 1e4, CYLINDER),
    "cylinder, fine": (FIELD, ("--heliostats", "60"), 1e4, ("bitmap.width=512", "bitmap.height=192")),
    "plane, 40 focused heliostats": (FIELD, ("--heliostats", "40", *(word for key in PLANE for word in ("--set", key))), 1e4, SMALL),
    "disc, 40 focused heliostats": (FIELD, ("--heliostats", "40", *(word for key in DISC for word in ("--set", key))), 1e4, SMALL),
    "flat mirrors": (FIELD, FLAT, 1e4, CYLINDER),
    "200 heliostats": (FIELD, ("--heliostats", "200"), 1e4, CYLINDER),
    "quickstart 1e3": (JUELICH, None, 1e3, ()),
    "quickstart 1e7": (JUELICH, None, 1e7, ()),
    "narrow sun, more rays": (JUELICH, None, 1e6, (*SMALL, *NARROW)),
    "random sampling": (JUELICH, None, 1e5, (*SMALL, "tracing.sampling=random")),
    "random sampling, few rays": (JUELICH, None, 3e3, (*SMALL, "tracing.sampling=random")),
    "buie sun": (JUELICH, None, 3e4, (*SMALL, "sun.shape={type: buie, csr: 0.2}")),
    "few rays each": (FIELD, ("--heliostats", "200"), 100, CYLINDER),
    "aperture": (JUELICH, None, 1e5, (*SMALL, APERTURE)),
    "very coarse map": (JUELICH, None, 1e6, ("bitmap.width=12", "bitmap.height=12")),
    "oblong pixels": (JUELICH, None, 1e5, ("bitmap.width=400", "bitmap.height=40")),
    "one heliostat, more rays": (JUELICH, None, 1e6, (*SMALL, "aim.active=[AA39]")),
    "plane, more rays": (FIELD, ("--heliostats", "40", *(word for key in PLANE for word in ("--set", key))), 1e5, SMALL),
    "flat mirrors, narrow sun": (FIELD, FLAT, 1e4, (*CYLINDER, *NARROW)),
    "plane, no errors": (
        FIELD,
        ("--heliostats", "20", *(word for key in PLANE for word in ("--set", key))),
        1e4,
        (*SMALL, "sun.shape={type: pillbox, half_angle_mrad: 4.65}", "optics.slope_error_mrad=0"),
    ),
    "cylinder, more rays": (FIELD, ("--heliostats", "60"), 1e5, CYLINDER),
}
# Pixels of the long runs with a larger relative error than this are averaged over 3 x 3 pixels.
MOST_NOISE = 0.006


def make_arguments(scene, rays, seed, folder):
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
        target = max(result["targets"].values(), key=lambda target: target.attrs["power_w"])
        height, width = (abs(target[axis][1] - target[axis][0]) for axis in ("height_m", "width_m"))
        return target.name.rsplit("/", 1)[-1], target["flux"][()], target["flux_std_error"][()], width, height


def means(flux, width, height):
    """Returns the means over all rectangles of width x height pixels."""
    sums = numpy.zeros((flux.shape[0] + 1, flux.shape[1] + 1))
    sums[1:, 1:] = flux.cumsum(0).cumsum(1)
    return (sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]) / (width * height)


def smoothed(flux):
    """Returns means over 3 x 3 pixels, corrected for curvature with the means over 9 x 9 pixels."""
    small = means(flux, 3, 3)[3:-3, 3:-3]
    return small + (small - means(flux, 9, 9)) / 9


def true_peak(maps):
    """Returns the peak of two maps without the bias of noise: each map chooses the pixel that the other measures, and both values are averaged."""
    values = [measured.flat[choosing.argmax()] for choosing, measured in (maps, maps[::-1])]
    return float(numpy.mean(values))


def find_measured_pixels(area, width_m, height_m, shape):
    """Returns width and height of the square that a run reports; its sides are one pixel times powers of the root of 2."""
    side = max(width_m, height_m)
    while True:
        pixels = [max(1, min(int(side / metres + 0.5), most)) for metres, most in ((width_m, shape[1]), (height_m, shape[0]))]
        if abs(pixels[0] * pixels[1] * width_m * height_m / area - 1) < 1e-6:
            return tuple(pixels)
        side *= 2**0.5
        if side > 1e6:
            raise SystemExit(f"{area} m2 is not the area of a square of pixels")


def study(program, folder, scene, seeds, long_rays):
    _, template, rays, _ = SCENES[scene]
    heliostats = 3
    if template is not None:
        heliostats = int(template[1])
        run(program, ["scenario", "generate", str(SOURCE / "configs" / "field.yaml"), *template, "-o", str(folder / f"{scene.replace(' ', '_')}.h5")])
    long_runs = []
    for i in range(2):
        file = folder / "long.h5"
        run(program, ["raytrace", *make_arguments(scene, long_rays / heliostats, 10**6 + i, folder), "-o", str(file), "-q"])
        name, flux, error, width_m, height_m = read_map(file)
        long_runs.append(flux)
    noise = error.flat[flux.argmax()] / flux.max()
    single = true_peak(long_runs if noise < MOST_NOISE or min(flux.shape) < 9 else [smoothed(run_flux) for run_flux in long_runs])
    truths = {(1, 1): single}
    rows = []
    for seed in seeds:
        peak, error, area, pixel = read_peak(program, folder, make_arguments(scene, rays, seed, folder), name)
        size = find_measured_pixels(area, width_m, height_m, flux.shape)
        if size not in truths:
            truths[size] = true_peak([means(run_flux, *size) for run_flux in long_runs])
        rows.append((peak, error, area, pixel, truths[size]))
    peak, error, area, pixel, over_area = numpy.array(rows).T
    off, off_area = peak - single, peak - over_area
    return {"truth": single, "area_m2": area.mean(), "relative_error": error.mean() / single, "real_error": float(numpy.sqrt((off**2).mean())) / single,
            "bias": off.mean() / error.mean(), "cover": float((abs(off) < error).mean()), "cover_2": float((abs(off) < 2 * error).mean()),
            "bias_area": off_area.mean() / error.mean(), "cover_area": float((abs(off_area) < error).mean()), "largest_pixel": float((pixel / single - 1).mean())}


def read_peak(program, folder, arguments, name):
    target = json.loads(run(program, ["raytrace", *arguments, "--set", "output=null", "--json", "-q"]))["targets"][name]
    return (target["peak_flux_w_m2"], target["peak_flux_std_error_w_m2"], target["peak_area_m2"], target["peak_pixel_w_m2"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program helioray")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where scenarios and long runs are written")
    parser.add_argument("--seeds", type=int, default=200, help="runs of each scene")
    parser.add_argument("--first-seed", type=int, default=1001, help="seed of the first run")
    parser.add_argument("--long", type=float, default=2e8, help="rays of each of the two long runs")
    parser.add_argument("--scene", action="append", choices=SCENES, help="only this scene; repeatable")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    print(f"{'scene':30} {'true':>8} {'area m2':>9} {'error':>7} {'real':>7} {'bias':>6} {'1 s':>4} {'2 s':>5} | area: {'bias':>6} {'1 s':>4} | largest pixel")
    for scene in options.scene or SCENES:
        row = study(options.program, options.folder, scene, seeds, options.long)
        star = " *" if abs(row["bias"]) > 1 / 3 or not 0.6 <= row["cover"] <= 0.76 else ""
        print(f"{scene:30} {row['truth'] / 1e3:8.3f} {row['area_m2']:9.4f} {100 * row['relative_error']:6.2f}% {100 * row['real_error']:6.2f}% {row['bias']:6.2f} "
              f"{100 * row['cover']:4.0f}% {100 * row['cover_2']:4.0f}% | {row['bias_area']:12.2f} {100 * row['cover_area']:4.0f}% | {100 * row['largest_pixel']:+8.1f}%{star}", flush=True)


if __name__ == "__main__":
    main()
