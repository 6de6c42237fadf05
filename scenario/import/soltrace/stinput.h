// SPDX-License-Identifier: MIT
// SolTrace's input files: sun, optics, stages and elements as written, with their frames.
#pragma once

#include "scenario/reader/read_log.h"
#include "scenario/types/types.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::soltrace {

/// Position of the sun and distribution of its light.
struct SunBlock {
    int line = 0;  ///< first line in the file, from 1
    /// Rays start at the position, instead of coming from its direction.
    bool point_source = false;
    char shape = 'g';         ///< shape: 'g' Gaussian, 'p' pillbox, 'd' table
    double sigma = 0.0;       ///< standard deviation per axis of 'g', mrad
    double half_width = 0.0;  ///< angular radius of 'p', mrad
    Vec3 position{};          ///< direction to the sun, any length; metres for a point source
    bool from_time = false;   ///< use latitude, day and hour instead of the position
    double latitude = 0.0;    ///< latitude, degrees
    double day = 0.0;         ///< day of the year
    double hour = 0.0;        ///< solar time, hours
    std::vector<std::array<double, 2>> table;  ///< rows of 'd': angle in mrad, relative intensity
};

/// One side of a surface.
struct OpticSide {
    int line = 0;                 ///< line in the file, from 1
    char distribution = 'g';      ///< distribution of both errors: 'g' Gaussian, 'p' pillbox
    double reflectivity = 0.0;    ///< reflected fraction of the light
    double transmissivity = 0.0;  ///< transmitted fraction of the light; only used for refraction
    double slope_error = 0.0;     ///< slope error, mrad
    double specularity_error = 0.0;  ///< specularity error, mrad
    /// Rows of the reflectivity by angle of incidence: angle in mrad, reflected fraction. Empty:
    /// the reflectivity above counts.
    std::vector<std::array<double, 2>> table = {};
};

/// Optical properties of both sides of an element.
struct OpticPair {
    std::string name;  ///< name to which elements refer
    OpticSide front;   ///< side towards +z of the element
    OpticSide back;    ///< side towards -z of the element
};

/// One optical element of a stage.
struct Element {
    int line = 0;             ///< line in the file, from 1
    int number = 0;           ///< number in the stage, from 1
    bool enabled = true;      ///< false: light passes through the element
    Vec3 position{};          ///< position in the frame of the stage, metres
    Vec3 aim{};               ///< point on the element's z axis in the frame of the stage, metres
    double z_rotation = 0.0;  ///< rotation about the z axis, degrees
    char aperture = 'r';      ///< outline: 'r' rectangle, 'l' part of a cylinder, others
    /// Sizes of the outline, metres; 'r': width along x, height along y; 'l': from and to in x
    /// (both 0: the full cylinder), length along y.
    std::array<double, 8> aperture_values{};
    char surface = 'f';  ///< 'f' flat, 'p' paraboloid, 's' sphere, 't' cylinder, others
    /// Parameters of the surface; 'p': curvatures along x and y in 1/m; 's', 't': one curvature.
    std::array<double, 8> surface_values{};
    /// File of a measured surface, which is not supported; otherwise empty.
    std::string surface_file;
    std::string optic;    ///< name of an OpticPair
    int interaction = 2;  ///< 1 refraction, 2 reflection
    std::string comment;  ///< comment, which names receivers; may be empty
};

/// A stage with its frame and elements.
struct Stage {
    int line = 0;                   ///< line in the file, from 1
    std::string name;               ///< name; may be empty
    Vec3 position{};                ///< position in the global frame, metres
    Vec3 aim{};                     ///< point on the stage's z axis in the global frame, metres
    double z_rotation = 0.0;        ///< rotation about the z axis, degrees
    bool is_virtual = false;        ///< the stage only counts rays that pass
    bool has_multiple_hits = true;  ///< a ray may hit several elements of the stage
    bool traces_through = false;    ///< rays that miss the stage continue to the next one
    std::vector<Element> elements;  ///< elements in the order of the file
};

/// Settings of SolTrace's ray tracing: the line TRACE after the stages.
struct TraceBlock {
    int line = 0;                 ///< line in the file, from 1
    bool has_sun_shape = true;    ///< false: all rays of the sun are parallel
    bool has_errors = true;       ///< false: mirrors have neither slope nor specularity errors
    std::string without_meaning;  ///< settings that apply to SolTrace only: "NRAY 10000, SEED 123"
};

/// Content of a SolTrace input file, as written.
struct Project {
    std::string file;               ///< name of the file, for messages
    std::string version;            ///< version, "3.4.0"; empty for a file without a version line
    SunBlock sun;                   ///< sun
    std::vector<OpticPair> optics;  ///< optical properties in the order of the file
    std::vector<Stage> stages;      ///< stages in the order in which light passes them
    /// Settings of the trace; not set if the file has no such line.
    std::optional<TraceBlock> trace;
    std::vector<std::string> ignored;  ///< lines without meaning, as remarks

    std::string where(int line) const;  ///< returns "FILE:line"; only the file for line 0
};

/// Reads a file as SolTrace 2012 to 3.x writes it. The format has no description but its source:
/// NREL/SolTrace, app/src/project.cpp and coretrace/strace/main.cpp. Lines are separated by tabs:
///
///     # SOLTRACE VERSION 3.4.0 INPUT FILE (may be missing)
///     SUN  PTSRC 0  SHAPE g  SIGMA 2.73  HALFWIDTH 4.65
///     XYZ x y z  USELDH 0  LDH latitude day hour
///     USER SHAPE DATA n, and n lines of angle and intensity
///     OPTICS LIST COUNT n, and for each OPTICAL PAIR name, and a line OPTICAL... for front and
///     back STAGE LIST COUNT n, and for each STAGE XYZ .. AIM .. ZROT .. VIRTUAL .. MULTIHIT ..
///     ELEMENTS m TRACETHROUGH .., its name, and m lines of at least 29 cells for its elements
///     TRACE NRAY .. NSUN .. CPU .. SEED .. SUNSHAPE .. ERRORS .. PTFOCUS .. (may be missing)
///
/// A byte order mark of UTF-8 and line ends of any kind are accepted; UTF-16 and other formats are
/// refused by name.
/// Throws InputError with every problem of the lines; stops where the structure is lost.
Project read_project(const std::filesystem::path& file);

/// Reads a project from a text; `name` replaces the file name in messages.
Project parse_project(const std::string& text, const std::string& name);

/// Rigid frame: p_parent = origin + sum p_i axes[i].
struct Frame {
    Vec3 origin{};  ///< origin in the parent frame, metres
    /// Unit vectors x, y, z in the parent frame.
    std::array<Vec3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

    Vec3 direction(const Vec3& v) const;  ///< converts a direction of this frame to the parent
    Vec3 point(const Vec3& p) const;      ///< converts a point of this frame to the parent, metres
    /// Converts a frame given in this frame to this frame's parent.
    Frame compose(const Frame& inner) const;
};

/// Returns the frame of an origin, a point on its z axis, and a rotation about it in degrees: Euler
/// angles alpha = atan2(dx, dz), beta = asin(dy) of the unit vector to the point, gamma = rotation,
/// with the matrix of Spencer and Murty, J. Opt. Soc. Am. 52 (1962) 672-678, eq. 2, as in
/// SolTrace's CalculateTransformMatrices. As in SolTrace, an aim point at the origin gives axes
/// without rotation.
Frame make_frame(const Vec3& origin, const Vec3& aim, double z_rotation);

/// Axis of a project that points up. z: x is east and y is north. y: x is west and z is north, the
/// frame of SolTrace's sun from latitude, day and hour.
enum class UpAxis { y, z };

/// Returns the project's global frame in east-north-up.
Frame world_frame(UpAxis up);

/// Returns the direction to the sun in the project's frame (unit vector): the position as given, or
/// from latitude, day of the year and solar hour with SolTrace's formulas (declination 0.39795
/// cos(0.98563 (day - 173)), x west, y up, z north).
Vec3 sun_direction(const SunBlock& sun);

/// Pose of a mirror as angles of azimuth-elevation kinematics.
struct MirrorAngles {
    double azimuth = 0.0;    ///< azimuth of the normal, radians, clockwise from north, [0, 2 pi)
    double elevation = 0.0;  ///< elevation of the normal, radians, [-pi/2, pi/2]
    /// Turn of the frame about the normal relative to the mirror frame of these angles,
    /// counter-clockwise seen from the front, radians, (-pi, pi].
    double roll = 0.0;
};

/// Returns the angles of a mirror whose frame in east-north-up has its normal along z.
MirrorAngles mirror_angles(const Frame& mirror);

}  // namespace helioray::soltrace
