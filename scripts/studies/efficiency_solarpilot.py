#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares efficiency and flux with those that NREL's SolarPILOT computes for the fields that it lays out.

    PYTHONPATH=build/release/lib/python .venv/bin/python scripts/studies/efficiency_solarpilot.py --receivers cylinder

Needs nrel-pysam. SolarPILOT lays out a field for an external cylinder and one for a cavity, whose aperture it computes, and gives the
efficiency and the flux by column for suns of a year. HelioRay traces the same heliostats, optics and suns. The column "its rule" replaces the
shading and blocking of each heliostat by the rule of SolarPILOT, which adds up the rectangles that single neighbours cut out of a mirror.
app/validation/README.md has the figures.
"""

import argparse
import datetime
import pathlib
import tempfile

import numpy
import PySAM.Solarpilot

import helioray as hr

LATITUDE_DEG, TOWER_M, DNI, SIZE_M, FACETS, SLOPE_MRAD, REFLECTIVITY = 35.0, 100.0, 950.0, 12.2, (2, 8), 1.53, 0.9
LENGTH_M, DIAMETER_M = 10.0, 8.0  # of the cylinder; the aperture is a square of this length
AIR = (0.006789, 0.1046, -0.0170, 0.002845)  # lost by powers of the distance in km
COLUMNS, ROWS = 36, 15
COSTS = {"tower_fixed_cost": 3e6, "tower_exp": 0.0113, "rec_ref_cost": 1e8, "rec_ref_area": 1571, "rec_cost_exp": 0.7, "site_spec_cost": 16,
         "heliostat_spec_cost": 140, "land_spec_cost": 1e4, "contingency_rate": 7, "sales_tax_rate": 5, "sales_tax_frac": 80, "cost_sf_fixed": 0,
         "opt_flux_penalty": 0.25, "csp_pt_sf_fixed_land_area": 45, "csp_pt_sf_land_overhead_factor": 1}


def write_weather(file):
    """Writes a year without clouds in SAM's format. SolarPILOT uses the irradiance for its choice of heliostats alone."""
    hours = (datetime.datetime(2023, 1, 1) + datetime.timedelta(hours=i) for i in range(8760))
    lines = ["Source,Location ID,City,State,Country,Latitude,Longitude,Time Zone,Elevation", f"none,1,none,none,none,{LATITUDE_DEG},-117,-8,600",
             "Year,Month,Day,Hour,Minute,DNI,DHI,GHI,Dry Bulb,Dew Point,Pressure,Wind Speed"]
    lines += [f"{hour:%Y,%m,%d,%H},30,{DNI if 6 <= hour.hour < 18 else 0},60,500,20,8,950,2" for hour in hours]
    file.write_text("\n".join(lines) + "\n")
    return file


def ask_solarpilot(receiver, weather, **inputs):
    """Outputs of SolarPILOT, with an absorptance of 1, so that its efficiency counts the light that arrives."""
    model = PySAM.Solarpilot.new()
    values = {"solar_resource_file": str(weather), "receiver_type": 0 if receiver == "cylinder" else 1, "rec_height": LENGTH_M,
              "rec_aspect": LENGTH_M / DIAMETER_M, "cav_rec_height": LENGTH_M, "cav_rec_width": LENGTH_M, "cav_rec_span": 180, "n_cav_rec_panels": 4,
              "h_tower": TOWER_M, "q_design": 60, "land_min": 0.75, "land_max": 9.5, "dni_des": DNI, "rec_absorptance": 1, "rec_hl_perm2": 30, "flux_max": 1000,
              "helio_width": SIZE_M, "helio_height": SIZE_M, "n_facet_x": FACETS[0], "n_facet_y": FACETS[1], "cant_type": 1, "focus_type": 1,
              "helio_optical_error": SLOPE_MRAD / 1000, "helio_reflectance": REFLECTIVITY, "helio_active_fraction": 1, "dens_mirror": 0.97,
              **{f"c_atm_{i}": value for i, value in enumerate(AIR)}, "calc_fluxmaps": 1, "n_flux_x": COLUMNS, "n_flux_y": 1, **COSTS, **inputs}
    for name, value in values.items():
        setattr(model.SolarPILOT, name, value)
    model.execute(0)
    return model.export()["Outputs"]


def trace(positions, receiver, suns, rays, length=LENGTH_M, pixels=(COLUMNS, ROWS), aims=None):
    """HelioRay's series for the same plant; SolarPILOT counts heights from the pivots and has no tower that shades. aims: points, or the default."""
    kind = {"type": "cylinder", "radius_m": DIAMETER_M / 2} if receiver == "cylinder" else {"type": "plane", "width_m": LENGTH_M, "azimuth_deg": 0}
    table = {"name": [f"H{i:05d}" for i in range(len(positions))], "x": positions[:, 0], "y": positions[:, 1]}
    heliostat = {"width_m": SIZE_M, "height_m": SIZE_M, "facets": list(FACETS), "pivot_height_m": 0, "slant_step_m": 0.01}
    plant = hr.from_layout(table, tower={"optical_height_m": TOWER_M}, receiver=kind | {"height_m": length}, heliostat=heliostat)
    aim = {"target": "receiver", "heliostats": {name: {"point": point.tolist()} for name, point in zip(table["name"], () if aims is None else aims)}}
    air = {"model": "polynomial", "coefficients": [1 - AIR[0], *(-value for value in AIR[1:])]}
    return hr.trace_series(plant, {"azimuth": suns[:, 0], "elevation": suns[:, 1], "dni": numpy.full(len(suns), DNI)}, rays=rays, aim=aim,
                           sun_shape=hr.LimbDarkened(), device="cpu", progress=False, bitmap=dict(zip(("width", "height"), pixels)),
                           optics={"reflectivity": REFLECTIVITY, "slope_error_mrad": SLOPE_MRAD, "attenuation": air})


def unit(vectors):
    return vectors / numpy.linalg.norm(vectors, axis=-1, keepdims=True)


def losses_by_rule(places, normals, directions):
    """Fractions of the mirrors that neighbours take away in a direction for each mirror, by SolarPILOT's rule (SolarField::calcShadowBlock).

    A neighbour takes the rectangle below its upper corners, as they appear on the mirror; all rectangles of a mirror are added up."""
    side = unit(numpy.cross(normals, [0.0, 0.0, 1.0]))
    up = numpy.cross(side, normals)
    corners = places[:, None] + 0.5 * SIZE_M * (up[:, None] + side[:, None] * numpy.array([[-1.0], [1.0]]))
    lost = numpy.zeros(len(places))
    for i, (place, normal, direction) in enumerate(zip(places, normals, directions)):
        to_other = places - place
        reach = SIZE_M * (numpy.hypot(normals[:, 0], normals[:, 1]) * numpy.hypot(*direction[:2]) / direction[2] + normals[:, 2])
        near = (to_other @ direction >= 0) & (numpy.linalg.norm(to_other, axis=1) <= numpy.minimum(reach, 100 * SIZE_M))
        near[i] = False
        seen = corners[near] - place
        seen -= direction * ((seen @ normal) / (direction @ normal))[..., None]
        across, above = seen @ side[i] / SIZE_M, seen @ up[i] / SIZE_M
        inside = (numpy.abs(across) < 0.5) & (numpy.abs(above) < 0.5)
        both = inside.all(1)
        lost[i] = numpy.sum((0.5 + above[both].mean(1)) * numpy.abs(across[both, 0] - across[both, 1]))
        for k in range(2):
            one = inside[:, k] & ~both
            wide = numpy.where(across[one, 1 - k] > 0.5, 0.5 - across[one, k], 0.5 + across[one, k])
            lost[i] += numpy.sum((0.5 + above[one, k]) * wide)
    return numpy.minimum(lost, 1)


def efficiencies(data, positions, receiver, suns):
    """Efficiencies of the field as traced, their largest standard error, and with shading and blocking by SolarPILOT's rule."""
    solar = data["solar_power"].sum("heliostat").to_numpy()
    traced, errors = (data[name].to_numpy() / solar for name in ("power_w_receiver", "power_std_error_w_receiver"))
    places = numpy.column_stack([positions, numpy.zeros(len(positions))])
    aims = numpy.array([0, 0, TOWER_M]) + (0.5 * DIAMETER_M * unit(places) if receiver == "cylinder" else 0)
    to_aim, by_rule = unit(aims - places), []
    for step, (azimuth, elevation) in enumerate(numpy.radians(suns)):
        to_sun = numpy.array([numpy.sin(azimuth) * numpy.cos(elevation), numpy.cos(azimuth) * numpy.cos(elevation), numpy.sin(elevation)])
        normals = unit(to_aim + to_sun)
        power = {name: data[name].to_numpy()[step] for name in ("solar_power", "cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "target_power")}
        received = power["solar_power"] - power["cosine_loss"]
        lit = numpy.maximum(received - power["shading_loss"], 1e-9)  # W; mirrors in the dark bring nothing
        reflected = lit - power["reflection_loss"]
        unshaded = received / lit * reflected / numpy.maximum(reflected - power["blocking_loss"], 1e-9)
        passed = (1 - losses_by_rule(places, normals, numpy.broadcast_to(to_sun, places.shape))) * (1 - losses_by_rule(places, normals, to_aim))
        by_rule.append(numpy.sum(power["target_power"] * unshaded * passed) / solar[step])
    return traced, errors.max(), numpy.array(by_rule)


def report(name, chosen, expected, *found):
    """Prints the differences of the chosen suns in points of efficiency."""
    if chosen.any():
        differences = (100 * (values - expected)[chosen] for values in found)
        numbers = "  ".join(f"{values.mean():8.2f} {values[numpy.abs(values).argmax()]:8.2f}" for values in differences)
        print(f"{name:42s} {chosen.sum():4d} {100 * expected[chosen].mean():8.2f} {numbers}", flush=True)


def compare(receiver, weather, options):
    grid = {"n_flux_days": options.days, "delta_flux_hrs": options.hours}
    layout = ask_solarpilot(receiver, weather, q_design=options.power_mw, **grid)
    positions = numpy.array(layout["heliostat_positions"])
    # In the table of the layout, heliostats that it discarded still shade and block.
    given = ask_solarpilot(receiver, weather, helio_positions_in=positions.tolist(), **grid)
    table = numpy.array(given["opteff_table"])
    suns, expected = numpy.column_stack([(table[:, 0] + 180) % 360, 90 - table[:, 1]]), table[:, 2]
    data = trace(positions, receiver, suns, options.rays).dataset
    traced, error, ruled = efficiencies(data, positions, receiver, suns)
    discarded = 100 * (table - numpy.array(layout["opteff_table"]))[:, 2].max()
    print(f"{receiver}: {len(positions)} heliostats, largest standard error {100 * error:.2f} points, by discarded heliostats {discarded:.2f} points")
    for low, high in ((45, 90), (30, 45), (15, 30), (0, 15)):
        report(f"{receiver}, sun at {low} to {high} degrees", (suns[:, 1] >= low) & (suns[:, 1] < high), expected, traced, ruled)

    # Heliostats that are so far apart that they do not shade each other: cosine, attenuation and spillage remain.
    apart = positions[:1]
    for position in positions[numpy.random.default_rng(1).permutation(len(positions))]:
        if numpy.linalg.norm(apart - position, axis=1).min() > 12 * SIZE_M:
            apart = numpy.vstack([apart, position])
    alone = numpy.array(ask_solarpilot(receiver, weather, helio_positions_in=apart.tolist(), **grid)["opteff_table"])[:, 2]
    few = trace(apart, receiver, suns, 20 * options.rays).dataset
    report(f"{receiver}, {len(apart)} heliostats that stand alone", suns[:, 1] >= 15, alone, *efficiencies(few, apart, receiver, suns)[::2])

    # SolarPILOT's columns are points at half height, and the sum of a row is 1.
    columns, noise = (data[name].to_numpy()[:, ROWS // 2] for name in ("flux_receiver", "flux_std_error_receiver"))
    noise = noise / columns.sum(1, keepdims=True)
    difference = numpy.abs(columns / columns.sum(1, keepdims=True) - numpy.array(given["flux_table"])).sum(1) / 2
    print(f"{receiver}, light in other columns at half height: {100 * difference.mean():.2f} %, by noise alone "
          f"{100 * numpy.sqrt(2 / numpy.pi) * noise.sum(1).mean() / 2:.2f} %", flush=True)
    if receiver == "cylinder":
        compare_peak(positions, weather, options)


def compare_peak(positions, weather, options):
    """Compares the peak on a receiver so low that SolarPILOT aims at half height, in the middles of columns.

    SolarPILOT takes the flux in the middles of 20 x 15 cells and scales their sum to the power."""
    length, cells = 3.0, (20, 15)
    peak = ask_solarpilot("cylinder", weather, helio_positions_in=positions.tolist(), calc_fluxmaps=0, check_max_flux=1, rec_height=length,
                          rec_aspect=length / DIAMETER_M)["flux_max_observed"]
    noon = numpy.array([[180.0, 90 - LATITUDE_DEG]])  # of an equinox, SolarPILOT's default
    width = 2 * numpy.pi / cells[0]
    azimuths = (numpy.floor(numpy.arctan2(positions[:, 0], positions[:, 1]) / width) + 0.5) * width
    aims = numpy.column_stack([DIAMETER_M / 2 * numpy.sin(azimuths), DIAMETER_M / 2 * numpy.cos(azimuths), numpy.full(len(azimuths), TOWER_M)])
    for name, points in (("each at its nearest point", None), ("at the middles of columns", aims)):
        run = trace(positions, "cylinder", noon, 5 * options.rays, length, (3 * cells[0], 3 * cells[1]), points)[0]
        fine = run.array("receiver")
        means, middles = fine.reshape(cells[1], 3, cells[0], 3).mean((1, 3)), fine[1::3, 1::3]
        # kW/m2; SolarPILOT's mirrors reflect on 0.97 of their area.
        cell, sample = (0.97e-3 * flux for flux in (means.max(), middles.max() * means.sum() / middles.sum()))
        print(f"cylinder {length:g} m high, noon of an equinox, {name}: largest cell {cell:.0f}, as SolarPILOT samples it {sample:.0f}, "
              f"SolarPILOT {peak:.0f} kW/m2", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--receivers", nargs="+", choices=("cylinder", "cavity"), default=["cylinder", "cavity"])
    parser.add_argument("--power-mw", type=float, default=50, help="thermal power that SolarPILOT lays out the field for")
    parser.add_argument("--days", type=int, default=3, help="days from solstice to solstice")
    parser.add_argument("--hours", type=int, default=3, help="hours between suns of a day")
    parser.add_argument("--rays", type=float, default=1000, help="rays of each heliostat")
    options = parser.parse_args()
    print("efficiency in %; differences in points of efficiency, HelioRay less SolarPILOT: mean and largest; with SolarPILOT's rule of shading\n"
          f"{'':42s} suns SolarPILOT   mean  largest  its rule: mean, largest")
    with tempfile.TemporaryDirectory() as folder:
        weather = write_weather(pathlib.Path(folder) / "weather.csv")
        for receiver in options.receivers:
            compare(receiver, weather, options)


if __name__ == "__main__":
    main()
