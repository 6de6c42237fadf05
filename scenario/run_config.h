// SPDX-License-Identifier: MIT
// What to trace, how finely and where to write: the run configuration after reading and checking,
// in SI units.
#pragma once

#include "scenario/types.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray {

// The sun's position in one of three forms.

/// Position of the sun by its angles.
struct SunAngles {
    double azimuth = 0.0;    ///< radians, clockwise from north
    double elevation = 0.0;  ///< radians above the horizon
};
/// Position of the sun from a time at the plant's position.
struct SunTime {
    std::string iso8601;  ///< with offset, e.g. 2026-06-21T12:00:00+02:00
};
/// Position of the sun from the direction of its light.
struct SunIncidentDirection {
    Vec3 direction{};  ///< propagation direction of sunlight, normalised
};

using SunPosition = std::variant<SunAngles, SunTime, SunIncidentDirection>;

/// One of several positions of the sun.
struct SunStep {
    SunPosition position;
    double dni = 1000.0;  ///< W/m2; 0 only where a series leaves out what gives no light
    std::string where;    ///< place in a file, for messages
};

/// Positions that are traced one after the other.
struct SunSeries {
    std::vector<SunStep> steps;  ///< at least one
    /// Steps without light (sun at or below the horizon, no irradiance) are left out; otherwise
    /// they are errors.
    bool leave_out_dark = false;
};

/// Position, strength and shape of the sun.
struct SunConfig {
    SunPosition position;           ///< without a meaning where there is a series
    double dni = 1000.0;            ///< W/m2
    std::optional<SunShape> shape;  ///< nothing: the scenario's light source
    std::optional<SunSeries> series;
};

/// Where one heliostat aims; unset members fall back to the field-wide settings.
struct HeliostatAim {
    std::optional<std::string> target;
    std::optional<Vec3> point;                             ///< metres, ENU
    std::optional<std::array<double, 2>> motor_positions;  ///< instead of aiming
};

/// Who aims where: the target and point of all heliostats, which of them are active, and what is
/// different for single ones.
struct AimConfig {
    std::optional<std::string> target;  ///< nothing only when every active heliostat names its own
    std::optional<Vec3> point;
    std::optional<std::vector<std::string>> active;  ///< nothing: all heliostats
    std::map<std::string, HeliostatAim> heliostats;
};

/// Angular error distributions; radians.
struct NoError {};
using ErrorShape = std::variant<NoError, GaussianShape, PillboxShape>;

/// What the air between mirrors and targets takes away.
struct AttenuationConfig {
    enum class Model {
        none,
        mirval,
        vittitoe_biggs_clear,
        vittitoe_biggs_hazy,
        exponential,
        polynomial
    };
    Model model = Model::none;
    double per_km = 0.0;  ///< exponential only
    std::array<double, 5>
        coefficients{};  ///< polynomial only: transmittance, powers of the distance in km
};

/// Reflectivity and errors of the mirrors, and the air.
struct OpticsConfig {
    double reflectivity = 0.935;
    ErrorShape slope_error;        ///< of the surface normal about each tangent
    ErrorShape specularity_error;  ///< of the reflected ray about each axis
    double tracking_error = 0.0;   ///< radians, Gaussian per axis, drawn once per heliostat
    AttenuationConfig attenuation;
};

/// Window in front of a target: reflected rays that do not pass through it are spilled.
struct ApertureConfig {
    Vec3 center{};         ///< metres, ENU
    Vec3 normal{0, 1, 0};  ///< unit vector towards the heliostats
    double radius = 0.0;   ///< metres; above 0: a disc, else a rectangle
    double width =
        0.0;  ///< metres, rectangle: along the horizontal in-plane axis (see PlanarTarget)
    double height = 0.0;  ///< metres, rectangle: along the other in-plane axis
};

/// What the configuration adds to a target of the scenario.
struct TargetConfig {
    std::optional<ApertureConfig> aperture;
    /// Convex outline: only light inside of it counts, metres [right, up] from the target's centre
    /// as seen by an observer who faces its front, counter-clockwise; empty: the whole surface.
    std::vector<std::array<double, 2>> outline;
};

// Bodies that cast shadows on mirrors and stand in the way of reflected light.

/// A box that stands upright.
struct BoxObstacle {
    Vec3 center{};         ///< metres, ENU
    Vec3 size{};           ///< metres, along its own axes: right, ahead, up
    double azimuth = 0.0;  ///< radians, clockwise turn of its ahead axis from north
};
/// A closed cylinder in any direction.
struct CylinderObstacle {
    Vec3 base{};          ///< metres, ENU; centre of its lower end
    Vec3 axis{0, 0, 1};   ///< unit vector from the lower to the upper end
    double radius = 0.0;  ///< metres
    double height = 0.0;  ///< metres
};
/// A body that casts shadows and blocks light, with a name for messages.
struct ObstacleConfig {
    std::string name;
    std::variant<BoxObstacle, CylinderObstacle> shape;
};

enum class Model { physical, artist };
enum class Sampling { sobol, random };
enum class Filter { box, bilinear };
enum class Schedule { static_, dynamic };
enum class Backend { automatic, nccl, gloo };

/// The model, how many rays are traced with which seed, and whether mirrors shade and block.
struct TracingConfig {
    Model model = Model::physical;
    int64_t rays_per_heliostat = 1'000'000;
    std::optional<double> relative_error;
    uint64_t seed = 42;
    Sampling sampling = Sampling::sobol;
    bool shading = true;
    bool blocking = true;
};

/// Settings of model "artist" (ARTIST 2.0.0's own parameters).
struct ArtistConfig {
    enum class Magnitude { unit, dni };
    std::array<int64_t, 2> surface_points_per_facet{50, 50};
    std::optional<int64_t> rays_per_point;  ///< nothing: the scenario's
    int64_t batch_size = 100;
    Magnitude magnitude = Magnitude::unit;
    double extinction = 0.0;
};

/// Size of flux maps and how rays are spread over pixels.
struct BitmapConfig {
    int64_t width = 256;
    int64_t height = 256;
    Filter filter = Filter::box;
};

/// Files to write.
struct OutputConfig {
    std::optional<std::filesystem::path> file;   ///< relative to the working directory
    std::optional<std::filesystem::path> image;  ///< nothing: no picture
    bool per_heliostat = false;
};

/// Where the run computes: "auto", "cpu", "cuda" or "cuda:<index>".
struct DeviceConfig {
    enum class Kind { automatic, cpu, cuda };
    Kind kind = Kind::automatic;
    std::optional<int> index;
};

/// How several processes work together.
struct DistributedConfig {
    Backend backend = Backend::automatic;
    double timeout_s = 300.0;
    Schedule schedule = Schedule::static_;
};

/// Where a value of the configuration was written.
struct ConfigLocation {
    std::string source;  ///< file name, or the command line option
    int line = 0;        ///< from 1; 0 on the command line
    int column = 0;      ///< from 1; 0 on the command line
};

/// The whole configuration; every value is checked, every path is resolved.
struct RunConfig {
    std::filesystem::path file;  ///< the YAML file itself; empty for text
    std::filesystem::path
        scenario;  ///< absolute or relative to the working directory (already resolved)
    SunConfig sun;
    AimConfig aim;
    OpticsConfig optics;
    std::map<std::string, TargetConfig> targets;  ///< by name
    std::vector<ObstacleConfig> obstacles;
    TracingConfig tracing;
    ArtistConfig artist;
    BitmapConfig bitmap;
    OutputConfig output;
    DeviceConfig device;
    DistributedConfig distributed;
    std::string text;  ///< the YAML text after overrides, as it is stored in results
    std::map<std::string, ConfigLocation>
        locations;  ///< by key path ("aim.active[2]"), for later messages
};

}  // namespace helioray
