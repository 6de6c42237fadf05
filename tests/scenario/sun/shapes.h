// SPDX-License-Identifier: MIT
// Sun shapes for tests of profiles, tables, readers and writers, which go through every kind.
#pragma once

#include "scenario/sun/radial_profile.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace helioray::test {

/// Returns a sun of every kind.
inline std::vector<SunShape> every_sun_shape() {
    static_assert(std::variant_size_v<SunShape> == 7, "add the new kind of sun below");
    return {GaussianShape{2.09e-3},
            PillboxShape{4.65e-3},
            BuieShape{0.05, BuieCalibration::tonatiuh},
            LimbDarkenedShape{},
            CollimatedShape{},
            TableShape{{0.0, 1.9e-3, 4.65e-3}, {1.0, 0.9, 0.0}},
            GaussSumShape{{1.9e-3, 6e-3}, {0.9, 0.1}}};
}

inline std::vector<std::pair<std::string, SunShape>> sun_shapes() {
    static_assert(std::variant_size_v<SunShape> == 7, "add the new kind of sun below");
    // Radiances of a measured kind: a disc that darkens, and an aureole that falls by a factor of
    // 1000.
    const TableShape measured{
        {0.0, 0.001, 0.002, 0.003, 0.004, 0.0045, 0.005, 0.007, 0.01, 0.02, 0.04},
        {1.0, 0.99, 0.96, 0.9, 0.8, 0.6, 0.01, 0.004, 0.002, 0.0005, 0.0}};
    return {{"gaussian", GaussianShape{2.09e-3}},
            {"wide gaussian", GaussianShape{20e-3}},
            {"pillbox", PillboxShape{4.65e-3}},
            {"limb darkened", LimbDarkenedShape{}},
            {"buie 0", BuieShape{0.0}},
            {"buie 1e-7", BuieShape{1e-7}},
            {"buie 0.02", BuieShape{0.02}},
            {"buie 0.3", BuieShape{0.3}},
            {"buie tracer", BuieShape{0.05, BuieCalibration::tracer}},
            {"triangle", TableShape{{0.0, 0.01}, {1.0, 0.0}}},
            {"measured", measured},
            {"one gaussian", GaussSumShape{{2.09e-3}, {3.0}}},
            {"two gaussians", GaussSumShape{{1.9e-3, 6e-3}, {0.9, 0.1}}}};
}

/// Standard deviation of the sun's directions per axis, radians; 0 for a collimated sun.
inline double rms_width(const SunShape& shape) {
    if (std::holds_alternative<CollimatedShape>(shape)) return 0.0;
    return std::sqrt(0.5 * radial_profile(shape)->mean_square_angle());
}

}  // namespace helioray::test
