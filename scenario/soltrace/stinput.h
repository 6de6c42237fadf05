// SPDX-License-Identifier: MIT
// SolTrace's input files: sun, optics, stages and elements as they are written, and the frames they
// stand in.
#pragma once

#include "scenario/reader/read_log.h"
#include "scenario/types.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::soltrace {

/// The sun: its position and the distribution of its light.
struct SunBlock {
    int line = 0;               ///< where it begins in the file, from 1
    bool point_source = false;  ///< rays start at the position instead of coming from its direction
    char shape = 'g';           ///< 'g' Gaussian, 'p' pillbox, 'd' table
    double sigma = 0.0;         ///< mrad, standard deviation per axis; 'g'
    double half_width = 0.0;    ///< mrad, angular radius; 'p'
    Vec3 position{};            ///< direction to the sun, any length; metres for a point source
    bool from_time = false;     ///< latitude, day and hour instead of the position
    double latitude = 0.0;      ///< degrees
    double day = 0.0;           ///< of the year
    double hour = 0.0;          ///< solar time
    std::vector<std::array<double, 2>> table;  ///< mrad, relative intensity; 'd'
};

/// One side of a surface.
struct OpticSide {
    int line = 0;                    ///< in the file, from 1
    char distribution = 'g';         ///< of both errors: 'g' Gaussian, 'p' pillbox
    double reflectivity = 0.0;       ///< share of the light
    double transmissivity = 0.0;     ///< share of the light; refraction alone uses it
    double slope_error = 0.0;        ///< mrad
    double specularity_error = 0.0;  ///< mrad
    bool has_table = false;          ///< reflectivity or transmissivity depends on the angle
};

/// Optical properties of both sides of an element.
struct OpticPair {
    std::string name;  ///< what elements call it
    OpticSide front;   ///< towards +z of the element
    OpticSide back;    ///< towards -z of the element
};

/// One optical element of a stage.
struct Element {
    int line = 0;         ///< in the file, from 1
    int number = 0;       ///< in its stage, from 1
    bool enabled = true;  ///< false: light passes as if it were not there
    Vec3 position{};      ///< metres, in the frame of its stage
    Vec3 aim{};           ///< metres, in the frame of its stage: a point on the element's z axis
    double z_rotation = 0.0;  ///< degrees
    char aperture = 'r';      ///< outline: 'r' rectangle, 'l' part of a cylinder, others
    /// Metres; 'r': width along x, height along y; 'l': from and to in x (both 0: the full
    /// cylinder), length along y.
    std::array<double, 8> aperture_values{};
    char surface = 'f';  ///< 'f' flat, 'p' paraboloid, 's' sphere, 't' cylinder, others
    /// 'p': curvatures along x and y in 1/m; 's', 't': one curvature.
    std::array<double, 8> surface_values{};
    std::string surface_file;  ///< of measured surfaces, which are not supported; else empty
    std::string optic;         ///< name of its OpticPair
    int interaction = 2;       ///< 1 refraction, 2 reflection
    std::string comment;       ///< names receivers; may be empty
};

/// A stage with its frame and elements.
struct Stage {
    int line = 0;                   ///< in the file, from 1
    std::string name;               ///< may be empty
    Vec3 position{};                ///< metres, in the global frame
    Vec3 aim{};                     ///< metres, in the global frame: a point on the stage's z axis
    double z_rotation = 0.0;        ///< degrees, about the z axis
    bool is_virtual = false;        ///< it only counts rays that pass
    bool has_multiple_hits = true;  ///< a ray may hit several elements of the stage
    bool traces_through = false;    ///< rays that miss the stage go on to the next one
    std::vector<Element> elements;  ///< in the order of the file
};

/// How SolTrace traces the project: the line TRACE behind the stages.
struct TraceBlock {
    int line = 0;                 ///< in the file, from 1
    bool has_sun_shape = true;    ///< false: all rays of the sun are parallel
    bool has_errors = true;       ///< false: mirrors have neither slope nor specularity errors
    std::string without_meaning;  ///< settings of SolTrace alone: "NRAY 10000, SEED 123"
};

/// The content of a SolTrace input file, as it is written.
struct Project {
    std::string file;                 ///< name, for messages
    std::string version;              ///< "3.4.0"; empty for a file without the line of the version
    SunBlock sun;                     ///< the only one
    std::vector<OpticPair> optics;    ///< in the order of the file
    std::vector<Stage> stages;        ///< in the order in which light passes them
    std::optional<TraceBlock> trace;  ///< nothing where the file has no such line
    std::vector<std::string> ignored;  ///< lines without meaning, as remarks

    std::string where(int line) const;  ///< "FILE:line"; the file alone for line 0
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

/// The same for a text; `name` stands for the file name in messages.
Project parse_project(const std::string& text, const std::string& name);

/// Rigid frame: p_parent = origin + sum p_i axes[i].
struct Frame {
    Vec3 origin{};                                                ///< metres, in the parent frame
    std::array<Vec3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< unit vectors x, y, z

    Vec3 direction(const Vec3& v) const;  ///< a direction of this frame, in the parent
    Vec3 point(const Vec3& p) const;      ///< a point of this frame, in the parent, metres
    /// A frame that is given in this one, in this one's parent.
    Frame of(const Frame& inner) const;
};

/// Frame of an origin, a point on its z axis, and a rotation about it in degrees: Euler angles
/// alpha = atan2(dx, dz), beta = asin(dy) of the unit vector to the point, gamma = rotation, with
/// the matrix of Spencer and Murty, J. Opt. Soc. Am. 52 (1962) 672-678, eq. 2, as in SolTrace's
/// CalculateTransformMatrices. An aim point at the origin gives axes without rotation, as there.
Frame frame_of(const Vec3& origin, const Vec3& aim, double z_rotation);

/// Which axis of a project points up. z: x is east and y is north. y: x is west and z is north, the
/// frame of SolTrace's sun from latitude, day and hour.
enum class UpAxis { y, z };

/// The project's global frame in east-north-up.
Frame world_frame(UpAxis up);

/// Direction to the sun in the project's frame (unit vector): the position as it stands, or from
/// latitude, day of the year and solar hour with SolTrace's formulas (declination 0.39795
/// cos(0.98563 (day - 173)), x west, y up, z north).
Vec3 sun_direction(const SunBlock& sun);

/// The pose of a mirror in terms of azimuth-elevation kinematics.
struct MirrorAngles {
    double azimuth = 0.0;    ///< radians, of the normal, clockwise from north, [0, 2 pi)
    double elevation = 0.0;  ///< radians, [-pi/2, pi/2]
    /// Radians, (-pi, pi]: how far its frame is turned about the normal, counter-clockwise seen
    /// from the front, against the mirror frame of these angles.
    double roll = 0.0;
};

/// Angles of a mirror whose frame in east-north-up has its normal along z.
MirrorAngles mirror_angles(const Frame& mirror);

}  // namespace helioray::soltrace
