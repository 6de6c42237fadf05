// SPDX-License-Identifier: MIT
// The table of keys, with one declaration for each.
#include "scenario/config/key_table.h"

#include "scenario/files/units.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace helioray {

namespace {

/// Returns the words of the attenuation models that have no parameters.
std::string without_parameters() {
    std::vector<std::string> words = list_words(kAttenuationModels);
    words.resize(words.size() - 2);
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

KeyInfo KeyInfo::number(const std::string& path,
                        const std::string& meaning,
                        const std::string& unit,
                        const Range& limits,
                        const std::string& default_value,
                        const std::string& example,
                        const std::string& wording) {
    return {path,
            meaning,
            unit,
            fmt::format(fmt::runtime(wording), limits.text()),
            default_value,
            example,
            limits};
}

KeyInfo KeyInfo::whole(const std::string& path,
                       const std::string& meaning,
                       const Range& limits,
                       const std::string& default_value,
                       const std::string& example,
                       const std::string& wording) {
    return number(path, meaning, "-", limits, default_value, example, wording);
}

KeyInfo KeyInfo::choice(const std::string& path,
                        const std::string& meaning,
                        const std::vector<std::string>& words,
                        const std::string& default_value,
                        const std::string& example) {
    const std::string range = fmt::format("{}", fmt::join(words, ", "));
    return other(path, meaning, "-", range, default_value, example);
}

KeyInfo KeyInfo::other(const std::string& path,
                       const std::string& meaning,
                       const std::string& unit,
                       const std::string& range,
                       const std::string& default_value,
                       const std::string& example) {
    return {path, meaning, unit, range, default_value, example, {}};
}

namespace {

std::vector<KeyInfo> declared_keys() {
    using Key = KeyInfo;
    // The defaults of the table are those of a default-constructed configuration, which the reader
    // fills.
    const RunConfig usual;
    const Range widths_mrad = kAngularWidths.times(1e3);
    const Range step_minutes{0.0, 527040.0, true, false, "it is the time between two steps"};
    const Range artist_counts{1.0, 1e9};

    // Columns: path, meaning, unit, limits or words, default, example.
    // clang-format off
    return {
        Key::other("scenario", "scenario file (HDF5), relative to this file", "-", "existing file", "required", "plant.h5"),

        Key::number("sun.azimuth_deg", "azimuth of the sun, clockwise from north; with `elevation_deg`", "deg", kBearings, "one of six forms required", "180.0"),
        Key::number("sun.elevation_deg", "elevation of the sun above the horizon; with `azimuth_deg`", "deg", kElevationsByDay, "one of six forms required", "45.0"),
        Key::other("sun.time", "date and time with offset from UTC; the sun's position follows from the plant's", "-", "ISO 8601 with offset", "one of six forms required", "2026-06-21T12:00:00+02:00"),
        Key::other("sun.incident_direction", "direction in which sunlight travels: east, north, up; any length", "-", "up component below 0", "one of six forms required", "[0.0, 0.7, -0.7]"),
        Key::number("sun.dni_w_m2", "direct normal irradiance", "W/m2", kIrradiances, limit_text(usual.sun.dni), "850.0"),
        Key::other("sun.times", "several times, in this order; or a range of them, see below", "-", "list of ISO 8601 with offset", "one of six forms required", "[\"2026-06-21T09:00:00+02:00\", \"2026-06-21T12:00:00+02:00\"]"),
        Key::other("sun.times.start", "first time of a range", "-", "ISO 8601 with offset", "required for a range", "2026-06-21T06:00:00+02:00"),
        Key::other("sun.times.end", "last time of a range", "-", "ISO 8601 with offset", "required for a range", "2026-06-21T20:00:00+02:00"),
        Key::number("sun.times.step_minutes", "time between two steps of a range", "min", step_minutes, "required for a range", "60", "a second to a year"),
        Key::number("sun.positions[].azimuth_deg", "azimuth of one of several positions, clockwise from north", "deg", kBearings, "required in every entry", "180.0"),
        Key::number("sun.positions[].elevation_deg", "elevation of one of several positions", "deg", kElevationsByDay, "required in every entry", "45.0"),
        Key::number("sun.positions[].dni_w_m2", "irradiance at one of several positions", "W/m2", kIrradiances, "`sun.dni_w_m2`", "850.0"),
        Key::other("sun.file", "CSV file of several positions, relative to this file", "-", "existing file", "one of six forms required", "suns.csv"),
        Key::choice("sun.shape.type", "angular distribution of the sun's radiance", list_words(kSunShapeKinds), "the scenario's light source", "gaussian"),
        Key::number("sun.shape.sigma_mrad", "`gaussian`: standard deviation per axis", "mrad", widths_mrad, "required for `gaussian`", "2.09"),
        Key::number("sun.shape.half_angle_mrad", "`pillbox`: angular radius of the disk", "mrad", widths_mrad, "required for `pillbox`", "4.65"),
        Key::number("sun.shape.csr", "`buie`: circumsolar ratio", "-", kCircumsolarRatios, "required for `buie`", "0.05"),
        Key::choice("sun.shape.calibration", "`buie`: how its parameter follows from the ratio: so that the ratio is met (`exact`), or by other programs' polynomials", list_words(kBuieCalibrations), find_word(kBuieCalibrations, BuieShape{}.calibration), "tonatiuh"),
        Key::other("sun.shape.file", "`table`: CSV file of angle in mrad and relative radiance, relative to this file", "-", "existing file", "required for `table`", "csr5.csv"),
        Key::other("sun.shape.terms", "`gauss_sum`: sigma per axis in mrad and share of the power of each Gaussian, for example HELIOS' six", "-", "pairs: above 0 to 100, above 0", "required for `gauss_sum`", "[[1.9, 0.9], [6.0, 0.1]]"),
        Key::other("sun.clouds.file", "file of the share of the irradiance that arrives, relative to this file. CSV: `name`, `share`, with changes in time also `time`; CSV or HDF5: a map, `east_m`, `north_m`, `share`", "-", "existing file", "none: a clear sky", "clouds.csv"),
        Key::number("sun.clouds.velocity_m_s", "of a map: how it moves, to the east and to the north; with `time`", "m/s", {-1e3, 1e3, false, false, "it is the speed of clouds"}, "[0, 0]", "[8.0, -3.0]"),
        Key::other("sun.clouds.time", "of a map: when it is where the file says", "-", "ISO 8601 with offset", "required for `velocity_m_s`", "2026-06-21T12:00:00+02:00"),

        Key::other("aim.target", "target of all heliostats", "-", "a target of the scenario", "none: every active heliostat names its own", "receiver"),
        Key::other("aim.point", "aim point of all heliostats: east, north, up", "m", "finite", "the target's centre", "[0.0, 0.0, 55.0]"),
        Key::other("aim.active", "heliostats that reflect: `all` or a list of names; the others only shade and block", "-", "heliostats of the scenario", "all", "[AA31, AA39]"),
        Key::other("aim.heliostats.<name>.target", "target of this heliostat", "-", "a target of the scenario", "`aim.target`", "multi_focus_tower"),
        Key::other("aim.heliostats.<name>.point", "aim point of this heliostat: east, north, up; not with `motor_positions`", "m", "finite", "`aim.point`, else the target's centre", "[-17.6, -2.7, 52.0]"),
        Key::other("aim.heliostats.<name>.motor_positions", "positions of its two motors, instead of aiming at a point", "steps or rad", "the actuators' range", "none: it aims", "[16963, 72374]"),

        Key::choice("aim.heliostats.<name>.active", "`false` turns this heliostat off, whatever `aim.active` says", list_words(kYesOrNo), "true", "false"),
        Key::other("aim.file", "file of aim points, relative to this file: CSV as `helioray aim` writes it, with a column `time` or `step` the aim points of each step of a series; or a result (HDF5) of `aim` or `raytrace`", "-", "existing file", "none", "aims.csv"),

        Key::number("optics.reflectivity", "share of the power that the mirrors reflect", "-", kReflectivities, limit_text(usual.optics.reflectivity), "0.935"),
        Key::number("optics.slope_error_mrad", "Gaussian slope error: standard deviation of the surface normal about each tangent", "mrad", widths_mrad, "0", "1.3"),
        Key::choice("optics.slope_error.type", "slope error as a distribution, instead of `slope_error_mrad`", list_words(kErrorKinds), "none", "pillbox"),
        Key::number("optics.slope_error.sigma_mrad", "`gaussian`: standard deviation about each tangent", "mrad", widths_mrad, "required for `gaussian`", "1.3"),
        Key::number("optics.slope_error.half_angle_mrad", "`pillbox`: largest tilt of the normal", "mrad", widths_mrad, "required for `pillbox`", "1.0"),
        Key::number("optics.specularity_error_mrad", "Gaussian specularity error: standard deviation of the reflected ray about each axis", "mrad", widths_mrad, "0", "0.5"),
        Key::choice("optics.specularity_error.type", "specularity error as a distribution, instead of `specularity_error_mrad`", list_words(kErrorKinds), "none", "gaussian"),
        Key::number("optics.specularity_error.sigma_mrad", "`gaussian`: standard deviation about each axis", "mrad", widths_mrad, "required for `gaussian`", "0.5"),
        Key::number("optics.specularity_error.half_angle_mrad", "`pillbox`: largest deflection of the ray", "mrad", widths_mrad, "required for `pillbox`", "0.8"),
        Key::number("optics.tracking_error_mrad", "Gaussian tracking error per axis, drawn once per heliostat from the seed", "mrad", widths_mrad, limit_text(1e3 * usual.optics.tracking_error), "0.6"),
        Key::other("optics.attenuation", "atmospheric attenuation over the slant range, short form of `attenuation.model`", "-", without_parameters(), find_word(kAttenuationModels, usual.optics.attenuation.model), "mirval"),
        Key::choice("optics.attenuation.model", "model of the attenuation", list_words(kAttenuationModels), find_word(kAttenuationModels, usual.optics.attenuation.model), "exponential"),
        Key::number("optics.attenuation.per_km", "`exponential`: extinction coefficient", "1/km", {0.0, 100.0, false, false, "extinction coefficient in 1/km"}, "required for `exponential`", "0.11"),

        Key::other("optics.attenuation.coefficients", "`polynomial`: transmittance by powers of the slant range in km, constant first", "-", fmt::format("1 to {} numbers", usual.optics.attenuation.coefficients.size()) + "; from at most 1 down to at least 0 within 3 km", "required for `polynomial`", "[0.99321, -0.1176, 0.0197]"),

        Key::other("targets.<name>.aperture.center", "centre of a window that reflected light must pass: east, north, up", "m", "finite", "required for `aperture`", "[0.0, 3.0, 55.0]"),
        Key::other("targets.<name>.aperture.normal", "direction in which the window faces, towards the heliostats; any length", "-", "not 0", "required for `aperture`", "[0.0, 1.0, 0.0]"),
        Key::number("targets.<name>.aperture.radius_m", "round window: its radius", "m", kLengths, "this or width and height required", "2.0"),
        Key::number("targets.<name>.aperture.width_m", "rectangular window: its extent along the horizontal; with `height_m`", "m", kLengths, "this pair or a radius required", "3.0"),
        Key::number("targets.<name>.aperture.height_m", "rectangular window: its extent across the horizontal; with `width_m`", "m", kLengths, "this pair or a radius required", "2.5"),
        Key::number("targets.<name>.outline_m", "convex outline on a flat target: only light inside of it counts; corners [right, up] from its centre, seen from the front", "m", {3.0, 64.0, false, false, "fewer than 3 enclose nothing"}, "none: the whole target", "[[-1, -1], [1, -1], [0, 1]]", "{} corners"),

        Key::other("obstacles[].name", "name of the body, for messages", "-", "each once", "obstacle_1, obstacle_2, ...", "tower"),
        Key::choice("obstacles[].type", "shape of the body", list_words(kObstacleKinds), "required", "cylinder"),
        Key::other("obstacles[].base", "`cylinder`: centre of its lower end: east, north, up", "m", "finite", "required for `cylinder`", "[0.0, 0.0, 0.0]"),
        Key::other("obstacles[].axis", "`cylinder`: direction from the lower to the upper end; any length", "-", "not 0", "[0, 0, 1]", "[0.0, 0.0, 1.0]"),
        Key::number("obstacles[].radius_m", "`cylinder`: its radius", "m", kLengths, "required for `cylinder`", "4.0"),
        Key::number("obstacles[].height_m", "`cylinder`: its length along the axis", "m", kLengths, "required for `cylinder`", "60.0"),
        Key::other("obstacles[].center", "`box`: its centre: east, north, up", "m", "finite", "required for `box`", "[0.0, -8.0, 5.0]"),
        Key::number("obstacles[].size_m", "`box`: extents to its right, ahead and up", "m", kLengths, "required for `box`", "[20.0, 12.0, 10.0]", "each {}"),
        Key::number("obstacles[].azimuth_deg", "`box`: direction of ahead, clockwise from north", "deg", kBearings, "0", "15.0"),

        Key::choice("aiming.strategy", "how aim points are chosen", list_words(kStrategies), find_word(kStrategies, usual.aiming.strategy), "sigma"),
        Key::number("aiming.flux_limit_kw_m2", "flux that all targets bear", "kW/m2", kFluxLimits.times(1e-3), "none: no limit", "800"),
        Key::other("aiming.flux_limit.file", "flux that targets bear by place, instead of `flux_limit_kw_m2`: CSV or HDF5, relative to this file", "-", "existing file", "none: no limit", "limits.csv"),
        Key::other("aiming.objective", "`optimize`: what to reach, the most `power`, or a map", "-", "power", "power", "power"),
        Key::other("aiming.objective.target_map", "`optimize`: file (HDF5) with the maps to come close to, relative to this file", "-", "existing file", "none: the power counts", "wanted.h5"),
        Key::choice("aiming.objective.measure", "how far a map is from the wanted one", list_words(kMapMeasures), find_word(kMapMeasures, usual.aiming.map_measure), "kl"),
        Key::number("aiming.robust_sigma", "limits of each pixel hold for the mean flux plus so many standard deviations that follow from `optics.tracking_error_mrad` and, in a scenario of `helioray calibrate`, from the expected aim error of each heliostat", "-", {0.0, 10.0, false, false, "it is a number of standard deviations"}, limit_text(usual.aiming.robust_sigma), "2"),
        Key::number("aiming.robust_confidence", "probability that the whole receiver keeps its limits in another draw of these errors, instead of `robust_sigma`, which counts for each pixel alone", "-", kRobustConfidences, "none: `robust_sigma` decides", "0.95"),
        Key::number("aiming.sigma_factor", "`sigma`: distance of aim points from the edges, in standard deviations of the image", "-", {0.0, 10.0, false, false, "it is a number of standard deviations"}, limit_text(usual.aiming.sigma_factor), "1.5"),
        Key::number("aiming.target_shares.<name>", "share of the power that this target shall get; two or more targets, with the sum 1", "-", {0.0, 1.0, true, true, "it is a share of the power"}, "none: heliostats aim at the targets of section `aim`", "0.5"),
        Key::number("aiming.max_move_m_per_minute", "longest way of an aim point between two steps of a series, per minute", "m/min", kLengths, "none: any way", "0.5"),
        Key::number("aiming.min_move_m", "way below which an aim point stays where it was in the step before, or in `aim.file` where one position is chosen; limits may still move it", "m", {0.0, kLengths.high, false, false, "it is a distance"}, limit_text(usual.aiming.min_move), "0.05"),

        Key::choice("tracing.model", "`physical`, or ARTIST 2.0.0's formulas (`artist`)", list_words(kModels), find_word(kModels, usual.tracing.model), "physical"),
        Key::whole("tracing.rays_per_heliostat", "rays that start on each active heliostat; `artist` ignores it", kRayCounts, limit_text(static_cast<double>(usual.tracing.rays_per_heliostat)), "1e6"),
        Key::number("tracing.relative_error", "go on until the standard error of every target's power is below this share", "-", {0.0, 1.0, true, true, "it is a share of the power"}, "none: `rays_per_heliostat` decides", "0.01"),
        Key::choice("tracing.relative_error_of", "the number of every target that `relative_error` is about: its power, or its peak flux", list_words(kAccuraciesOf), find_word(kAccuraciesOf, usual.tracing.relative_error_of), "peak"),
        Key::other("tracing.seed", "seed of the random numbers", "-", fmt::format("whole, 0 to {}", std::numeric_limits<uint64_t>::max()), std::to_string(usual.tracing.seed), "7"),
        Key::choice("tracing.sampling", "how rays are drawn; `artist` ignores it", list_words(kSamplings), find_word(kSamplings, usual.tracing.sampling), "random"),
        Key::choice("tracing.shading", "mirrors keep sunlight from other mirrors; `artist` ignores it", list_words(kYesOrNo), find_word(kYesOrNo, usual.tracing.shading), "true"),
        Key::choice("tracing.blocking", "mirrors stop reflected light of other mirrors; for `artist` its soft blocking", list_words(kYesOrNo), find_word(kYesOrNo, usual.tracing.blocking), "true"),

        Key::whole("artist.surface_points_per_facet", "`artist`: points along a facet's two edges", {2.0, 10000.0}, fmt::format("{}", usual.artist.surface_points_per_facet), "[50, 50]", "two whole numbers, {}"),
        Key::whole("artist.rays_per_point", "`artist`: rays per surface point", artist_counts, "the scenario's light source", "10"),
        Key::whole("artist.batch_size", "`artist`: heliostats that are traced at once", artist_counts, std::to_string(usual.artist.batch_size), "100"),
        Key::choice("artist.magnitude", "`artist`: what a ray carries, 1 (`unit`) or watts (`dni`)", list_words(kMagnitudes), find_word(kMagnitudes, usual.artist.magnitude), "dni"),
        Key::number("artist.extinction", "`artist`: share of every ray that is lost, whatever its length", "-", {0.0, 1.0, false, false, "it is a share of every ray"}, limit_text(usual.artist.extinction), "0.05"),

        Key::whole("bitmap.width", "pixels across a target", kPixelCounts, std::to_string(usual.bitmap.width), "256"),
        Key::whole("bitmap.height", "pixels up a target", kPixelCounts, std::to_string(usual.bitmap.height), "256"),
        Key::choice("bitmap.filter", "`box`: a ray falls into one pixel; `bilinear`: it is spread over four; `artist` ignores it", list_words(kFilters), find_word(kFilters, usual.bitmap.filter), "bilinear"),

        Key::other("output.file", "result file (HDF5), relative to the working directory", "-", fmt::format("{}", fmt::join(kResultEndings, ", ")), "none: no result file", "flux.h5"),
        Key::other("output.image", "picture of the flux maps, relative to the working directory", "-", fmt::format("{}", fmt::join(kImageEndings, ", ")), "none: no picture", "flux.png"),
        Key::choice("output.per_heliostat", "also store every heliostat's own flux map", list_words(kYesOrNo), find_word(kYesOrNo, usual.output.per_heliostat), "true"),
        Key::number("output.checkpoint_minutes", "how often what is traced so far is kept in `<output.file>.parts`, so that the same command continues after an interruption; 0: never", "min", {0.0, 1e5, false, false, "it is the time between two checkpoints"}, limit_text(usual.output.checkpoint_minutes), "10"),

        Key::other("device", "where to compute; `auto`: a GPU where there is one", "-", "auto, cpu, cuda, cuda:N", "auto", "cuda:0"),
        Key::choice("distributed.backend", "how several ranks communicate; `auto`: nccl where every rank has a GPU of its own, else gloo", list_words(kBackends), find_word(kBackends, usual.distributed.backend), "gloo"),
        Key::number("distributed.timeout_s", "longest wait for another rank", "s", {0.0, 1e6, true, false, "a wait in seconds"}, limit_text(usual.distributed.timeout_s), "60"),
        Key::choice("distributed.schedule", "`static`: work is divided beforehand; `dynamic`: ranks draw work units as they become free", list_words(kSchedules), find_word(kSchedules, usual.distributed.schedule), "dynamic"),
    };
    // clang-format on
}

}  // namespace

const KeyInfo& find_declaration(const std::string& path, const std::vector<KeyInfo>& table) {
    for (const KeyInfo& info : table)
        if (info.path == path) return info;
    throw std::logic_error("no key is declared as " + path);
}

double radians_per(const std::string& unit) {
    if (unit == "deg") return kRadiansPerDegree;
    if (unit == "mrad") return 1e-3;
    throw std::logic_error(unit + " is not a unit of angles");
}

const std::vector<KeyInfo>& known_keys() {
    static const std::vector<KeyInfo> keys = declared_keys();
    return keys;
}

}  // namespace helioray
