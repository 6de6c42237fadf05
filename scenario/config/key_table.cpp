// SPDX-License-Identifier: MIT
// The table of keys.
#include "scenario/config/key_table.h"

namespace helioray {

const std::vector<KeyInfo>& known_keys() {
    // path, meaning, unit, range, default, example
    // clang-format off
    static const std::vector<KeyInfo> keys{
        {"scenario", "scenario file (HDF5), relative to this file", "-", "existing file", "required", "plant.h5"},

        {"sun.azimuth_deg", "azimuth of the sun, clockwise from north; with `elevation_deg`", "deg", "-360 to 360", "one of six forms required", "180.0"},
        {"sun.elevation_deg", "elevation of the sun above the horizon; with `azimuth_deg`", "deg", "above 0 to 90", "one of six forms required", "45.0"},
        {"sun.time", "date and time with offset from UTC; the sun's position follows from the plant's", "-", "ISO 8601 with offset", "one of six forms required", "2026-06-21T12:00:00+02:00"},
        {"sun.incident_direction", "direction in which sunlight travels: east, north, up; any length", "-", "up component below 0", "one of six forms required", "[0.0, 0.7, -0.7]"},
        {"sun.dni_w_m2", "direct normal irradiance", "W/m2", "above 0 to 10000", "1000", "850.0"},
        {"sun.times", "several times, in this order; or a range of them, see below", "-", "list of ISO 8601 with offset", "one of six forms required", "[\"2026-06-21T09:00:00+02:00\", \"2026-06-21T12:00:00+02:00\"]"},
        {"sun.times.start", "first time of a range", "-", "ISO 8601 with offset", "required for a range", "2026-06-21T06:00:00+02:00"},
        {"sun.times.end", "last time of a range", "-", "ISO 8601 with offset", "required for a range", "2026-06-21T20:00:00+02:00"},
        {"sun.times.step_minutes", "time between two steps of a range", "min", "a second to a year", "required for a range", "60"},
        {"sun.positions[].azimuth_deg", "azimuth of one of several positions, clockwise from north", "deg", "-360 to 360", "required in every entry", "180.0"},
        {"sun.positions[].elevation_deg", "elevation of one of several positions", "deg", "above 0 to 90", "required in every entry", "45.0"},
        {"sun.positions[].dni_w_m2", "irradiance at one of several positions", "W/m2", "above 0 to 10000", "`sun.dni_w_m2`", "850.0"},
        {"sun.file", "CSV file of several positions, relative to this file", "-", "existing file", "one of six forms required", "suns.csv"},
        {"sun.shape.type", "angular distribution of the sun's radiance", "-", "gaussian, pillbox, buie, limb_darkened, collimated, table", "the scenario's light source", "gaussian"},
        {"sun.shape.sigma_mrad", "`gaussian`: standard deviation per axis", "mrad", "0 to 500", "required for `gaussian`", "2.09"},
        {"sun.shape.half_angle_mrad", "`pillbox`: angular radius of the disk", "mrad", "0 to 500", "required for `pillbox`", "4.65"},
        {"sun.shape.csr", "`buie`: circumsolar ratio", "-", "0 to below 0.8", "required for `buie`", "0.05"},
        {"sun.shape.calibration", "`buie`: how its parameter follows from the ratio: so that the ratio is met (`exact`), or by other programs' polynomials", "-", "exact, tonatiuh, tracer", "exact", "tonatiuh"},
        {"sun.shape.file", "`table`: CSV file of angle in mrad and relative radiance, relative to this file", "-", "existing file", "required for `table`", "csr5.csv"},

        {"aim.target", "target of all heliostats", "-", "a target of the scenario", "none: every active heliostat names its own", "receiver"},
        {"aim.point", "aim point of all heliostats: east, north, up", "m", "finite", "the target's centre", "[0.0, 0.0, 55.0]"},
        {"aim.active", "heliostats that reflect: `all` or a list of names; the others only shade and block", "-", "heliostats of the scenario", "all", "[AA31, AA39]"},
        {"aim.heliostats.<name>.target", "target of this heliostat", "-", "a target of the scenario", "`aim.target`", "multi_focus_tower"},
        {"aim.heliostats.<name>.point", "aim point of this heliostat: east, north, up; not with `motor_positions`", "m", "finite", "`aim.point`, else the target's centre", "[-17.6, -2.7, 52.0]"},
        {"aim.heliostats.<name>.motor_positions", "positions of its two motors, instead of aiming at a point", "steps or rad", "the actuators' range", "none: it aims", "[16963, 72374]"},

        {"optics.reflectivity", "share of the power that the mirrors reflect", "-", "0 to 1", "0.935", "0.935"},
        {"optics.slope_error_mrad", "Gaussian slope error: standard deviation of the surface normal about each tangent", "mrad", "0 to 500", "0", "1.3"},
        {"optics.slope_error.type", "slope error as a distribution, instead of `slope_error_mrad`", "-", "gaussian, pillbox", "none", "pillbox"},
        {"optics.slope_error.sigma_mrad", "`gaussian`: standard deviation about each tangent", "mrad", "0 to 500", "required for `gaussian`", "1.3"},
        {"optics.slope_error.half_angle_mrad", "`pillbox`: largest tilt of the normal", "mrad", "0 to 500", "required for `pillbox`", "1.0"},
        {"optics.specularity_error_mrad", "Gaussian specularity error: standard deviation of the reflected ray about each axis", "mrad", "0 to 500", "0", "0.5"},
        {"optics.specularity_error.type", "specularity error as a distribution, instead of `specularity_error_mrad`", "-", "gaussian, pillbox", "none", "gaussian"},
        {"optics.specularity_error.sigma_mrad", "`gaussian`: standard deviation about each axis", "mrad", "0 to 500", "required for `gaussian`", "0.5"},
        {"optics.specularity_error.half_angle_mrad", "`pillbox`: largest deflection of the ray", "mrad", "0 to 500", "required for `pillbox`", "0.8"},
        {"optics.tracking_error_mrad", "Gaussian tracking error per axis, drawn once per heliostat from the seed", "mrad", "0 to 500", "0", "0.6"},
        {"optics.attenuation", "atmospheric attenuation over the slant range, short form of `attenuation.model`", "-", "none, mirval, vittitoe_biggs_clear, vittitoe_biggs_hazy", "none", "mirval"},
        {"optics.attenuation.model", "model of the attenuation", "-", "none, mirval, vittitoe_biggs_clear, vittitoe_biggs_hazy, exponential, polynomial", "none", "exponential"},
        {"optics.attenuation.per_km", "`exponential`: extinction coefficient", "1/km", "0 to 100", "required for `exponential`", "0.11"},

        {"optics.attenuation.coefficients", "`polynomial`: transmittance by powers of the slant range in km, constant first", "-", "1 to 5 numbers; from at most 1 down to at least 0 within 3 km", "required for `polynomial`", "[0.99321, -0.1176, 0.0197]"},

        {"targets.<name>.aperture.center", "centre of a window that reflected light must pass: east, north, up", "m", "finite", "required for `aperture`", "[0.0, 3.0, 55.0]"},
        {"targets.<name>.aperture.normal", "direction in which the window faces, towards the heliostats; any length", "-", "not 0", "required for `aperture`", "[0.0, 1.0, 0.0]"},
        {"targets.<name>.aperture.radius_m", "round window: its radius", "m", "above 0 to 1e6", "this or width and height required", "2.0"},
        {"targets.<name>.aperture.width_m", "rectangular window: its extent along the horizontal; with `height_m`", "m", "above 0 to 1e6", "this pair or a radius required", "3.0"},
        {"targets.<name>.aperture.height_m", "rectangular window: its extent across the horizontal; with `width_m`", "m", "above 0 to 1e6", "this pair or a radius required", "2.5"},
        {"targets.<name>.outline_m", "convex outline on a planar target: only light inside of it counts; corners [right, up] from its centre, seen from the front", "m", "3 to 64 corners", "none: the whole target", "[[-1, -1], [1, -1], [0, 1]]"},

        {"obstacles[].name", "name of the body, for messages", "-", "each once", "obstacle_1, obstacle_2, ...", "tower"},
        {"obstacles[].type", "shape of the body", "-", "cylinder, box", "required", "cylinder"},
        {"obstacles[].base", "`cylinder`: centre of its lower end: east, north, up", "m", "finite", "required for `cylinder`", "[0.0, 0.0, 0.0]"},
        {"obstacles[].axis", "`cylinder`: direction from the lower to the upper end; any length", "-", "not 0", "[0, 0, 1]", "[0.0, 0.0, 1.0]"},
        {"obstacles[].radius_m", "`cylinder`: its radius", "m", "above 0 to 1e6", "required for `cylinder`", "4.0"},
        {"obstacles[].height_m", "`cylinder`: its length along the axis", "m", "above 0 to 1e6", "required for `cylinder`", "60.0"},
        {"obstacles[].center", "`box`: its centre: east, north, up", "m", "finite", "required for `box`", "[0.0, -8.0, 5.0]"},
        {"obstacles[].size_m", "`box`: extents to its right, ahead and up", "m", "each above 0 to 1e6", "required for `box`", "[20.0, 12.0, 10.0]"},
        {"obstacles[].azimuth_deg", "`box`: direction of ahead, clockwise from north", "deg", "-360 to 360", "0", "15.0"},

        {"tracing.model", "`physical`, or ARTIST 2.0.0's formulas (`artist`)", "-", "physical, artist", "physical", "physical"},
        {"tracing.rays_per_heliostat", "rays that start on each active heliostat; `artist` ignores it", "-", "whole, 1 to 1e15", "1e6", "1e6"},
        {"tracing.relative_error", "go on until the standard error of every target's power is below this share", "-", "above 0, below 1", "none: `rays_per_heliostat` decides", "0.01"},
        {"tracing.seed", "seed of the random numbers", "-", "whole, 0 to 18446744073709551615", "42", "7"},
        {"tracing.sampling", "how rays are drawn; `artist` ignores it", "-", "sobol, random", "sobol", "random"},
        {"tracing.shading", "mirrors keep sunlight from other mirrors; `artist` ignores it", "-", "true, false", "true", "true"},
        {"tracing.blocking", "mirrors stop reflected light of other mirrors; for `artist` its soft blocking", "-", "true, false", "true", "true"},

        {"artist.surface_points_per_facet", "`artist`: points along a facet's two edges", "-", "two whole numbers, 2 to 10000", "[50, 50]", "[50, 50]"},
        {"artist.rays_per_point", "`artist`: rays per surface point", "-", "whole, 1 to 1e9", "the scenario's light source", "10"},
        {"artist.batch_size", "`artist`: heliostats that are traced at once", "-", "whole, 1 to 1e9", "100", "100"},
        {"artist.magnitude", "`artist`: what a ray carries, 1 (`unit`) or watts (`dni`)", "-", "unit, dni", "unit", "dni"},
        {"artist.extinction", "`artist`: share of every ray that is lost, whatever its length", "-", "0 to 1", "0", "0.05"},

        {"bitmap.width", "pixels across a target", "-", "whole, 1 to 16384", "256", "256"},
        {"bitmap.height", "pixels up a target", "-", "whole, 1 to 16384", "256", "256"},
        {"bitmap.filter", "`box`: a ray falls into one pixel; `bilinear`: it is spread over four; `artist` ignores it", "-", "box, bilinear", "box", "bilinear"},

        {"output.file", "result file (HDF5), relative to the working directory", "-", ".h5, .hdf5", "none: no result file", "flux.h5"},
        {"output.image", "picture of the flux maps, relative to the working directory", "-", ".png, .svg, .pdf", "none: no picture", "flux.png"},
        {"output.per_heliostat", "also store every heliostat's own flux map", "-", "true, false", "false", "true"},

        {"device", "where to compute; `auto`: a GPU where there is one", "-", "auto, cpu, cuda, cuda:N", "auto", "cuda:0"},
        {"distributed.backend", "how several ranks communicate; `auto`: nccl for GPUs, gloo for CPUs", "-", "auto, nccl, gloo", "auto", "gloo"},
        {"distributed.timeout_s", "longest wait for another rank", "s", "above 0 to 1e6", "300", "60"},
        {"distributed.schedule", "`static`: work is divided beforehand; `dynamic`: ranks draw work units as they become free", "-", "static, dynamic", "static", "dynamic"},
    };
    // clang-format on
    return keys;
}

}  // namespace helioray
