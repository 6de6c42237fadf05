// SPDX-License-Identifier: MIT
// SolTrace's input files: sun, optics, stages and elements as they are written.
#pragma once

#include "scenario/reader/read_log.h"
#include "scenario/types.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace helioray::soltrace {

/// The sun: where it stands and how its light spreads.
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
    std::vector<Element> elements;  ///< in the order of the file
};

/// The content of a SolTrace input file, as it is written.
struct Project {
    std::string file;                  ///< name, for messages
    std::string version;               ///< "3.4.0"
    SunBlock sun;                      ///< the only one
    std::vector<OpticPair> optics;     ///< in the order of the file
    std::vector<Stage> stages;         ///< in the order in which light passes them
    std::vector<std::string> ignored;  ///< lines after the stages

    std::string where(int line) const;  ///< "FILE:line"; the file alone for line 0
};

/// Reads a file as SolTrace 2012 to 3.x writes it. The format has no description but its source:
/// NREL/SolTrace, app/src/project.cpp and coretrace/strace/main.cpp. Lines are separated by tabs:
///
///     # SOLTRACE VERSION 3.4.0 INPUT FILE
///     SUN  PTSRC 0  SHAPE g  SIGMA 2.73  HALFWIDTH 4.65
///     XYZ x y z  USELDH 0  LDH latitude day hour
///     USER SHAPE DATA n, and n lines of angle and intensity
///     OPTICS LIST COUNT n, and for each OPTICAL PAIR name, and a line OPTICAL... for front and
///     back STAGE LIST COUNT n, and for each STAGE XYZ .. AIM .. ZROT .. VIRTUAL .. MULTIHIT ..
///     ELEMENTS m TRACETHROUGH .., its name, and m lines of at least 29 cells for its elements
///
/// Throws InputError with every problem of the lines; stops where the structure is lost.
Project read_project(const std::filesystem::path& file);

/// The same for a text; `name` stands for the file name in messages.
Project parse_project(const std::string& text, const std::string& name);

}  // namespace helioray::soltrace
