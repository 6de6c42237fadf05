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

/// How an angle spreads: 'g' Gaussian, 'p' pillbox, 'd' table (sun only).
struct SunBlock {
    int line = 0;
    bool point_source = false;
    char shape = 'g';
    double sigma = 0.0;       ///< mrad
    double half_width = 0.0;  ///< mrad
    Vec3 position{};          ///< direction to the sun, any length; metres for a point source
    bool from_time = false;   ///< latitude, day and hour instead of the position
    double latitude = 0.0;    ///< degrees
    double day = 0.0;         ///< of the year
    double hour = 0.0;        ///< solar time
    std::vector<std::array<double, 2>> table;  ///< mrad, relative intensity
};

/// One side of a surface.
struct OpticSide {
    int line = 0;
    char distribution = 'g';
    double reflectivity = 0.0;
    double transmissivity = 0.0;
    double slope_error = 0.0;        ///< mrad
    double specularity_error = 0.0;  ///< mrad
    bool has_table = false;          ///< reflectivity or transmissivity depends on the angle
};

/// Optical properties of both sides of an element.
struct OpticPair {
    std::string name;
    OpticSide front, back;
};

/// One optical element of a stage.
struct Element {
    int line = 0;
    int number = 0;  ///< in its stage, from 1
    bool enabled = true;
    Vec3 position{};          ///< metres, in the frame of its stage
    Vec3 aim{};               ///< metres, a point on the z axis of the element
    double z_rotation = 0.0;  ///< degrees
    char aperture = 'r';
    std::array<double, 8> aperture_values{};
    char surface = 'f';
    std::array<double, 8> surface_values{};
    std::string surface_file;
    std::string optic;
    int interaction = 2;  ///< 1 refraction, 2 reflection
    std::string comment;
};

/// A stage with its frame and elements.
struct Stage {
    int line = 0;
    std::string name;
    Vec3 position{};
    Vec3 aim{};
    double z_rotation = 0.0;  ///< degrees
    bool is_virtual = false;
    std::vector<Element> elements;
};

/// The content of a SolTrace input file.
struct Project {
    std::string file;
    std::string version;  ///< "3.4.0"
    SunBlock sun;
    std::vector<OpticPair> optics;
    std::vector<Stage> stages;
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
