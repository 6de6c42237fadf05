#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the SolTrace project of a small beam-down plant, for soltrace_hits.py beside this script.

  scripts/studies/soltrace_beam_down.py [--multihit 1] > plant.stinput

Three rings of spherical heliostats aim at the upper focus of the hyperboloid of tutorial 18, which sends their light to a disc in its
lower focus. With --multihit 1 a ray may meet the stage of the hyperboloid several times.
"""

import argparse
import math

UPPER_FOCUS_M, FOCI_DISTANCE_M, VERTEX_DISTANCE_M, RADIUS_M = 60.0, 54.0, 10.8, 14.0
RINGS = ((40.0, 12, 0.0), (50.0, 14, 0.5), (60.0, 18, 0.0))  # radius in m, heliostats, turn in spacings
PIVOT_HEIGHT_M, MIRROR_SIZE_M, DISC_DIAMETER_M = 2.0, 3.0, 6.0
SUN_ELEVATION = math.radians(60.0)
NO_SHAPE = ["0"] * 6


def unit(vector):
    length = math.hypot(*vector)
    return [part / length for part in vector]


def optic(name, reflectivity, slope_error_mrad):
    side = f"OPTICAL\tg\t3\t1\t4\t{reflectivity}\t1\t{slope_error_mrad}\t0\t1\t0\t0\t0\t0\t0"
    return [f"OPTICAL PAIR\t{name}", side, side]


def element(place, normal, aperture, surface, optics, comment=""):
    """A line of an element. aperture and surface: the kind and its first two values."""
    aim = [a + 100.0 * b for a, b in zip(place, normal)]
    fields = ["1", *place, *aim, "0", *aperture, *NO_SHAPE, *surface, *NO_SHAPE, "", optics, "2", comment]
    return "\t".join(map(str, fields))


def stage(name, multihit, elements):
    return [f"STAGE\tXYZ\t0\t0\t0\tAIM\t0\t0\t1\tZROT\t0\tVIRTUAL\t0\tMULTIHIT\t{multihit}\tELEMENTS\t{len(elements)}\tTRACETHROUGH\t0", name, *elements]


def heliostats(sun):
    for radius, count, turn in RINGS:
        for i in range(count):
            azimuth = 2.0 * math.pi * (i + turn) / count
            place = [radius * math.sin(azimuth), radius * math.cos(azimuth), PIVOT_HEIGHT_M]
            to_focus = [-place[0], -place[1], UPPER_FOCUS_M - place[2]]
            normal = unit([a + b for a, b in zip(unit(to_focus), sun)])
            curvature = 0.5 / math.hypot(*to_focus)
            yield element(place, normal, ("r", MIRROR_SIZE_M, MIRROR_SIZE_M), ("s", curvature, curvature), "Heliostat")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--multihit", type=int, choices=(0, 1), default=0)
    options = parser.parse_args()
    sun = [0.0, -math.cos(SUN_ELEVATION), math.sin(SUN_ELEVATION)]
    # A hyperboloid with the semi-axis a and the distance c of its foci from its centre.
    c, a = 0.5 * FOCI_DISTANCE_M, 0.5 * FOCI_DISTANCE_M - VERTEX_DISTANCE_M
    hyperboloid = ("o", a / (c * c - a * a), 1.0 - (c / a) ** 2)
    up = [0.0, 0.0, 1.0]
    field = list(heliostats(sun))
    top = element([0.0, 0.0, UPPER_FOCUS_M - VERTEX_DISTANCE_M], up, ("c", 2.0 * RADIUS_M, 0), hyperboloid, "Secondary", "hyperboloid")
    disc = element([0.0, 0.0, UPPER_FOCUS_M - FOCI_DISTANCE_M], up, ("c", DISC_DIAMETER_M, 0), ("f", 0, 0), "Absorber", "disc")
    lines = ["# SOLTRACE VERSION 3.1.0 INPUT FILE", "SUN\tPTSRC\t0\tSHAPE\tp\tSIGMA\t2.73\tHALFWIDTH\t4.65",
             "\t".join(map(str, ("XYZ", *(100.0 * part for part in sun), "USELDH", 0, "LDH", 39.5, 90, 10))), "USER SHAPE DATA\t0",
             "OPTICS LIST COUNT\t3", *optic("Heliostat", 0.93, 1.5), *optic("Secondary", 0.95, 1), *optic("Absorber", 0, 0), "STAGE LIST COUNT\t3",
             *stage("Field", 1, field), *stage("Top", options.multihit, [top]), *stage("Ground", 1, [disc])]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
