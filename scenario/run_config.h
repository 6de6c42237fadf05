// SPDX-License-Identifier: MIT
// The run configuration after reading and checking: input, accuracy, outputs,
// in SI units.
#pragma once

#include "scenario/types.h"
#include "scenario/value_grid.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray {

/// Angles of the sun in degrees, as users give them: azimuth (clockwise from north), elevation, and
/// elevation of a sun that gives light.
inline constexpr Range kBearings{-360.0, 360.0, false, false, "it is a compass bearing"};
inline constexpr Range kElevations{-90.0, 90.0, false, false, "it is an angle above the horizon"};
inline constexpr Range kElevationsByDay{
    0.0,
    90.0,
    true,
    false,
    "the sun is at or below the horizon: no direct light reaches the mirrors"};
/// Direct normal irradiance, W/m2.
inline constexpr Range kIrradiances{0.0, 10000.0, true, false, "direct normal irradiance in W/m2"};

/// Position of the sun by its angles.
struct SunAngles {
    double azimuth = 0.0;    ///< radians, clockwise from north
    double elevation = 0.0;  ///< radians above the horizon
    std::string iso8601;     ///< when the sun stands there, with offset; empty where it is unknown
};
/// Position of the sun from a time at the plant's position.
struct SunTime {
    std::string iso8601;  ///< with offset, e.g. 2026-06-21T12:00:00+02:00
};
/// Position of the sun from the direction of its light.
struct SunIncidentDirection {
    Vec3 direction{};  ///< propagation direction of sunlight, normalised
};

/// The sun's position in one of three forms.
using SunPosition = std::variant<SunAngles, SunTime, SunIncidentDirection>;

/// One of several positions of the sun.
struct SunStep {
    SunPosition position;  ///< in the form it was configured in
    double dni = 1000.0;   ///< W/m2; 0 only where a series leaves out what gives no light
    std::string where;     ///< place in a file, for messages
    /// The table has no irradiance for this step, which is an error unless the sun is down.
    bool dni_is_missing = false;
};

/// Positions that are traced one after the other.
struct SunSeries {
    std::vector<SunStep> steps;  ///< at least one; none in a draft with problems here
    /// Steps without light (sun at or below the horizon, no irradiance) are left out; otherwise
    /// they are errors.
    bool leave_out_dark = false;
};

/// Share of the irradiance that clouds let through, 0 to 1.
inline constexpr Range kSunlitShares{0.0, 1.0, false, false, "it is a share of the irradiance"};

/// Clouds between the sun and the heliostats: see sunlit_shares().
struct CloudConfig {
    std::filesystem::path file;  ///< where it comes from
    /// By name of a heliostat the share that it receives, from an instant on (milliseconds since
    /// 1970); one entry with the lowest number where shares do not change. Empty: there is a map.
    std::map<std::int64_t, std::map<std::string, double>> by_heliostat;
    std::optional<ValueGrid> map;             ///< shares by place, metres east and north
    std::array<double, 2> velocity{};         ///< of the map, m/s to the east and to the north
    std::optional<std::int64_t> map_instant;  ///< when it is where the file says
};

/// Position, strength and shape of the sun.
struct SunConfig {
    SunPosition position;      ///< without a meaning where there is a series, or none
    bool has_position = true;  ///< false: none is given, and none had to be
    double dni = 1000.0;       ///< direct normal, W/m2, above 0; steps of a series have their own
    std::optional<SunShape> shape;      ///< nothing: the scenario's light source
    std::optional<SunSeries> series;    ///< nothing: the one position above
    std::optional<CloudConfig> clouds;  ///< nothing: all heliostats receive the same irradiance
};

/// Where one heliostat aims; unset members fall back to the field-wide settings.
struct HeliostatAim {
    std::optional<std::string> target;  ///< name
    std::optional<Vec3> point;          ///< metres, ENU
    std::optional<std::array<double, 2>>
        motor_positions;  ///< instead of aiming; steps (linear) or radians (ideal)
    bool active = true;   ///< false: turned off, whatever AimConfig::active says
};

/// Aims: the target and point of all heliostats, the active ones among them, and settings of single
/// heliostats.
struct AimConfig {
    std::optional<std::string> target;  ///< nothing only when every active heliostat names its own
    std::optional<Vec3> point;          ///< metres, ENU; nothing: default_aim_point()
    std::optional<std::vector<std::string>> active;  ///< nothing: all heliostats
    std::map<std::string, HeliostatAim> heliostats;  ///< by name; those with settings of their own
    /// Where the settings of heliostats come from, but for those of the configuration itself.
    std::optional<std::filesystem::path> file;
};

/// Flux that a receiver bears, W/m2.
inline constexpr Range kFluxLimits{0.0, 1e9, true, false, "it is a flux that the receiver bears"};

/// Admissible values of aiming.robust_confidence.
inline constexpr Range kRobustConfidences{
    0.5, 0.99, false, false, "it is a probability, learned from a few hundred draws"};

/// How `helioray aim` chooses aim points.
struct AimingConfig {
    /// Rules for aim points, and the optimum.
    enum class Strategy {
        center,      ///< the default aim point of each target
        equator,     ///< half way up, where the target is nearest to the heliostat
        image_size,  ///< one after the other, largest image first, to where the flux is lowest
        sigma,       ///< as far from the edges as sigma_factor times the image's width
        optimize     ///< most power, or the wanted map, under the flux limits
    };
    Strategy strategy = Strategy::optimize;  ///< see above
    std::optional<double> flux_limit;        ///< W/m2 on all targets, kFluxLimits
    /// Limits by place (CSV or HDF5); instead of flux_limit.
    std::optional<std::filesystem::path> flux_limit_file;
    /// File with the maps to come close to (optimize); nothing: the power counts.
    std::optional<std::filesystem::path> target_map;
    /// How far a map is from the wanted one.
    enum class MapMeasure {
        mean_square,  ///< by the mean square of the differences
        kl            ///< by the Kullback-Leibler divergence, with power counted
    };
    MapMeasure map_measure = MapMeasure::mean_square;  ///< of target_map
    double sigma_factor = 2.0;  ///< of strategy sigma, in standard deviations of the image
    /// Standard deviations of the flux of each pixel, from aim errors, that limits leave room for.
    double robust_sigma = 0.0;
    /// Probability that all pixels of all targets keep their limits together in another draw of the
    /// aim errors, kRobustConfidences; instead of robust_sigma.
    std::optional<double> robust_confidence;
    /// True if limits leave room for aim errors.
    bool is_robust() const { return robust_sigma > 0.0 || robust_confidence.has_value(); }
    /// Shares of the power that targets shall get, by name: above 0, two or more, with sum 1;
    /// empty: heliostats aim at the targets of section aim.
    std::map<std::string, double> target_shares;
    /// Longest way of an aim point from one step of a series to the next, metres per minute;
    /// nothing: any.
    std::optional<double> max_move_m_per_minute;
    /// Metres: a heliostat whose new aim point is nearer to the one before keeps that one, unless
    /// the limits want it to move. 0: all move.
    double min_move = 0.0;
};

/// Widths of angular distributions, radians: wider ones are mistakes of unit.
inline constexpr Range kAngularWidths{0.0, 0.5, false, false, "it is an angular width in mrad"};
/// Share of the power that mirrors reflect.
inline constexpr Range kReflectivities{0.0, 1.0, false, false, "it is a share of the power"};

/// Directions are exact.
struct NoError {};
/// Angular error distributions; radians.
using ErrorShape = std::variant<NoError, GaussianShape, PillboxShape>;

/// Attenuation by the air between mirrors and targets.
struct AttenuationConfig {
    /// Formulas and their sources: attenuation_record().
    enum class Model {
        none,                  ///< all light arrives
        mirval,                ///< MIRVAL's polynomial
        vittitoe_biggs_clear,  ///< visual range of 23 km
        vittitoe_biggs_hazy,   ///< visual range of 5 km
        exponential,           ///< per_km decides
        polynomial             ///< the coefficients decide
    };
    Model model = Model::none;  ///< of the transmittance over the slant range
    double per_km = 0.0;        ///< exponential only: extinction coefficient, 1/km, 0 or more
    std::array<double, 5> coefficients{};  ///< polynomial only: transmittance by powers of the
                                           ///< distance in km, constant first
};

/// Reflectivity and errors of the mirrors, and the air.
struct OpticsConfig {
    double reflectivity = 0.935;    ///< share of the power that the mirrors reflect
    ErrorShape slope_error;         ///< of the surface normal about each tangent
    ErrorShape specularity_error;   ///< of the reflected ray about each axis
    double tracking_error = 0.0;    ///< radians, Gaussian per axis, drawn once per heliostat
    AttenuationConfig attenuation;  ///< over the slant range, on the way to the target
};

/// Lengths in metres: longer ones are mistakes of unit.
inline constexpr Range kLengths{0.0, 1e6, true, false, "it is a length in metres"};

/// Window in front of a target: reflected rays that do not pass through it are spilled.
struct ApertureConfig {
    Vec3 center{};         ///< metres, ENU
    Vec3 normal{0, 1, 0};  ///< unit vector towards the heliostats
    double radius = 0.0;   ///< metres; above 0: a disc, else a rectangle
    double width =
        0.0;  ///< metres, rectangle: along the horizontal in-plane axis (see PlanarTarget)
    double height = 0.0;  ///< metres, rectangle: along the other in-plane axis
};

/// The configuration's additions to a target of the scenario.
struct TargetConfig {
    std::optional<ApertureConfig> aperture;  ///< nothing: light may come from everywhere
    /// Convex outline: only light inside of it counts, metres [right, up] from the target's centre
    /// as seen by an observer who faces its front, counter-clockwise; empty: the whole surface.
    std::vector<std::array<double, 2>> outline;
};

/// An upright box.
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
    std::string name;  ///< unique; the configuration's, else "obstacle_1", ...
    std::variant<BoxObstacle, CylinderObstacle> shape;  ///< with its place
};

/// Which formulas make the flux: the program's own, or ARTIST 2.0.0's, quirks included.
enum class Model { physical, artist };
/// How rays are drawn (physical): Sobol points, which need fewer rays for the same error, or
/// independent random numbers.
enum class Sampling { sobol, random };
/// Which number of every target tracing.relative_error is about (physical).
enum class AccuracyOf { power, peak };
/// How a ray's power falls on the bitmap (physical): into the pixel it hits, or spread over four so
/// that the map is smooth in the hit point.
enum class Filter { box, bilinear };
/// How work is divided over ranks: beforehand, or drawn by ranks as they become free.
enum class Schedule { static_, dynamic };
/// How ranks talk; automatic: nccl where every rank has a CUDA device of its own, else gloo.
enum class Backend { automatic, nccl, gloo };

/// Rays of one heliostat; a field has at most kMostRaysOfField.
inline constexpr Range kRayCounts{1.0, 1e15};
/// Pixels along either side of a bitmap.
inline constexpr Range kPixelCounts{1.0, 16384.0};

/// The model, how many rays are traced with which seed, and whether mirrors shade and block.
struct TracingConfig {
    Model model = Model::physical;           ///< artist ignores members marked (physical)
    int64_t rays_per_heliostat = 1'000'000;  ///< of each active one (physical)
    /// Go on until the standard error of every target's power or peak flux is below this share of
    /// it, (0, 1) (physical); nothing: rays_per_heliostat decides.
    std::optional<double> relative_error;
    AccuracyOf relative_error_of = AccuracyOf::power;  ///< what relative_error is about
    uint64_t seed = 42;                   ///< of all random numbers; artist takes its low 32 bits
    Sampling sampling = Sampling::sobol;  ///< (physical)
    bool shading = true;   ///< mirrors and obstacles keep sunlight from mirrors (physical)
    bool blocking = true;  ///< the same for reflected light; artist: its soft blocking
};

/// Settings of model "artist" (ARTIST 2.0.0's own parameters).
struct ArtistConfig {
    /// The weight of a ray: 1, so that bitmaps are in rays, or its share of the irradiance in W.
    enum class Magnitude { unit, dni };
    std::array<int64_t, 2> surface_points_per_facet{50, 50};  ///< along e, along n; 2 or more
    std::optional<int64_t> rays_per_point;                    ///< nothing: the scenario's
    int64_t batch_size = 100;  ///< heliostats traced at once; with blocking, results depend on it
    Magnitude magnitude = Magnitude::unit;  ///< unit of the bitmaps: "1" or "W"
    double extinction = 0.0;  ///< share of every ray that is lost, whatever its length, [0, 1]
};

/// Size of flux maps and how rays are spread over pixels.
struct BitmapConfig {
    int64_t width = 256;          ///< pixels across every target
    int64_t height = 256;         ///< pixels up every target
    Filter filter = Filter::box;  ///< artist always spreads rays over four pixels
};

/// Files to write.
struct OutputConfig {
    /// Result (HDF5), relative to the working directory; nothing: none is written.
    std::optional<std::filesystem::path> file;
    /// Picture of the maps, relative to the working directory; nothing: none is drawn.
    std::optional<std::filesystem::path> image;
    bool per_heliostat = false;  ///< the result file also holds the map of every heliostat
    /// How often what is traced is kept beside the result file, minutes; 0: never.
    double checkpoint_minutes = 1.0;
};

/// Where the run computes: "auto", "cpu", "cuda" or "cuda:<index>".
struct DeviceConfig {
    /// automatic: a GPU where there is one, else the CPU.
    enum class Kind { automatic, cpu, cuda };
    Kind kind = Kind::automatic;  ///< of device
    std::optional<int> index;     ///< CUDA device, from 0; nothing: chosen by the local rank
};

/// How several processes work together.
struct DistributedConfig {
    Backend backend = Backend::automatic;   ///< how they talk
    double timeout_s = 300.0;               ///< longest wait for another rank, seconds
    Schedule schedule = Schedule::static_;  ///< how they share the work; results are the same
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

    /// The sections of the configuration; configs/README.md describes all keys.
    SunConfig sun;
    AimConfig aim;
    AimingConfig aiming;  ///< of the command aim
    OpticsConfig optics;
    std::map<std::string, TargetConfig> targets;  ///< by name; those with settings of their own
    std::vector<ObstacleConfig> obstacles;  ///< bodies that shade mirrors and block reflected light
    TracingConfig tracing;
    ArtistConfig artist;
    BitmapConfig bitmap;
    OutputConfig output;
    DeviceConfig device;
    DistributedConfig distributed;

    std::vector<std::string> warnings;  ///< Remarks for users, such as columns that are not used.
    std::string text;  ///< the YAML text after overrides, as it is stored in results
    std::map<std::string, ConfigLocation>
        locations;  ///< by key path ("aim.active[2]"), for later messages
};

}  // namespace helioray
