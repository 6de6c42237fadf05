// SPDX-License-Identifier: MIT
// Angular distributions as the kernels sample them.
#include "raytracer/physical/angular_shapes.h"

#include "scenario/sun/radial_profile.h"

#include <cmath>

namespace helioray::physical {

namespace {

using Kind = kernels::AngularShape::Kind;

static_assert(helioray::kRadialTableSize == kernels::kRadialTableSize);

kernels::AngularShape plain(Kind kind, double width) {
    return {width > 0.0 ? kind : Kind::none, static_cast<float>(width), 0.0f, 0};
}

kernels::AngularShape tabulated(const SunShape& shape, std::vector<float>& floats) {
    const RadialTable table = radial_table(shape);
    kernels::AngularShape record{Kind::table,
                                 std::sqrt(table.tail.back()),
                                 table.split,
                                 static_cast<int64_t>(floats.size())};
    floats.insert(floats.end(), table.core.begin(), table.core.end());
    floats.insert(floats.end(), table.tail.begin(), table.tail.end());
    return record;
}

}  // namespace

kernels::AngularShape sun_record(const SunShape& shape, std::vector<float>& floats) {
    // Closed forms where there are some, tables for the others.
    if (const auto* gaussian = std::get_if<GaussianShape>(&shape))
        return plain(Kind::gaussian, gaussian->sigma);
    if (const auto* pillbox = std::get_if<PillboxShape>(&shape))
        return plain(Kind::pillbox, pillbox->half_angle);
    if (std::holds_alternative<CollimatedShape>(shape)) return plain(Kind::none, 0.0);
    return tabulated(shape, floats);
}

kernels::AngularShape error_record(const ErrorShape& shape) {
    if (const auto* gaussian = std::get_if<GaussianShape>(&shape))
        return plain(Kind::gaussian, gaussian->sigma);
    if (const auto* pillbox = std::get_if<PillboxShape>(&shape))
        return plain(Kind::pillbox, pillbox->half_angle);
    return plain(Kind::none, 0.0);
}

double largest_angle(const kernels::AngularShape& shape) {
    // sigma sqrt(-2 ln u) with the smallest uniform number 2^-24.
    constexpr double kWidestGaussian = 5.77;
    constexpr double kRounding = 1.0 + 1e-5;
    if (shape.kind == Kind::none) return 0.0;
    const double factor = shape.kind == Kind::gaussian ? kWidestGaussian : 1.0;
    return factor * kRounding * static_cast<double>(shape.width);
}

}  // namespace helioray::physical
