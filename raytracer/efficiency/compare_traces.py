# SPDX-License-Identifier: MIT
"""Compares a table of efficiencies with direct traces at positions of the sun that it does not have.

    PYTHONPATH=build/release/lib/python .venv/bin/python raytracer/efficiency/compare_traces.py --heliostats 245 --positions 16

The plant is that of tutorial 15 with as many heliostats, the table has the positions that are usual, and the others are drawn uniformly
in azimuth and elevation. README.md has the figures.
"""

import argparse
import pathlib

import numpy

import helioray as hr

TUTORIAL = pathlib.Path(__file__).parents[2] / "tutorials/15_plant_models"
KEYS = {"sun_shape": hr.Buie(0.02), "target": "receiver", "optics": {"reflectivity": 0.9, "slope_error_mrad": 1.5, "attenuation": "mirval"}, "device": "cpu"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heliostats", type=int, default=245)
    parser.add_argument("--positions", type=int, default=16)
    parser.add_argument("--rays", type=float, default=1e4)
    options = parser.parse_args()

    plant = hr.generate(TUTORIAL / "plant.yaml", heliostats=options.heliostats)
    table = hr.efficiency(plant, rays=options.rays, progress=False, **KEYS)
    arrays = table.table
    azimuths, elevations = arrays["azimuth_deg"], arrays["elevation_deg"]

    def at(azimuth, elevation):
        """Interpolated efficiency, its stated error from interpolation and its standard error: the largest of the four corners."""
        i, k = numpy.searchsorted(azimuths, azimuth, "right") - 1, numpy.searchsorted(elevations, elevation, "right") - 1
        step = (azimuths[(i + 1) % len(azimuths)] - azimuths[i]) % 360
        s, t = (azimuth - azimuths[i]) / step, (elevation - elevations[k]) / (elevations[k + 1] - elevations[k])
        cell = numpy.ix_([i, (i + 1) % len(azimuths)], [k, k + 1])
        weights = numpy.outer([1 - s, s], [1 - t, t])
        return (weights * arrays["efficiency"][cell]).sum(), arrays["interpolation_error"][cell].max(), arrays["efficiency_std_error"][cell].max()

    random = numpy.random.default_rng(1)
    suns = [(random.uniform(0, 360), random.uniform(elevations[0], elevations[-1])) for _ in range(options.positions)]
    print("azimuth elevation   traced    table  difference   stated   std errors  (efficiencies in %, the others in points)")
    differences, beyond = [], 0
    for azimuth, elevation in suns:
        run = hr.trace(plant, sun=(azimuth, elevation), rays=options.rays, progress=False, **KEYS)
        solar = run.energy["solar_power"]
        traced, traced_error = run.energy["target_power"] / solar, run.targets["power_std_error_w"].sum() / solar
        found, stated, std_error = at(azimuth, elevation)
        differences.append(found - traced)
        beyond += abs(found - traced) > stated + 3 * (std_error + traced_error)
        print(f"{azimuth:7.2f} {elevation:9.2f} {100 * traced:8.3f} {100 * found:8.3f} {100 * (found - traced):11.3f} {100 * stated:8.3f} "
              f"{100 * (std_error + traced_error):12.3f}")
    print(f"largest difference {100 * max(map(abs, differences)):.3f}, rms {100 * numpy.sqrt(numpy.mean(numpy.square(differences))):.3f} points; "
          f"{beyond} of {len(suns)} beyond the stated error and three standard errors")


if __name__ == "__main__":
    main()
