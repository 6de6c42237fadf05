// SPDX-License-Identifier: MIT
// SolTrace projects as texts for tests.
#pragma once

#include "scenario/import/soltrace/soltrace.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/field/field_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace helioray::test {

namespace st = helioray::soltrace;

/// Returns true if one of the points is this corner.
inline bool has_corner(const std::vector<Vec3>& all, const Vec3& corner) {
    return std::any_of(all.begin(), all.end(), [&](const Vec3& other) {
        return norm(subtract(other, corner)) < 1e-6;
    });
}

/// A line of an element: position, aim, rotation, aperture, surface.
inline std::string element(const std::string& place,
                           const std::string& aperture,
                           const std::string& surface,
                           const std::string& optic,
                           const std::string& comment = "") {
    return "1\t" + place + "\t" + aperture + "\t" + surface + "\t\t" + optic + "\t2\t" + comment +
           "\n";
}

inline std::string rectangle(double width, double height) {
    return fmt::format("r\t{}\t{}\t0\t0\t0\t0\t0\t0", width, height);
}
inline std::string curved(char kind, double curvature) {
    return fmt::format("{}\t{}\t{}\t0\t0\t0\t0\t0\t0", kind, curvature, curvature);
}
inline const std::string kFlat = "f\t0\t0\t0\t0\t0\t0\t0\t0";

inline const std::string kSun =
    "SUN\tPTSRC\t0\tSHAPE\tp\tSIGMA\t2.73\tHALFWIDTH\t4.65\nXYZ\t0\t-60\t80\tUSELDH\t0\tLDH\t39."
    "5\t90\t10\nUSER SHAPE DATA\t0\n";
inline const std::string kOptics =
    "OPTICS LIST COUNT\t2\n"
    "OPTICAL "
    "PAIR\tMirror\nOPTICAL.v2\tg\t3\t1\t4\t0.9\t1\t1.5\t0."
    "25\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0\nOPTICAL."
    "v2\tg\t3\t1\t4\t0\t1\t1\t1\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0\n"
    "OPTICAL "
    "PAIR\tAbsorber\nOPTICAL.v2\tg\t3\t1\t4\t0.05\t1\t1\t1\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0\nOPTICAL."
    "v2\tg\t3\t1\t4\t0.05\t1\t1\t1\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0\n";
inline const std::string kReceiver =
    element("0\t0\t60\t0\t10\t60\t0", rectangle(8, 6), kFlat, "Absorber", "billboard");
inline const std::string kMirror =
    element("10\t100\t3\t5\t50\t90\t0", rectangle(4, 3), curved('p', 0.005), "Mirror");

inline std::string stage(const std::string& name,
                         const std::vector<std::string>& elements,
                         const std::string& place = "0\t0\t0\tAIM\t0\t0\t1\tZROT\t0",
                         int is_virtual = 0) {
    std::string text =
        fmt::format("STAGE\tXYZ\t{}\tVIRTUAL\t{}\tMULTIHIT\t1\tELEMENTS\t{}\tTRACETHROUGH\t0\n{}\n",
                    place,
                    is_virtual,
                    elements.size(),
                    name);
    for (const std::string& line : elements) text += line;
    return text;
}

inline std::string project(const std::vector<std::string>& stages,
                           const std::string& sun = kSun,
                           const std::string& optics = kOptics) {
    std::string text = "# SOLTRACE VERSION 3.4.0 INPUT FILE\n" + sun + optics +
                       fmt::format("STAGE LIST COUNT\t{}\n", stages.size());
    for (const std::string& part : stages) text += part;
    return text;
}

inline std::string tower(const std::string& mirror = kMirror,
                         const std::string& receiver = kReceiver) {
    return project({stage("Field", {mirror}), stage("Receiver", {receiver})});
}

inline st::Import import(const std::string& text, const st::Options& options = {}) {
    return st::convert(st::parse_project(text, "p.stinput"), options);
}

inline std::string problems(const std::string& text, const st::Options& options = {}) {
    return test::message_of([&] { import(text, options); });
}

inline std::string report(const st::Import& made) {
    return fmt::format("{}", fmt::join(made.report, "\n"));
}

inline st::Options skipping() {
    st::Options options;
    options.skip_unsupported = true;
    return options;
}

}  // namespace helioray::test
