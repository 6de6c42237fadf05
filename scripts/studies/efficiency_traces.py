# SPDX-License-Identifier: MIT
"""Compares tables of efficiencies with direct traces at positions of the sun that they do not have.

    PYTHONPATH=build/release/lib/python .venv/bin/python scripts/studies/efficiency_traces.py --fields north --grids usual --positions 600

Fields have the heliostats and the optics of tutorial 15. Suns are drawn uniformly in azimuth and elevation within the table; with grid
year uniformly over the year and the day, where the sun is higher than 10 degrees. README.md has the figures.
"""

import argparse
import pathlib

import numpy

import helioray as hr

TEMPLATE = pathlib.Path(__file__).parents[2] / "tutorials/15_plant_models/plant.yaml"
KEYS = {"sun_shape": hr.Buie(0.02), "target": "receiver", "optics": {"reflectivity": 0.9, "slope_error_mrad": 1.5, "attenuation": "mirval"},
        "bitmap": {"width": 4, "height": 4}, "device": "cpu", "progress": False}


def sector(first, last, heliostats, height, **more):
    """Heliostats between two azimuths about a tower whose receiver stands at a height."""
    return {"heliostats": heliostats, "layout": {"azimuth_from_deg": first, "azimuth_to_deg": last},
            "tower": {"optical_height_m": height, "height_m": height - 4, "radius_m": 2}, **more}


FIELDS = {
    "north": sector(-75, 75, 245, 40),
    "surround": sector(-180, 180, 300, 60),
    "south": sector(105, 255, 200, 60, site={"latitude_deg": -30}),
    "east": sector(45, 135, 40, 41),
    "west": sector(225, 315, 40, 41),
    "tall": sector(-180, 180, 40, 90),
}
GRIDS = {
    "usual": {},
    "solarpilot": {"grid": "solarpilot"},
    "year": {"grid": "year"},
    "fine": {"azimuths": range(0, 360, 5), "elevations": [5, 8, 11, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90]},
    "coarse": {"azimuths": range(0, 360, 45), "elevations": [10, 30, 60, 90]},
}


def uniform_suns(random, count, low, high):
    return random.uniform(0, 360, count), random.uniform(low, high, count)


def suns_of_year(random, count, latitude_deg, low):
    """Azimuths and elevations in degrees at hour angles and ecliptic longitudes of the sun that are drawn uniformly."""
    latitude = numpy.radians(latitude_deg)
    declination = numpy.arcsin(numpy.sin(numpy.radians(23.44)) * numpy.sin(random.uniform(0, 2 * numpy.pi, 10 * count)))
    hour = random.uniform(-numpy.pi, numpy.pi, 10 * count)
    east = -numpy.cos(declination) * numpy.sin(hour)
    north = numpy.cos(latitude) * numpy.sin(declination) - numpy.sin(latitude) * numpy.cos(declination) * numpy.cos(hour)
    up = numpy.sin(latitude) * numpy.sin(declination) + numpy.cos(latitude) * numpy.cos(declination) * numpy.cos(hour)
    seen = numpy.flatnonzero(up > numpy.sin(numpy.radians(low)))[:count]
    return numpy.degrees(numpy.arctan2(east, north))[seen] % 360, numpy.degrees(numpy.arcsin(up))[seen]


def read_table(arrays, azimuth, elevation):
    """Interpolated efficiency of a table around the plant, its error from interpolation and its standard error: the largest of the four corners."""
    azimuths, elevations = arrays["azimuth_deg"], arrays["elevation_deg"]
    i, k = numpy.searchsorted(azimuths, azimuth, "right") - 1, numpy.searchsorted(elevations, elevation, "right") - 1
    after = (i + 1) % len(azimuths)
    s = (azimuth - azimuths[i]) / ((azimuths[after] - azimuths[i]) % 360)
    t = (elevation - elevations[k]) / (elevations[k + 1] - elevations[k])
    corners = [(i, k, (1 - s) * (1 - t)), (i, k + 1, (1 - s) * t), (after, k, s * (1 - t)), (after, k + 1, s * t)]
    efficiency = sum(weight * arrays["efficiency"][m, n] for m, n, weight in corners)
    return efficiency, *(numpy.max([arrays[name][m, n] for m, n, _ in corners], axis=0) for name in ("interpolation_error", "efficiency_std_error"))


def compare(field, grid, options):
    plant = hr.generate(TEMPLATE, **FIELDS[field])
    tower = FIELDS[field]["tower"]
    keys = KEYS | {"obstacles": [{"name": "tower", "type": "cylinder", "base": [0, 0, 0], "radius_m": tower["radius_m"], "height_m": tower["height_m"]}]}
    arrays = hr.efficiency(plant, rays=options.rays, checks=options.checks or grid == "year", **GRIDS[grid], **keys).table
    random = numpy.random.default_rng(options.seed)
    low, high = arrays["elevation_deg"][[0, -1]]
    if grid == "year":
        azimuth, elevation = suns_of_year(random, options.positions, FIELDS[field].get("site", {}).get("latitude_deg", 37.1), low)
    else:
        azimuth, elevation = uniform_suns(random, options.positions, low, high)
    suns = {"azimuth": azimuth, "elevation": elevation, "dni": numpy.full(len(azimuth), 1000.0)}
    series = hr.trace_series(plant, suns, rays=options.rays, **keys)
    solar = series.steps["solar_power"].to_numpy()
    traced, traced_error = (series.dataset[name].to_numpy() / solar for name in ("power_w_receiver", "power_std_error_w_receiver"))
    found, stated, std_error = read_table(arrays, azimuth, elevation)
    difference = numpy.abs(found - traced)
    within = difference <= stated
    ratio = difference / (stated + 2 * (std_error + traced_error))
    print(f"{field:9s} {grid:11s} {100 * difference.max():7.2f} {100 * numpy.sqrt(numpy.mean(difference ** 2)):7.2f} {100 * numpy.median(stated):7.2f} "
          f"{numpy.median(stated / difference):7.1f} {100 * within.mean():8.1f} {100 * (ratio <= 1).mean():8.1f} {ratio.max():7.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", nargs="+", choices=FIELDS, default=list(FIELDS))
    parser.add_argument("--grids", nargs="+", choices=GRIDS, default=["usual"])
    parser.add_argument("--positions", type=int, default=600)
    parser.add_argument("--rays", type=float, default=1e4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-checks", dest="checks", action="store_false", help="tables without check positions")
    options = parser.parse_args()
    print("differences and stated interpolation errors in points of efficiency; shares in % of suns within the stated error, and within it and\n"
          "two standard errors of table and trace; worst: largest difference as a share of the latter\n"
          "field     grid        largest     rms  stated stated/difference (medians)  within  with rays  worst")
    for grid in options.grids:
        for field in options.fields:
            compare(field, grid, options)


if __name__ == "__main__":
    main()
