// SPDX-License-Identifier: MIT
// The run configuration after reading and checking: input, accuracy and outputs in SI units.
#pragma once

#include "scenario/types/angle_table.h"
#include "scenario/types/heliostat_state.h"
#include "scenario/types/receiver_config.h"
#include "scenario/types/terrain.h"
#include "scenario/types/types.h"
#include "scenario/types/value_grid.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray {

/// Range of azimuths of the sun, degrees clockwise from north.
inline constexpr Range kBearings{-360.0, 360.0, false, false, "it is a compass bearing"};
/// Range of elevations of the sun, degrees.
inline constexpr Range kElevations{-90.0, 90.0, false, false, "it is an angle above the horizon"};
/// Range of elevations of a sun that gives light, degrees.
inline constexpr Range kElevationsByDay{
    0.0,
    90.0,
    true,
    false,
    "the sun is at or below the horizon: no direct light reaches the mirrors"};
/// Range of the direct normal irradiance, W/m2.
inline constexpr Range kIrradiances{0.0, 10000.0, true, false, "direct normal irradiance in W/m2"};

/// Position of the sun by its angles.
struct SunAngles {
    double azimuth = 0.0;    ///< radians, clockwise from north
    double elevation = 0.0;  ///< radians above the horizon
    /// Time of this position, with offset; empty if not known. The initial value lets braces leave
    /// it out without a warning.
    std::string iso8601 = {};
};
/// Position of the sun from a time at the plant's position.
struct SunTime {
    std::string iso8601;  ///< time with offset, e.g. 2026-06-21T12:00:00+02:00
};
/// Position of the sun from the direction of its light.
struct SunIncidentDirection {
    Vec3 direction{};  ///< propagation direction of sunlight, unit vector
};

/// The sun's position in one of three forms.
using SunPosition = std::variant<SunAngles, SunTime, SunIncidentDirection>;

/// One of several positions of the sun.
struct SunStep {
    SunPosition position;  ///< position in its configured form
    double dni = 1000.0;  ///< direct normal irradiance, W/m2; 0 only if the series omits dark steps
    std::string where;    ///< place in a file, for messages
    /// The table has no irradiance for this step, which is an error unless the sun is down.
    bool dni_is_missing = false;
    /// Temperature of the air, °C; not set: that of the configuration.
    std::optional<double> temperature = {};
};

/// Positions that are traced in succession.
struct SunSeries {
    /// At least one step; empty in a draft with problems in the series.
    std::vector<SunStep> steps;
    /// Omit steps without light (sun at or below the horizon, no irradiance). Otherwise they are
    /// errors.
    bool leave_out_dark = false;
};

/// Range of the fraction of the irradiance that clouds let through.
inline constexpr Range kSunlitShares{0.0, 1.0, false, false, "it is a share of the irradiance"};

/// Clouds between the sun and the heliostats: see sunlit_shares().
struct CloudConfig {
    std::filesystem::path file;  ///< file with the clouds
    /// Fractions of the irradiance by name of the heliostat, from an instant on (milliseconds since
    /// 1970); a single entry with the lowest number if they do not change. Empty if there is a map.
    std::map<std::int64_t, std::map<std::string, double>> by_heliostat;
    std::optional<ValueGrid> map;      ///< fractions by position, metres east and north
    std::array<double, 2> velocity{};  ///< velocity of the map, m/s to the east and to the north
    std::optional<std::int64_t> map_instant;  ///< instant for which the file gives the map
};

/// Position, strength and shape of the sun.
struct SunConfig {
    SunPosition position;      ///< position; not used with a series
    bool has_position = true;  ///< false: no position is given, and none was required
    /// Direct normal irradiance, W/m2, above 0; steps of a series have their own.
    double dni = 1000.0;
    /// Temperature of the air, °C; steps of a series may have their own. Not set: unknown, which is
    /// an error for mirrors whose shape changes with it.
    std::optional<double> temperature;
    std::optional<SunShape> shape;  ///< shape; not set: that of the scenario's light source
    std::optional<std::filesystem::path> shape_file;  ///< file of a tabulated shape
    std::optional<SunSeries> series;  ///< series of positions; not set: the single position above
    std::optional<std::filesystem::path> series_file;  ///< file of the series, if it has one
    /// Clouds; not set: all heliostats receive the same irradiance.
    std::optional<CloudConfig> clouds;
};

/// Returns the time of the sun's single position in ISO 8601; empty if it is not known.
std::string position_time(const SunConfig& sun);

/// Aim of one heliostat; members that are not set fall back to the field-wide settings.
struct HeliostatAim {
    std::optional<std::string> target;  ///< name of the target
    std::optional<Vec3> point;          ///< aim point, metres, ENU
    /// Motor positions that replace aiming, steps (linear) or radians (ideal).
    std::optional<std::array<double, 2>> motor_positions;
    bool active = true;  ///< false: turned off, even if AimConfig::active lists it
};

/// Aims: target and point of all heliostats, the active heliostats, and settings of single
/// heliostats.
struct AimConfig {
    /// Target; may be unset only if every active heliostat names one.
    std::optional<std::string> target;
    std::optional<Vec3> point;  ///< aim point, metres, ENU; not set: default_aim_point()
    std::optional<std::vector<std::string>> active;  ///< active heliostats; not set: all
    std::map<std::string, HeliostatAim> heliostats;  ///< heliostats with separate settings, by name
    /// Source of the settings of heliostats, except for those in the configuration itself.
    std::optional<std::filesystem::path> file;
};

/// Range of the flux that a receiver can bear, W/m2.
inline constexpr Range kFluxLimits{0.0, 1e9, true, false, "it is a flux that the receiver bears"};

/// Admissible values of aiming.robust_confidence.
inline constexpr Range kRobustConfidences{
    0.5, 0.99, false, false, "it is a probability, learned from a few hundred draws"};

/// Settings of `helioray aim`.
struct AimingConfig {
    /// Strategies for aim points.
    enum class Strategy {
        center,   ///< the default aim point of each target
        equator,  ///< at half the height, where the target is nearest to the heliostat
        /// Heliostats by descending image size, each to the place with the lowest flux.
        image_size,
        sigma,    ///< at a distance of sigma_factor times the image's width from the edges
        optimize  ///< most power, or the target flux map, under the flux limits
    };
    Strategy strategy = Strategy::optimize;  ///< strategy for the aim points
    std::optional<double> flux_limit;        ///< flux limit on all targets, W/m2, in kFluxLimits
    /// File with limits by position (CSV or HDF5), which replaces flux_limit.
    std::optional<std::filesystem::path> flux_limit_file;
    /// File with target flux maps (optimize); not set: maximise the power.
    std::optional<std::filesystem::path> target_map;
    /// Measures of the distance between a map and the target flux map.
    enum class MapMeasure {
        mean_square,  ///< mean square of the differences
        kl            ///< Kullback-Leibler divergence, including the power
    };
    MapMeasure map_measure = MapMeasure::mean_square;  ///< measure for target_map
    double sigma_factor = 2.0;  ///< factor of strategy sigma, in standard deviations of the image
    /// Number of standard deviations of each pixel's flux, from aim errors, that are added to the
    /// mean flux for the limits.
    double robust_sigma = 0.0;
    /// Probability that all pixels of all targets keep their limits together in another draw of the
    /// aim errors, in kRobustConfidences; replaces robust_sigma.
    std::optional<double> robust_confidence;
    /// Returns true if limits leave room for aim errors.
    bool is_robust() const { return robust_sigma > 0.0 || robust_confidence.has_value(); }
    /// Fractions of the total power that targets should receive, by name: above 0, two or more,
    /// with sum 1; empty: heliostats aim at the targets of section aim.
    std::map<std::string, double> target_shares;
    /// Longest movement of an aim point from one step of a series to the next, metres per minute;
    /// not set: no limit.
    std::optional<double> max_move_m_per_minute;
    /// Smallest movement of an aim point, metres: a heliostat whose new aim point is nearer to the
    /// previous one does not move, unless the limits require it. 0: all move.
    double min_move = 0.0;
};

/// Range of the fraction of the reflectivity that soiling takes.
inline constexpr Range kSoilings{0.0, 1.0, false, false, "it is a share of the reflectivity"};
/// Range of the widths of angular distributions, radians: larger ones indicate a wrong unit.
inline constexpr Range kAngularWidths{0.0, 0.5, false, false, "it is an angular width in mrad"};
/// Range of the fraction of the power that mirrors reflect.
inline constexpr Range kReflectivities{0.0, 1.0, false, false, "it is a share of the power"};

/// Directions are exact.
struct NoError {};
/// Angular error distributions; radians.
using ErrorShape = std::variant<NoError, GaussianShape, PillboxShape>;

/// Attenuation by the air between mirrors and targets.
struct AttenuationConfig {
    /// Models, whose formulas and sources are documented at attenuation_record().
    enum class Model {
        none,                  ///< no attenuation
        mirval,                ///< MIRVAL's polynomial
        vittitoe_biggs_clear,  ///< visual range of 23 km
        vittitoe_biggs_hazy,   ///< visual range of 5 km
        exponential,           ///< depends on per_km
        polynomial             ///< depends on the coefficients
    };
    Model model = Model::none;  ///< model of the transmittance over the slant range
    double per_km = 0.0;        ///< extinction coefficient of `exponential`, 1/km, 0 or more
    /// Coefficients of `polynomial`: transmittance by powers of the distance in km, constant first.
    std::array<double, 5> coefficients{};
};

/// Reflectivity and errors of the mirrors, and the air.
struct OpticsConfig {
    double reflectivity = 0.935;   ///< fraction of the power that the mirrors reflect
    ErrorShape slope_error;        ///< distribution of the surface normal about each tangent
    ErrorShape specularity_error;  ///< distribution of the reflected ray about each axis
    /// Standard deviation per axis, radians, Gaussian, drawn once per heliostat.
    double tracking_error = 0.0;
    AttenuationConfig attenuation;  ///< attenuation over the slant range to the target
    /// Factors of every reflectivity by angle of incidence, radians, ascending; linear in between,
    /// constant beyond both ends. Empty: 1 at all angles.
    std::vector<AngleValue> reflectivity_by_angle;
};

/// Range of lengths, metres: larger ones indicate a wrong unit.
inline constexpr Range kLengths{0.0, 1e6, true, false, "it is a length in metres"};
/// Range of the radius of a cone's upper end, metres.
inline constexpr Range kTopRadii{0.0, 1e6, false, false, "it is a length in metres"};

/// Window in front of a target: reflected rays that do not pass through it are spilled.
struct ApertureConfig {
    Vec3 center{};         ///< metres, ENU
    Vec3 normal{0, 1, 0};  ///< unit vector towards the heliostats
    double radius = 0.0;   ///< radius of a disc, metres; 0: a rectangle
    /// Width of a rectangle along the horizontal in-plane axis, metres (see PlanarTarget).
    double width = 0.0;
    double height = 0.0;  ///< height of a rectangle along the other in-plane axis, metres
};

/// Settings that the configuration adds to a target of the scenario.
struct TargetConfig {
    /// Aperture; not set: light may come from all directions.
    std::optional<ApertureConfig> aperture;
    /// Convex outline that restricts the target, metres [right, up] from the target's centre for an
    /// observer who faces its front, counter-clockwise; empty: the whole surface.
    std::vector<std::array<double, 2>> outline;
};

/// An upright box.
struct BoxObstacle {
    Vec3 center{};         ///< metres, ENU
    Vec3 size{};           ///< sizes along the box's axes, metres: right, ahead, up
    double azimuth = 0.0;  ///< clockwise turn of the box's ahead axis from north, radians
};
/// A closed cylinder in any direction.
struct CylinderObstacle {
    Vec3 base{};          ///< centre of the lower end, metres, ENU
    Vec3 axis{0, 0, 1};   ///< unit vector from the lower to the upper end
    double radius = 0.0;  ///< metres
    double height = 0.0;  ///< metres
};
/// A closed, truncated cone in any direction.
struct ConeObstacle {
    Vec3 base{};              ///< centre of the lower end, metres, ENU
    Vec3 axis{0, 0, 1};       ///< unit vector from the lower to the upper end
    double radius = 0.0;      ///< radius of the lower end, metres
    double top_radius = 0.0;  ///< radius of the upper end, metres; 0: a point
    double height = 0.0;      ///< metres
};
/// A body that casts shadows and blocks light, with a name for messages.
struct ObstacleConfig {
    std::string name;  ///< unique name from the configuration, otherwise "obstacle_1", ...
    std::variant<BoxObstacle, CylinderObstacle, ConeObstacle> shape;  ///< shape and position
};

/// Models of the flux: HelioRay's own, or that of ARTIST 2.0.0 including its quirks.
enum class Model { physical, artist };
/// Sampling of rays (physical): Sobol points, which need fewer rays for the same error, or
/// independent random numbers.
enum class Sampling { sobol, random };
/// Quantity of every target to which tracing.relative_error applies (physical).
enum class AccuracyOf { power, peak };
/// Deposition of a ray's power on the bitmap (physical): into the pixel it hits, or over four
/// pixels so that the map is smooth in the hit point.
enum class Filter { box, bilinear };
/// Facets of one mirror shade and block each other (physical): always, never, or automatically
/// where their centres lie at different depths.
enum class FacetOcclusion { automatic, on, off };
/// Distribution of work over ranks: in advance, drawn by ranks as they become free, or handed out
/// by rank 0 to ranks that may be lost or join late.
enum class Schedule { static_, dynamic, master_worker };
/// Communication of ranks; automatic: nccl if every rank has its own CUDA device, otherwise gloo.
enum class Backend { automatic, nccl, gloo };

/// Range of the rays of one heliostat; a field has at most kMostRaysOfField.
inline constexpr Range kRayCounts{1.0, 1e15};
/// Range of the pixels along either side of a bitmap.
inline constexpr Range kPixelCounts{1.0, 16384.0};

/// Model, number of rays and seed of a trace, and switches for shading and blocking.
struct TracingConfig {
    Model model = Model::physical;           ///< artist ignores members marked (physical)
    int64_t rays_per_heliostat = 1'000'000;  ///< rays per active heliostat (physical)
    /// Trace until the standard error of every target's power or peak flux is below this fraction
    /// of it, (0, 1) (physical); not set: trace rays_per_heliostat.
    std::optional<double> relative_error;
    AccuracyOf relative_error_of = AccuracyOf::power;  ///< quantity to which relative_error applies
    uint64_t seed = 42;  ///< seed of all random numbers; artist uses its low 32 bits
    Sampling sampling = Sampling::sobol;  ///< (physical)
    /// Mirrors and obstacles obstruct sunlight on its way to mirrors (physical).
    bool shading = true;
    /// Mirrors and obstacles obstruct reflected light; artist: its soft blocking.
    bool blocking = true;
    /// Facets of one mirror obstruct each other's light (physical).
    FacetOcclusion facet_occlusion = FacetOcclusion::automatic;
};

/// Settings of model "artist" (ARTIST 2.0.0's own parameters).
struct ArtistConfig {
    /// Weight of a ray: 1, so that bitmaps count rays, or its part of the irradiance in W.
    enum class Magnitude { unit, dni };
    /// Points along e and along n, 2 or more each.
    std::array<int64_t, 2> surface_points_per_facet{50, 50};
    std::optional<int64_t> rays_per_point;  ///< rays per point; not set: as in the scenario
    /// Number of heliostats traced together; results with blocking depend on it.
    int64_t batch_size = 100;
    Magnitude magnitude = Magnitude::unit;  ///< unit of the bitmaps: "1" or "W"
    /// Fraction of every ray that is lost, for any length of its path, [0, 1].
    double extinction = 0.0;
};

/// Size of flux maps, and filter of their pixels.
struct BitmapConfig {
    int64_t width = 256;          ///< pixels across every target
    int64_t height = 256;         ///< pixels up every target
    Filter filter = Filter::box;  ///< artist always distributes rays over four pixels
};

/// Files to write.
struct OutputConfig {
    /// Result file (HDF5), relative to the working directory; not set: none.
    std::optional<std::filesystem::path> file;
    /// Picture of the maps, relative to the working directory; not set: none.
    std::optional<std::filesystem::path> image;
    bool per_heliostat = false;  ///< store the map of every heliostat in the result file
    /// Interval of checkpoints beside the result file, minutes; 0: none.
    double checkpoint_minutes = 1.0;
};

/// Device of the run: "auto", "cpu", "cuda" or "cuda:<index>,<index>...".
struct DeviceConfig {
    /// Kind of device; automatic: a GPU if there is one, otherwise the CPU.
    enum class Kind { automatic, cpu, cuda };
    Kind kind = Kind::automatic;  ///< kind of the device
    std::vector<int> indices;     ///< CUDA devices, from 0, each once; empty: all of them
};

/// Settings for several processes.
struct DistributedConfig {
    Backend backend = Backend::automatic;  ///< communication of ranks
    double timeout_s = 300.0;              ///< longest wait for another rank, seconds
    /// Distribution of the work; it does not affect results.
    Schedule schedule = Schedule::static_;
};

/// Place of a value in the configuration.
struct ConfigLocation {
    std::string source;  ///< file name, or command line option
    int line = 0;        ///< line, from 1; 0 on the command line
    int column = 0;      ///< column, from 1; 0 on the command line
};

/// The whole configuration; every value is checked, every path is resolved.
struct RunConfig {
    std::filesystem::path file;  ///< path of the YAML file; empty for text
    /// Path of the scenario, absolute or relative to the working directory (already resolved).
    std::filesystem::path scenario;

    // The following members are the sections of the configuration; configs/README.md describes all
    // keys.
    SunConfig sun;                                    ///< sun
    AimConfig aim;                                    ///< targets and aim points
    AimingConfig aiming;                              ///< settings of the command aim
    OpticsConfig optics;                              ///< reflectivity, errors and attenuation
    StateConfig state;                                ///< state of single heliostats
    std::map<std::string, TargetConfig> targets;      ///< targets with separate settings, by name
    std::map<std::string, ReceiverConfig> receivers;  ///< receivers besides those of the scenario
    std::vector<ObstacleConfig> obstacles;  ///< bodies that shade mirrors and block reflected light
    TerrainConfig terrain;                  ///< ground with hills that shade and block
    TracingConfig tracing;                  ///< rays
    ArtistConfig artist;                    ///< settings of model artist
    BitmapConfig bitmap;                    ///< flux maps
    OutputConfig output;                    ///< files
    DeviceConfig device;                    ///< device
    DistributedConfig distributed;          ///< processes

    std::vector<std::string> warnings;  ///< remarks for users, such as unused columns
    std::string text;                   ///< YAML text after overrides, as stored in results
    std::string folder;  ///< folder to which the paths of input files in `text` are relative
    std::map<std::string, ConfigLocation>
        locations;  ///< places by key path ("aim.active[2]"), for later messages
};

/// Returns "file:line:column: key.path", "file: key.path" or "--option key.path"; options such as
/// "--output" appear without a key.
std::string where(const ConfigLocation& at, const std::string& path);

/// Returns the place of a key for messages: "file:line:column: key.path". If the key is not
/// written, this is the place of the nearest section.
std::string place_of(const RunConfig& config, const std::string& key_path);

}  // namespace helioray
