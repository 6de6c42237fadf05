// SPDX-License-Identifier: MIT
// The keys of the run configuration: one row for each key, with the member that it fills.
#include "scenario/config/bound_key.h"
#include "scenario/files/visit_members.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>

namespace helioray {

namespace {

// Limits of several keys.
const Range widths_mrad = kAngularWidths.times(1e3);
const Range step_minutes{0.0, 527040.0, true, false, "it is the time between two steps"};
const Range artist_counts{1.0, 1e9};
const double least_dni = 2.0;  // W/m2; the highest irradiance in kW/m2 is about 1.1

/// Declares the width of an angular distribution. Those of real suns and mirrors are 0.1 to 20
/// mrad.
KeyInfo angular_width(const std::string& path,
                      const std::string& meaning,
                      const std::string& default_value,
                      const std::string& example) {
    return KeyInfo::number(path, meaning, "mrad", widths_mrad, default_value, example)
        .unusual(0.02, "rad");
}

/// Returns the words of the attenuation models that have no parameters.
std::string without_parameters() {
    std::vector<std::string> words = list_words(kAttenuationModels);
    words.resize(words.size() - 2);
    return fmt::format("{}", fmt::join(words, ", "));
}

/// Marks keys that do not change the flux.
template <typename Key>
std::vector<Key> without_flux(std::vector<Key> keys) {
    for (Key& key : keys) key.info = key.info.without_flux();
    return keys;
}

}  // namespace

// A row has path, meaning, unit, limits or words, default, example, and the member that the key
// fills. An empty default is that of the member. A row of a choice has its words and the member
// before the example.
// clang-format off

const std::vector<BoundKey<SunConfig>>& bound_keys(const SunConfig&) {
    static_assert(count_members<SunConfig>() == 9, "declare the key of the new member below");
    using Key = BoundKey<SunConfig>;
    static const std::vector<Key> keys{
        Key::own(KeyInfo::number("sun.azimuth_deg", "azimuth of the sun, clockwise from north; with `elevation_deg`", "deg", kBearings, "one of six forms required", "180.0").position()),
        Key::own(KeyInfo::number("sun.elevation_deg", "elevation of the sun above the horizon; with `azimuth_deg`", "deg", kElevationsByDay, "one of six forms required", "45.0").position()),
        Key::own(KeyInfo::other("sun.time", "date and time with offset from UTC; the sun's position follows from the plant's", "-", "ISO 8601 with offset", "one of six forms required", "2026-06-21T12:00:00+02:00").position()),
        Key::own(KeyInfo::other("sun.incident_direction", "direction in which sunlight travels: east, north, up; any length", "-", "up component below 0", "one of six forms required", "[0.0, 0.7, -0.7]").position()),
        Key::bind(KeyInfo::number("sun.dni_w_m2", "direct normal irradiance", "W/m2", kIrradiances, "", "850.0").always_written().unusual(least_dni, "kW/m2"), &SunConfig::dni),
        Key::bind(KeyInfo::number("sun.temperature_c", "temperature of the air, for mirrors whose shape changes with it", "°C", kTemperatures, "none", "20"), &SunConfig::temperature),
        Key::own(KeyInfo::other("sun.times", "several times, in this order; or a range of them, see below", "-", "list of ISO 8601 with offset", "one of six forms required", "[\"2026-06-21T09:00:00+02:00\", \"2026-06-21T12:00:00+02:00\"]").position()),
        Key::own(KeyInfo::other("sun.times.start", "first time of a range", "-", "ISO 8601 with offset", "required for a range", "2026-06-21T06:00:00+02:00").position()),
        Key::own(KeyInfo::other("sun.times.end", "last time of a range", "-", "ISO 8601 with offset", "required for a range", "2026-06-21T20:00:00+02:00").position()),
        Key::own(KeyInfo::number("sun.times.step_minutes", "time between two steps of a range", "min", step_minutes, "required for a range", "60", "a second to a year").position()),
        Key::own(KeyInfo::number("sun.positions[].azimuth_deg", "azimuth of one of several positions, clockwise from north", "deg", kBearings, "required in every entry", "180.0").position()),
        Key::own(KeyInfo::number("sun.positions[].elevation_deg", "elevation of one of several positions", "deg", kElevationsByDay, "required in every entry", "45.0").position()),
        Key::own(KeyInfo::number("sun.positions[].dni_w_m2", "irradiance at one of several positions", "W/m2", kIrradiances, "`sun.dni_w_m2`", "850.0").position().unusual(least_dni, "kW/m2")),
        Key::own(KeyInfo::number("sun.positions[].temperature_c", "temperature of the air at one of several positions", "°C", kTemperatures, "`sun.temperature_c`", "20").position()),
        Key::bind(KeyInfo::input_file("sun.file", "CSV file of several positions, relative to this file", "one of six forms required", "suns.csv").position(), &SunConfig::series_file),
        Key::own(KeyInfo::choice("sun.shape.type", "angular distribution of the sun's radiance", list_words(kSunShapeKinds), "the scenario's light source", "gaussian")),
        Key::own(angular_width("sun.shape.sigma_mrad", "`gaussian`: standard deviation per axis", "required for `gaussian`", "2.09")),
        Key::own(angular_width("sun.shape.half_angle_mrad", "`pillbox`: angular radius of the disk", "required for `pillbox`", "4.65")),
        Key::own(KeyInfo::number("sun.shape.csr", "`buie`: circumsolar ratio", "-", kCircumsolarRatios, "required for `buie`", "0.05")),
        Key::own(KeyInfo::choice("sun.shape.calibration", "`buie`: how its parameter follows from the ratio: so that the ratio is met (`exact`), or by other programs' polynomials", list_words(kBuieCalibrations), find_word(kBuieCalibrations, BuieShape{}.calibration), "tonatiuh")),
        Key::bind(KeyInfo::input_file("sun.shape.file", "`table`: CSV file of angle in mrad and relative radiance, relative to this file", "one of two forms required for `table`", "csr5.csv"), &SunConfig::shape_file),
        Key::own(KeyInfo::other("sun.shape.radiance", "`table`: its points, instead of a file: angle in mrad and relative radiance", "-", "pairs: 0 to 100, ascending from 0; not negative", "one of two forms required for `table`", "[[0, 1], [4.65, 0.9]]")),
        Key::own(KeyInfo::other("sun.shape.terms", "`gauss_sum`: sigma per axis in mrad and share of the power of each Gaussian, for example HELIOS' six", "-", "pairs: above 0 to 100, above 0", "required for `gauss_sum`", "[[1.9, 0.9], [6.0, 0.1]]")),
        Key::own(KeyInfo::input_file("sun.clouds.file", "file of the share of the irradiance that arrives, relative to this file. CSV: `name`, `share`, with changes in time also `time`; CSV or HDF5: a map, `east_m`, `north_m`, `share`", "none: a clear sky", "clouds.csv")),
        Key::own(KeyInfo::number("sun.clouds.velocity_m_s", "of a map: how it moves, to the east and to the north; with `time`", "m/s", {-1e3, 1e3, false, false, "it is the speed of clouds"}, "[0, 0]", "[8.0, -3.0]")),
        Key::own(KeyInfo::other("sun.clouds.time", "of a map: when it is where the file says", "-", "ISO 8601 with offset", "required for `velocity_m_s`", "2026-06-21T12:00:00+02:00")),
    };
    return keys;
}

const std::vector<BoundKey<AimConfig>>& bound_keys(const AimConfig&) {
    static_assert(count_members<AimConfig>() == 5, "declare the key of the new member below");
    using Key = BoundKey<AimConfig>;
    static const std::vector<Key> keys{
        Key::bind(KeyInfo::other("aim.target", "target of all heliostats", "-", "a target or receiver of the scenario", "none: every active heliostat names its own", "receiver"), &AimConfig::target),
        Key::bind(KeyInfo::other("aim.point", "aim point of all heliostats: east, north, up", "m", "finite", "the target's centre", "[0.0, 0.0, 55.0]"), &AimConfig::point),
        Key::own(KeyInfo::other("aim.active", "heliostats that reflect: `all` or a list of names; the others only shade and block", "-", "heliostats of the scenario", "all", "[AA31, AA39]")),
    };
    return keys;
}

const std::vector<BoundKey<HeliostatAim>>& bound_keys(const HeliostatAim&) {
    static_assert(count_members<HeliostatAim>() == 4, "declare the key of the new member below");
    using Key = BoundKey<HeliostatAim>;
    static const std::vector<Key> keys{
        Key::bind(KeyInfo::other("aim.heliostats.<name>.target", "target of this heliostat", "-", "a target or receiver of the scenario", "`aim.target`", "multi_focus_tower"), &HeliostatAim::target),
        Key::bind(KeyInfo::other("aim.heliostats.<name>.point", "aim point of this heliostat: east, north, up; not with `motor_positions`", "m", "finite", "`aim.point`, else the target's centre", "[-17.6, -2.7, 52.0]"), &HeliostatAim::point),
        Key::bind(KeyInfo::other("aim.heliostats.<name>.motor_positions", "positions of its two motors, instead of aiming at a point", "steps or rad", "the actuators' range", "none: it aims", "[16963, 72374]"), &HeliostatAim::motor_positions),
        Key::choice("aim.heliostats.<name>.active", "`false` turns this heliostat off, whatever `aim.active` says", kYesOrNo, &HeliostatAim::active, "false"),
    };
    return keys;
}

const std::vector<BoundKey<OpticsConfig>>& bound_keys(const OpticsConfig&) {
    static_assert(count_members<OpticsConfig>() == 6, "declare the key of the new member below");
    using Key = BoundKey<OpticsConfig>;
    static const std::vector<Key> keys{
        Key::bind(KeyInfo::number("optics.reflectivity", "share of the power that the mirrors reflect", "-", kReflectivities, "", "0.935").always_written(), &OpticsConfig::reflectivity),
        Key::own(KeyInfo::other("optics.reflectivity_by_angle", "factor of every reflectivity by the angle of incidence in degrees; linear between the pairs and constant beyond them", "-", "pairs: 0 to 90, ascending; 0 to 1", "1 at all angles", "[[0, 1], [60, 0.99], [80, 0.9]]")),
        Key::own(angular_width("optics.slope_error_mrad", "Gaussian slope error: standard deviation of the surface normal about each tangent", "0", "1.3")),
        Key::own(KeyInfo::choice("optics.slope_error.type", "slope error as a distribution, instead of `slope_error_mrad`", list_words(kErrorKinds), "none", "pillbox")),
        Key::own(angular_width("optics.slope_error.sigma_mrad", "`gaussian`: standard deviation about each tangent", "required for `gaussian`", "1.3")),
        Key::own(angular_width("optics.slope_error.half_angle_mrad", "`pillbox`: largest tilt of the normal", "required for `pillbox`", "1.0")),
        Key::own(angular_width("optics.specularity_error_mrad", "Gaussian specularity error: standard deviation of the reflected ray about each axis", "0", "0.5")),
        Key::own(KeyInfo::choice("optics.specularity_error.type", "specularity error as a distribution, instead of `specularity_error_mrad`", list_words(kErrorKinds), "none", "gaussian")),
        Key::own(angular_width("optics.specularity_error.sigma_mrad", "`gaussian`: standard deviation about each axis", "required for `gaussian`", "0.5")),
        Key::own(angular_width("optics.specularity_error.half_angle_mrad", "`pillbox`: largest deflection of the ray", "required for `pillbox`", "0.8")),
        Key::bind(angular_width("optics.tracking_error_mrad", "Gaussian tracking error per axis, drawn once per heliostat from the seed", "", "0.6"), &OpticsConfig::tracking_error),
        Key::own(KeyInfo::other("optics.attenuation", "atmospheric attenuation over the slant range, short form of `attenuation.model`", "-", without_parameters(), find_word(kAttenuationModels, AttenuationConfig{}.model), "mirval")),
        Key::own(KeyInfo::choice("optics.attenuation.model", "model of the attenuation", list_words(kAttenuationModels), find_word(kAttenuationModels, AttenuationConfig{}.model), "exponential")),
        Key::own(KeyInfo::number("optics.attenuation.per_km", "`exponential`: extinction coefficient", "1/km", {0.0, 100.0, false, false, "extinction coefficient in 1/km"}, "required for `exponential`", "0.11")),
        Key::own(KeyInfo::other("optics.attenuation.coefficients", "`polynomial`: transmittance by powers of the slant range in km, constant first", "-", fmt::format("1 to {} numbers", AttenuationConfig{}.coefficients.size()) + "; from at most 1 down to at least 0 within 3 km", "required for `polynomial`", "[0.99326, -0.1046, 0.017, -0.002845]")),
    };
    return keys;
}

const std::vector<BoundKey<StateConfig>>& bound_keys(const StateConfig&) {
    static_assert(count_members<StateConfig>() == 11, "declare the key of the new member below");
    using Key = BoundKey<StateConfig>;
    static const std::vector<Key> keys{
        Key::bind(KeyInfo::input_file("state.file", "table of the state of single heliostats by name and time, CSV or HDF5, relative to this file", "none: all are alike", "mirrors.csv"), &StateConfig::file),
        Key::bind(KeyInfo::number("state.soiling.rate_per_day", "years: share of the reflectivity that soiling takes more every day", "-", kSoilings, "", "0.003"), &StateConfig::soiling_per_day).without_flux(),
        Key::choice("state.soiling.washing.every", "years: day of the week on which mirrors are washed", kWashDays, &StateConfig::wash_day, "monday").without_flux(),
        Key::bind(KeyInfo::whole("state.soiling.washing.days", "years: days from one washing to the next, the first on 1 January, instead of `every`", {1.0, 366.0}, "none: `every` decides", "7"), &StateConfig::wash_after).without_flux(),
        Key::bind(KeyInfo::number("state.soiling.washing.share", "years: share of the heliostats that one washing reaches, in turn", "-", {0.0, 1.0, true, false, "it is a share of the heliostats"}, "", "0.5"), &StateConfig::washed_share).without_flux(),
        Key::bind(KeyInfo::number("state.soiling.washing.to", "years: soiling after washing", "-", kSoilings, "", "0.01"), &StateConfig::washed_to).without_flux(),
        Key::bind(KeyInfo::number("state.outages.share", "years: mean share of the days on which a heliostat is out of order", "-", {0.0, 0.9, false, false, "it is a share of the days"}, "", "0.02"), &StateConfig::outage_share).without_flux(),
        Key::bind(KeyInfo::number("state.outages.mean_days", "years: mean duration of an outage", "days", {1.0, 366.0, false, false, "outages last whole days"}, "", "5"), &StateConfig::outage_days).without_flux(),
        Key::bind(KeyInfo::other("state.outages.seed", "years: seed of the outages", "-", fmt::format("whole, 0 to {}", std::numeric_limits<uint64_t>::max()), "", "7"), &StateConfig::outage_seed).without_flux(),
    };
    return keys;
}

const std::vector<BoundKey<TerrainConfig>>& bound_keys(const TerrainConfig&) {
    static_assert(count_members<TerrainConfig>() == 3, "declare the key of the new member below");
    using Key = BoundKey<TerrainConfig>;
    static const std::vector<Key> keys{
        Key::bind(KeyInfo::input_file("terrain.file", "heights of the ground on a grid, relative to this file: CSV with the columns `x`, `y`, `z` of its points, an ASCII grid of ESRI, or HDF5 with `east_m`, `north_m`, `height_m`", "none: no hills", "ground.csv"), &TerrainConfig::file),
        Key::bind(KeyInfo::other("terrain.origin_m", "coordinates of the file at the origin of the scenario: east, north, up", "m", "finite", "", "[345000.0, 5642000.0, 87.0]"), &TerrainConfig::origin),
    };
    return keys;
}

const std::vector<BoundKey<AimingConfig>>& bound_keys(const AimingConfig&) {
    static_assert(count_members<AimingConfig>() == 11, "declare the key of the new member below");
    using Key = BoundKey<AimingConfig>;
    static const std::vector<Key> keys = without_flux<Key>({
        Key::choice("aiming.strategy", "how aim points are chosen", kStrategies, &AimingConfig::strategy, "sigma"),
        Key::bind(KeyInfo::number("aiming.flux_limit_kw_m2", "flux that all targets bear", "kW/m2", kFluxLimits.times(1e-3), "none: no limit", "800"), &AimingConfig::flux_limit),
        Key::bind(KeyInfo::input_file("aiming.flux_limit.file", "flux that targets bear by place, instead of `flux_limit_kw_m2`: CSV or HDF5, relative to this file", "none: no limit", "limits.csv"), &AimingConfig::flux_limit_file),
        Key::own(KeyInfo::other("aiming.objective", "`optimize`: what to reach, the most `power`, or a map", "-", "power", "power", "power")),
        Key::bind(KeyInfo::input_file("aiming.objective.target_map", "`optimize`: file (HDF5) with the maps to come close to, relative to this file", "none: the power counts", "wanted.h5"), &AimingConfig::target_map),
        Key::choice("aiming.objective.measure", "how far a map is from the wanted one", kMapMeasures, &AimingConfig::map_measure, "kl"),
        Key::bind(KeyInfo::number("aiming.robust_sigma", "limits of each pixel hold for the mean flux plus so many standard deviations that follow from `optics.tracking_error_mrad` and, in a scenario of `helioray calibrate`, from the expected aim error of each heliostat", "-", {0.0, 10.0, false, false, "it is a number of standard deviations"}, "", "2"), &AimingConfig::robust_sigma),
        Key::bind(KeyInfo::number("aiming.robust_confidence", "probability that the whole receiver keeps its limits in another draw of these errors, instead of `robust_sigma`, which counts for each pixel alone", "-", kRobustConfidences, "none: `robust_sigma` decides", "0.95"), &AimingConfig::robust_confidence),
        Key::bind(KeyInfo::number("aiming.sigma_factor", "`sigma`: distance of aim points from the edges, in standard deviations of the image", "-", {0.0, 10.0, false, false, "it is a number of standard deviations"}, "", "1.5"), &AimingConfig::sigma_factor),
        Key::own(KeyInfo::number("aiming.target_shares.<name>", "share of the power that this target shall get; two or more targets, with the sum 1", "-", {0.0, 1.0, true, true, "it is a share of the power"}, "none: heliostats aim at the targets of section `aim`", "0.5")),
        Key::bind(KeyInfo::number("aiming.max_move_m_per_minute", "longest way of an aim point between two steps of a series, per minute", "m/min", kLengths, "none: any way", "0.5"), &AimingConfig::max_move_m_per_minute),
        Key::bind(KeyInfo::number("aiming.min_move_m", "way below which an aim point stays where it was in the step before, or in `aim.file` where one position is chosen; limits may still move it", "m", {0.0, kLengths.high, false, false, "it is a distance"}, "", "0.05"), &AimingConfig::min_move),
    });
    return keys;
}

const std::vector<BoundKey<TracingConfig>>& bound_keys(const TracingConfig&) {
    static_assert(count_members<TracingConfig>() == 9, "declare the key of the new member below");
    using Key = BoundKey<TracingConfig>;
    static const std::vector<Key> keys{
        Key::choice("tracing.model", "`physical`, or ARTIST 2.0.0's formulas (`artist`)", kModels, &TracingConfig::model, "physical"),
        Key::bind(KeyInfo::whole("tracing.rays_per_heliostat", "rays that start on each active heliostat", kRayCounts, "", "1e6").only(Model::physical).always_written(), &TracingConfig::rays_per_heliostat),
        Key::bind(KeyInfo::number("tracing.relative_error", "go on until the standard error of every target's power is below this share", "-", {0.0, 1.0, true, true, "it is a share of the power"}, "none: `rays_per_heliostat` decides", "0.01"), &TracingConfig::relative_error),
        Key::choice("tracing.relative_error_of", "the number of every target that `relative_error` is about: its power, or its peak flux", kAccuraciesOf, &TracingConfig::relative_error_of, "peak"),
        Key::bind(KeyInfo::other("tracing.seed", "seed of the random numbers", "-", fmt::format("whole, 0 to {}", std::numeric_limits<uint64_t>::max()), "", "7"), &TracingConfig::seed),
        Key::choice("tracing.sampling", "how rays are drawn", kSamplings, &TracingConfig::sampling, "random").only(Model::physical),
        Key::choice("tracing.shading", "mirrors keep sunlight from other mirrors", kYesOrNo, &TracingConfig::shading, "true").only(Model::physical),
        Key::choice("tracing.blocking", "mirrors stop reflected light of other mirrors; for `artist` its soft blocking", kYesOrNo, &TracingConfig::blocking, "true"),
        Key::choice("tracing.facet_occlusion", "facets of one mirror shade and block each other; `auto`: where their centres lie at different depths", kFacetOcclusions, &TracingConfig::facet_occlusion, "true").only(Model::physical),
    };
    return keys;
}

const std::vector<BoundKey<ArtistConfig>>& bound_keys(const ArtistConfig&) {
    static_assert(count_members<ArtistConfig>() == 5, "declare the key of the new member below");
    using Key = BoundKey<ArtistConfig>;
    static const std::vector<Key> keys{
        Key::bind(KeyInfo::whole("artist.surface_points_per_facet", "points along a facet's two edges", {2.0, 10000.0}, "", "[50, 50]", "two whole numbers, {}").only(Model::artist), &ArtistConfig::surface_points_per_facet),
        Key::bind(KeyInfo::whole("artist.rays_per_point", "rays per surface point", artist_counts, "the scenario's light source", "10").only(Model::artist), &ArtistConfig::rays_per_point),
        Key::bind(KeyInfo::whole("artist.batch_size", "heliostats that are traced at once", artist_counts, "", "100").only(Model::artist), &ArtistConfig::batch_size),
        Key::choice("artist.magnitude", "what a ray carries, 1 (`unit`) or watts (`dni`)", kMagnitudes, &ArtistConfig::magnitude, "dni").only(Model::artist),
        Key::bind(KeyInfo::number("artist.extinction", "share of every ray that is lost, whatever its length", "-", {0.0, 1.0, false, false, "it is a share of every ray"}, "", "0.05").only(Model::artist), &ArtistConfig::extinction),
    };
    return keys;
}

const std::vector<BoundKey<BitmapConfig>>& bound_keys(const BitmapConfig&) {
    static_assert(count_members<BitmapConfig>() == 3, "declare the key of the new member below");
    using Key = BoundKey<BitmapConfig>;
    static const std::vector<Key> keys{
        Key::bind(KeyInfo::whole("bitmap.width", "pixels across a target", kPixelCounts, "", "256"), &BitmapConfig::width),
        Key::bind(KeyInfo::whole("bitmap.height", "pixels up a target", kPixelCounts, "", "256"), &BitmapConfig::height),
        Key::choice("bitmap.filter", "`box`: a ray falls into one pixel; `bilinear`: it is spread over four", kFilters, &BitmapConfig::filter, "bilinear").only(Model::physical),
    };
    return keys;
}

const std::vector<BoundKey<OutputConfig>>& bound_keys(const OutputConfig&) {
    static_assert(count_members<OutputConfig>() == 4, "declare the key of the new member below");
    using Key = BoundKey<OutputConfig>;
    static const std::vector<Key> keys{
        Key::output_file("output.file", "result file (HDF5), relative to the working directory", kResultEndings, &OutputConfig::file, "flux.h5", "none: no result file").without_flux(),
        Key::output_file("output.image", "picture of the flux maps, relative to the working directory", kImageEndings, &OutputConfig::image, "flux.png", "none: no picture").without_flux(),
        Key::choice("output.per_heliostat", "also store every heliostat's own flux map", kYesOrNo, &OutputConfig::per_heliostat, "true"),
        Key::bind(KeyInfo::number("output.checkpoint_minutes", "how often what is traced so far is kept in `<output.file>.parts`, so that the same command continues after an interruption; 0: never", "min", {0.0, 1e5, false, false, "it is the time between two checkpoints"}, "", "10").without_flux(), &OutputConfig::checkpoint_minutes),
    };
    return keys;
}

const std::vector<BoundKey<DistributedConfig>>& bound_keys(const DistributedConfig&) {
    static_assert(count_members<DistributedConfig>() == 3, "declare the key of the new member below");
    using Key = BoundKey<DistributedConfig>;
    static const std::vector<Key> keys = without_flux<Key>({
        Key::choice("distributed.backend", "how several ranks communicate; `auto`: nccl where every rank has a GPU of its own, else gloo", kBackends, &DistributedConfig::backend, "gloo"),
        Key::bind(KeyInfo::number("distributed.timeout_s", "longest wait for another rank", "s", {0.0, 1e6, true, false, "a wait in seconds"}, "", "60"), &DistributedConfig::timeout_s),
        Key::choice("distributed.schedule", "`static`: work is divided beforehand; `dynamic`: ranks draw work units as they become free; `master_worker`: rank 0 hands out units, so that other ranks may be lost or join late ([when](../distributed/RECIPES.md#ranks-that-come-and-go))", kSchedules, &DistributedConfig::schedule, "dynamic"),
    });
    return keys;
}

// clang-format on

namespace {

/// Returns the keys of targets and obstacles, which have readers of their own.
std::vector<KeyInfo> body_keys() {
    // clang-format off
    return {
        KeyInfo::other("targets.<name>.aperture.center", "centre of a window that reflected light must pass: east, north, up", "m", "finite", "required for `aperture`", "[0.0, 3.0, 55.0]"),
        KeyInfo::other("targets.<name>.aperture.normal", "direction in which the window faces, towards the heliostats; any length", "-", "not 0", "required for `aperture`", "[0.0, 1.0, 0.0]"),
        KeyInfo::number("targets.<name>.aperture.radius_m", "round window: its radius", "m", kLengths, "this or width and height required", "2.0"),
        KeyInfo::number("targets.<name>.aperture.width_m", "rectangular window: its extent along the horizontal; with `height_m`", "m", kLengths, "this pair or a radius required", "3.0"),
        KeyInfo::number("targets.<name>.aperture.height_m", "rectangular window: its extent across the horizontal; with `width_m`", "m", kLengths, "this pair or a radius required", "2.5"),
        KeyInfo::number("targets.<name>.outline_m", "convex outline on a flat target: only light inside of it counts; corners [right, up] from its centre, seen from the front", "m", kOutlineCorners, "none: the whole target", "[[-1, -1], [1, -1], [0, 1]]", "{} corners"),
        KeyInfo::other("obstacles[].name", "name of the body, for messages", "-", "each once", "obstacle_1, obstacle_2, ...", "tower"),
        KeyInfo::choice("obstacles[].type", "shape of the body", list_words(kObstacleKinds), "required", "cylinder"),
        KeyInfo::other("obstacles[].base", "`cylinder`: centre of its lower end, also of a cone: east, north, up", "m", "finite", "required for `cone` and `cylinder`", "[0.0, 0.0, 0.0]"),
        KeyInfo::other("obstacles[].axis", "`cylinder`: direction from the lower to the upper end, also of a cone; any length", "-", "not 0", "[0, 0, 1]", "[0.0, 0.0, 1.0]"),
        KeyInfo::number("obstacles[].radius_m", "`cylinder`: its radius, also that of the lower end of a cone", "m", kLengths, "required for `cone` and `cylinder`", "4.0"),
        KeyInfo::number("obstacles[].top_radius_m", "`cone`: radius of its upper end; 0: a point", "m", kTopRadii, "required for `cone`", "2.5"),
        KeyInfo::number("obstacles[].height_m", "`cylinder`: its length along the axis, also of a cone", "m", kLengths, "required for `cone` and `cylinder`", "60.0"),
        KeyInfo::other("obstacles[].center", "`box`: its centre: east, north, up", "m", "finite", "required for `box`", "[0.0, -8.0, 5.0]"),
        KeyInfo::number("obstacles[].size_m", "`box`: extents to its right, ahead and up", "m", kLengths, "required for `box`", "[20.0, 12.0, 10.0]", "each {}"),
        KeyInfo::number("obstacles[].azimuth_deg", "`box`: direction of ahead, clockwise from north", "deg", kBearings, "0", "15.0"),
    };
    // clang-format on
}

template <typename Struct>
void append(std::vector<KeyInfo>& keys, const Struct& config) {
    for (const BoundKey<Struct>& key : bound_keys(config)) keys.push_back(key.info);
}

std::vector<KeyInfo> declared_keys() {
    const RunConfig usual;
    std::vector<KeyInfo> keys;
    // clang-format off
    keys.push_back(KeyInfo::input_file("scenario", "scenario file (HDF5), relative to this file", "required", "plant.h5"));
    append(keys, usual.sun);
    append(keys, usual.aim);
    append(keys, HeliostatAim{});
    keys.push_back(KeyInfo::input_file("aim.file", "file of aim points, relative to this file: CSV as `helioray aim` writes it, with a column `time` or `step` the aim points of each step of a series; or a result (HDF5) of `aim` or `raytrace`", "none", "aims.csv"));
    append(keys, usual.optics);
    append(keys, usual.state);
    for (const KeyInfo& info : body_keys()) keys.push_back(info);
    append(keys, usual.terrain);
    for (const KeyInfo& info : receiver_keys()) keys.push_back(info);
    append(keys, usual.aiming);
    append(keys, usual.tracing);
    append(keys, usual.artist);
    append(keys, usual.bitmap);
    append(keys, usual.output);
    keys.push_back(KeyInfo::other("device", "where to compute; `cuda`: every GPU, or with several ranks one for each; `cuda:0,2`: these; `auto`: cuda where there is a GPU", "-", "auto, cpu, cuda, cuda:N, cuda:N,M", "auto", "cuda:0").without_flux());
    append(keys, usual.distributed);
    // clang-format on
    return keys;
}

}  // namespace

const std::vector<KeyInfo>& known_keys() {
    static const std::vector<KeyInfo> keys = declared_keys();
    return keys;
}

}  // namespace helioray
